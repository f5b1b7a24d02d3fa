/**
 * The sending side of the live feed: finds the gateways that hold somebody, gathers the frames for each, and hands them
 * to the bus. Used by the owners of shards for changes and by the API for marks.
 *
 *   near ──a call fails──▶ away ──`gap` handed over──▶ near
 *
 * What could not be handed over is lost, and remembered by shard: once the bus is there again, all gateways are told to
 * look into the inboxes of these shards (`gap`), and their owners, if they were to be told of marks. While it is away no call is tried but that one, so that the work that
 * publishes never waits for it more than once. Calls never reject.
 */
import type { Clock } from '../../base/clock.ts';
import { shardOf } from '../../base/hash.ts';
import type { PersonKey } from '../../base/ids.ts';
import { limits } from '../../base/limits.ts';
import { series, telemetry } from '../../base/telemetry.ts';
import type { Bus, BusMessage } from './bus.ts';
import { FrameBatchWriter, type TextFrame } from './frame-batch.ts';
import { liveChannels, liveMessage } from './live-messages.ts';
import type { GatewayId, Presence } from './presence.ts';

const lost = series('carillon_hints_lost_total', {});

export interface LivePublisherParts {
  readonly presence: Presence;
  readonly bus: Bus;
  readonly shards: number;
  readonly clock: Clock;
}

/** Who of some people is connected, and where. */
export type Watched = ReadonlyMap<PersonKey, readonly GatewayId[]>;

export interface PersonFrame {
  readonly person: PersonKey;
  readonly frame: TextFrame;
}

export class LivePublisher {
  readonly #parts: LivePublisherParts;
  /** Shards of which something was lost. */
  readonly #owed = new Set<number>();
  /** Shards whose owners may have old marks in memory. */
  readonly #owedOwners = new Set<number>();
  #stopRetry: (() => void) | null = null;
  #isClosed = false;

  constructor(parts: LivePublisherParts) {
    this.#parts = parts;
  }

  /** After what is to be published has been written, so that whoever is not found yet reads it. */
  async watched(people: readonly PersonKey[]): Promise<Watched> {
    if (people.length === 0) return new Map();
    if (this.#stopRetry === null) {
      try {
        return await this.#parts.presence.gatewaysOf(people);
      } catch {}
    }
    this.#lost(people);
    return new Map();
  }

  /** In order, as far as calls do not wait for each other: frames of one person must come from one call after the other. */
  async publish(watched: Watched, frames: readonly PersonFrame[]): Promise<void> {
    const messages = framesByGateway(watched, frames);
    if (messages.length === 0) return;
    const isSent = await this.#send(messages);
    if (!isSent) this.#lost(frames.map(({ person }) => person));
  }

  /** Tells the shard's owner that the marks it has in memory are not the newest. */
  async marksChanged(person: PersonKey): Promise<void> {
    const shard = shardOf(person, this.#parts.shards);
    const isSent = await this.#send([liveMessage(liveChannels.shard(shard), { kind: 'marksChanged', person })]);
    if (isSent) return;
    this.#owedOwners.add(shard);
    this.#lost([person]);
  }

  /** Asks the shard's owner to erase the person's inbox. Answers whether it was handed over. */
  erase(person: PersonKey): Promise<boolean> {
    const channel = liveChannels.shard(shardOf(person, this.#parts.shards));
    return this.#send([liveMessage(channel, { kind: 'erase', person })]);
  }

  /** A shard has a new owner: its frames may have been written, and never published, by the one before. */
  gap(shards: readonly number[]): void {
    for (const shard of shards) this.#owed.add(shard);
    if (this.#stopRetry === null) void this.#settle();
  }

  close(): void {
    this.#isClosed = true;
    this.#stopRetry?.();
  }

  async #send(messages: readonly BusMessage[]): Promise<boolean> {
    if (this.#stopRetry !== null) return false;
    try {
      await this.#parts.bus.publish(messages);
      return true;
    } catch {
      return false;
    }
  }

  #lost(people: readonly PersonKey[]): void {
    telemetry.add(lost, people.length);
    for (const person of people) this.#owed.add(shardOf(person, this.#parts.shards));
    this.#retryLater();
  }

  #retryLater(): void {
    if (this.#isClosed) return;
    this.#stopRetry ??= this.#parts.clock.after(limits.busRetryMs, () => void this.#settle());
  }

  /** Tells of all that was lost so far. What is lost while it does is told of next time. */
  async #settle(): Promise<void> {
    const [shards, owners] = [[...this.#owed], [...this.#owedOwners]];
    this.#owed.clear();
    this.#owedOwners.clear();
    const gap = { kind: 'gap', shards } as const;
    const channels = [liveChannels.all, ...owners.map(liveChannels.shard)];
    const isDone = await this.#parts.bus.publish(channels.map((channel) => liveMessage(channel, gap))).then(
      () => true,
      () => false,
    );
    this.#stopRetry?.();
    this.#stopRetry = null;
    if (!isDone) {
      for (const shard of shards) this.#owed.add(shard);
      for (const shard of owners) this.#owedOwners.add(shard);
    }
    if (this.#owed.size > 0) this.#retryLater();
  }
}

function framesByGateway(watched: Watched, frames: readonly PersonFrame[]): BusMessage[] {
  const batches = new Map<GatewayId, FrameBatchWriter>();
  for (const { person, frame } of frames) {
    for (const gateway of watched.get(person) ?? []) {
      const batch = batches.get(gateway) ?? new FrameBatchWriter();
      batch.add(person, frame);
      batches.set(gateway, batch);
    }
  }
  return [...batches].map(([gateway, writer]) =>
    liveMessage(liveChannels.gateway(gateway), { kind: 'frames', batch: writer.take() }),
  );
}
