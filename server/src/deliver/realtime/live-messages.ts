/**
 * What processes tell each other over the bus about streams. All of it is a hint: whoever misses one looks into the
 * inbox, or reads the store again.
 *
 * On the wire: one byte of kind, then a frame batch (`frame-batch.ts`), or JSON in UTF-8. A kind that is not known comes
 * from a later release, and whoever hears it looks for itself, as after a loss.
 */
import type { RevokedSession } from '../../auth/revocation-store.ts';
import type { AudienceKey, PersonKey } from '../../base/ids.ts';
import type { BusMessage } from './bus.ts';
import type { GatewayId } from './presence.ts';

export interface KeptBroadcast {
  readonly audience: AudienceKey;
  readonly number: number;
  readonly acceptedMs: number;
}

export type LiveMessage =
  /** To a gateway: frames for people it holds. */
  | { readonly kind: 'frames'; readonly batch: Uint8Array }
  /**
   * To all: frames of these shards may have been lost, or their owner is a new one; null: of any. To a shard's owner:
   * what it was to be told of marks may have been lost.
   */
  | { readonly kind: 'gap'; readonly shards: readonly number[] | null }
  /** To a shard's owner: marks it may have in memory are older than the store's. */
  | { readonly kind: 'marksChanged'; readonly person: PersonKey }
  /** To a shard's owner: everything of the person goes. */
  | { readonly kind: 'erase'; readonly person: PersonKey }
  /** To all: an event is kept once for a large audience. */
  | ({ readonly kind: 'broadcast' } & KeptBroadcast)
  /** To a shard's owner: these people open their inboxes. `asker`: the process that waits to hear; null: none. */
  | { readonly kind: 'merge'; readonly people: readonly PersonKey[]; readonly asker: GatewayId | null }
  /** To a process that asked: the person's inbox has the broadcasts of their audiences through this number. */
  | { readonly kind: 'merged'; readonly person: PersonKey; readonly through: number }
  /** To all: the session's tokens count no more. */
  | ({ readonly kind: 'revoked' } & RevokedSession);

/** Channels: everybody hears `all`; a gateway its own; a shard's owner that of the shard. */
export const liveChannels = {
  all: 'all',
  gateway: (gateway: GatewayId): string => `gateway:${gateway}`,
  shard: (shard: number): string => `shard:${shard}`,
} as const;

const kinds = ['frames', 'gap', 'marksChanged', 'revoked', 'broadcast', 'merge', 'merged', 'erase'] as const;

export function liveMessage(channel: string, message: LiveMessage): BusMessage {
  const { kind, ...rest } = message;
  const head = Uint8Array.of(kinds.indexOf(kind));
  const body = message.kind === 'frames' ? message.batch : Buffer.from(JSON.stringify(rest));
  return { channel, bytes: Buffer.concat([head, body]) };
}

/** Null for what cannot be read. */
export function readLiveMessage(bytes: Uint8Array): LiveMessage | null {
  const kind = kinds[bytes[0] ?? kinds.length];
  const body = bytes.subarray(1);
  if (kind === undefined) return null;
  if (kind === 'frames') return { kind, batch: body };
  try {
    return { kind, ...JSON.parse(Buffer.from(body).toString()) };
  } catch {
    return null;
  }
}
