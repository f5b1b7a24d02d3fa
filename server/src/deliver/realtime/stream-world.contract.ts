/** A real HTTP server with a real gateway for tests; only time, tokens and the feed are the test's own. */
import { setImmediate as turn } from 'node:timers/promises';
import type { ChangesFrame, MarksFrame, ServerFrame } from '@carillon/contract/stream.ts';
import type { FastifyInstance } from 'fastify';
import { attachStream } from '../../api/attach-stream.ts';
import { createHttpServer } from '../../api/http-server.ts';
import { streamOperations } from '../../api/stream-operations.ts';
import type { Authenticator, Principal, UserPrincipal } from '../../auth/principal.ts';
import type { RevocationStore } from '../../auth/revocation-store.ts';
import { RevocationStoreMemory } from '../../auth/revocation-store-memory.ts';
import { Revocations } from '../../auth/revocations.ts';
import { CarillonError } from '../../base/carillon-error.ts';
import { type PersonKey, personKey, type Revision, type TenantId, type UserId } from '../../base/ids.ts';
import { limits } from '../../base/limits.ts';
import { seededRandom } from '../../base/random.ts';
import { VirtualClock } from '../../base/virtual-clock.ts';
import type { Connection } from './connection.ts';
import { Gateway } from './gateway.ts';
import type { LiveFeed } from './live-feed.ts';
import { MemoryLiveFeed } from './live-feed-memory.ts';
import type { StreamLimits } from './stream-limits.ts';
import { LocalStreamTickets } from './stream-tickets.ts';

export const appOrigin = 'https://app.test';
export const r1 = personKey('default', 'r1');

/** What a client keeps of its stream. `position` is what it would store, and resume from. */
export interface StreamClient {
  readonly frames: ServerFrame[];
  position: number | null;
  /** Null until the stream is over. SSE and polls end with the code of their `bye`, or the HTTP status. */
  ended: { readonly code: number } | null;
  /** Goes away without a word. */
  kill(): void;
}

export interface StreamOpening {
  readonly token: string;
  readonly since: number | null;
  readonly headers?: Readonly<Record<string, string>>;
  /** Further parameters of the URL. */
  readonly query?: Readonly<Record<string, string>>;
}

/** A feed whose frames are the test's own. */
export interface StreamFeed extends LiveFeed {
  publish(person: PersonKey, frame: ChangesFrame): void;
  publishMarks(person: PersonKey, frame: MarksFrame): void;
  forget(person: PersonKey, through: Revision): void;
  subscriptions(person: PersonKey): number;
  /** Runs around the reading of a catch-up. */
  pause: () => Promise<void>;
  close?(): Promise<void>;
}

/** Feeds may be made for the world's clock. */
export type CreateFeed = (clock: VirtualClock) => StreamFeed;

/** What is not in memory. */
export interface StreamWorldParts {
  readonly createFeed?: CreateFeed | undefined;
  readonly revocationStore?: RevocationStore | undefined;
}

/** The service as far as a client needs it. */
export interface StreamHost {
  readonly origin: string;
  /** Waits until a stream with this token is taken on, or `over`. */
  accepted(token: string, over: () => boolean): Promise<void>;
}

/** Rejects with the status if it is refused. */
export type OpenStream = (host: StreamHost, opening: StreamOpening) => Promise<StreamClient>;

/** Tells tests whose streams have been taken on. */
class WatchedGateway extends Gateway {
  readonly accepted = new Set<Principal>();

  override accept(...given: Parameters<Gateway['accept']>): Connection {
    const { principal } = given[1];
    if (principal !== null) this.accepted.add(principal);
    return super.accept(...given);
  }
}

export class StreamWorld implements Authenticator, StreamHost {
  readonly clock = new VirtualClock();
  readonly feed: StreamFeed;
  readonly revocations: Revocations;
  readonly tickets: LocalStreamTickets;
  readonly gateway: WatchedGateway;
  readonly app: FastifyInstance;
  readonly #tokens = new Map<string, Principal>();
  origin = '';
  /** Tokens looked at so far, good or bad. */
  proofs = 0;

  constructor(changed: Partial<StreamLimits> = {}, { createFeed, revocationStore }: StreamWorldParts = {}) {
    this.feed = createFeed?.(this.clock) ?? new MemoryLiveFeed();
    this.revocations = new Revocations(revocationStore ?? new RevocationStoreMemory(), this.clock);
    const random = seededRandom(1);
    this.tickets = new LocalStreamTickets(this.clock, random, limits);
    this.gateway = new WatchedGateway({
      feed: this.feed,
      authenticator: this,
      revocations: this.revocations,
      tickets: this.tickets,
      clock: this.clock,
      random,
      allowedOrigins: [appOrigin],
      limits: { ...limits, ...changed },
    });
    this.app = createHttpServer({
      operations: streamOperations(this.gateway, this.tickets),
      authenticator: this,
      clock: this.clock,
      random,
      idempotency: { run: (_request, work) => work() },
    });
    attachStream(this.app.server, this.gateway, random);
  }

  static async listen(changed: Partial<StreamLimits> = {}, parts?: StreamWorldParts): Promise<StreamWorld> {
    const world = new StreamWorld(changed, parts);
    world.origin = await world.app.listen({ host: '127.0.0.1', port: 0 });
    return world;
  }

  /** Fails the test if a connection is left behind. */
  async stop(): Promise<void> {
    this.clock.advance(limits.closeGraceMs);
    const drained = this.gateway.drain(1000);
    await this.turnTime(1000);
    await drained;
    this.app.server.closeAllConnections();
    await this.app.close();
    await this.feed.close?.();
  }

  /** Time passes in small steps with everything else going on between them, as it would. */
  async turnTime(durationMs: number): Promise<void> {
    for (let passedMs = 0; passedMs < durationMs; passedMs += 50) {
      this.clock.advance(50);
      for (let turns = 0; turns < 5; turns++) await turn();
    }
  }

  async authenticate(token: string): Promise<Principal> {
    await turn();
    this.proofs++;
    const principal = this.#tokens.get(token);
    if (principal !== undefined) return principal;
    if (token === 'without-scope') throw new CarillonError('CARILLON_AUTH_FORBIDDEN', 'The scope is missing.');
    throw new CarillonError('CARILLON_AUTH_INVALID', 'The token or key is not valid.');
  }

  token(user: string, more: Partial<UserPrincipal> = {}): string {
    const token = `t${this.#tokens.size + 1}`;
    const expiresAtMs = this.clock.now() + 3_600_000;
    const tenant = 'default' as TenantId;
    this.#tokens.set(token, { kind: 'user', tenant, user: user as UserId, session: null, expiresAtMs, ...more });
    return token;
  }

  framesSent(): number {
    return Object.values(this.gateway.stats().frames).reduce((sum, count) => sum + count, 0);
  }

  /** Earlier ones do not count. */
  async accepted(token: string, over: () => boolean): Promise<void> {
    const principal = this.#tokens.get(token);
    if (principal !== undefined) this.gateway.accepted.delete(principal);
    await until(() => over() || (principal !== undefined && this.gateway.accepted.has(principal)));
  }

  revoke(session: string, tenant = 'default' as TenantId): void {
    void this.revocations.revoke(tenant, session);
  }

  producerToken(): string {
    this.#tokens.set('producer', {
      kind: 'producer',
      tenant: 'default' as TenantId,
      caller: 'posts',
      sources: ['*'],
      expiresAtMs: this.clock.now() + 3_600_000,
    });
    return 'producer';
  }

  publish(person: PersonKey, ...revisions: number[]): void {
    for (const revision of revisions) this.feed.publish(person, changes(revision));
  }
}

export function changes(revision: number, removed: readonly string[] = []): ChangesFrame {
  return { kind: 'changes', items: [], removed: [`n_${revision}`, ...removed], counts: counts(revision), revision };
}

export function marks(revision: number): MarksFrame {
  return { kind: 'marks', readThrough: revision, seenThrough: revision, items: [], counts: counts(revision) };
}

/** Resolves as soon as `met`. The limit only ends tests that fail anyway. */
export async function until(met: () => boolean): Promise<void> {
  const endAtMs = performance.now() + 30_000;
  while (!met()) {
    if (performance.now() > endAtMs) throw new Error(`never happened: ${met}`);
    await turn();
  }
}

/** The notifications a client was shown, in order. */
export function shown(...clients: readonly StreamClient[]): number[] {
  return clients.flatMap(({ frames }) =>
    frames.flatMap((frame) => (frame.kind === 'changes' && frame.removed.length > 0 ? [frame.revision] : [])),
  );
}

function counts(revision: number): ChangesFrame['counts'] {
  return { unread: 1, unseen: 1, capped: false, revision, marksVersion: 0 };
}
