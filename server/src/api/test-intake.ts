/** A listening server with intake over the memory log, for tests. */
import type { FastifyInstance } from 'fastify';
import { ApiKeys } from '../auth/api-keys.ts';
import { DevTokens } from '../auth/dev-tokens.ts';
import { RevocationStoreMemory } from '../auth/revocation-store-memory.ts';
import { Revocations } from '../auth/revocations.ts';
import { TokenAuthenticator } from '../auth/token-authenticator.ts';
import { seededRandom } from '../base/random.ts';
import { VirtualClock } from '../base/virtual-clock.ts';
import { builtInTypes } from '../content/type-catalogue.ts';
import type { AudienceCheck } from '../intake/audience-check.ts';
import type { EventOutcomes } from '../intake/event-results.ts';
import { Idempotency } from '../intake/idempotency.ts';
import { IdempotencyStoreMemory } from '../intake/idempotency-store-memory.ts';
import { Intake } from '../intake/intake.ts';
import type { IntakeLog } from '../intake/intake-log.ts';
import { RateLimit } from '../intake/rate-limit.ts';
import type { AppendStatus } from '../log/event-log.ts';
import { EventLogMemory } from '../log/event-log-memory.ts';
import { type PackedBatch, RecordView } from '../log/record.ts';
import { devToken } from './dev-token.ts';
import { createHttpServer, type HttpFailure } from './http-server.ts';
import { postEvents } from './post-events.ts';

/** The memory log as intake sees it, with what a test sets. */
class TestLog implements IntakeLog {
  readonly memory = new EventLogMemory();
  readonly shards: number;
  waiting = 0;
  unapplied = { direct: 0, social: 0, bulk: 0 };
  appends = 0;
  /** While set, appends wait for it. */
  stalled: Promise<void> | null = null;

  constructor(shards: number) {
    this.shards = shards;
  }

  async append(batch: PackedBatch): Promise<AppendStatus[]> {
    this.appends++;
    if (this.stalled) await this.stalled;
    return this.memory.append(batch);
  }

  waitingBytes(): number {
    return this.waiting;
  }

  unappliedBytes(lane: 'direct' | 'social' | 'bulk'): number {
    return this.unapplied[lane];
  }

  /** All records in the log: where they are and whom they are for. */
  records(): {
    shard: number;
    lane: string;
    id: string;
    source: string;
    tenant: string;
    to: string[];
    event: unknown;
  }[] {
    const view = new RecordView();
    const stored = [...this.memory.state.lanes.values()].flat();
    stored.sort((a, b) => a.start - b.start);
    return stored.map(({ bytes }) => {
      view.move(bytes, 0);
      const { shard, lane, tenant } = view;
      const [id, source] = [view.text('id'), view.text('source')];
      return { shard, lane, id, source, tenant, to: view.recipients(), event: JSON.parse(view.event()) };
    });
  }
}

export interface TestIntake {
  readonly app: FastifyInstance;
  readonly origin: string;
  readonly log: TestLog;
  readonly clock: VirtualClock;
  readonly failures: HttpFailure[];
  /** What metrics hear of each answered request. */
  readonly outcomes: EventOutcomes[];
  readonly tokens: DevTokens;
  /** A producer's token for `posts`. */
  readonly token: string;
  send(body: unknown, headers?: Record<string, string>): Promise<Response>;
}

export async function openTestIntake(
  options: { shards?: number; rate?: { perSecond: number; burst: number }; audiences?: AudienceCheck } = {},
): Promise<TestIntake> {
  const clock = new VirtualClock();
  const random = seededRandom(3);
  const log = new TestLog(options.shards ?? 1);
  const tokens = new DevTokens('s'.repeat(32), clock, random);
  const rate = options.rate && new RateLimit(clock, options.rate);
  const outcomes: EventOutcomes[] = [];
  const intake = new Intake({
    log,
    types: builtInTypes,
    clock,
    ...(rate && { rate }),
    ...(options.audiences && { audiences: options.audiences }),
    onResult: (outcome) => outcomes.push(outcome),
  });
  const failures: HttpFailure[] = [];
  const app = createHttpServer({
    operations: [postEvents(intake), devToken(tokens)],
    authenticator: new TokenAuthenticator({
      keys: new ApiKeys([], []),
      issuers: [tokens.issuer],
      revocations: new Revocations(new RevocationStoreMemory(), clock),
      clock,
    }),
    clock,
    random,
    idempotency: new Idempotency(new IdempotencyStoreMemory(), clock, () => {}),
    onFailure: (failure) => failures.push(failure),
  });
  const origin = await app.listen({ host: '127.0.0.1', port: 0 });
  const { token } = await tokens.issue({ source: 'posts' });
  const send = (body: unknown, headers: Record<string, string> = {}) =>
    fetch(`${origin}/v1/events`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
      body:
        typeof body === 'string' || body instanceof Uint8Array
          ? (body as Uint8Array<ArrayBuffer>)
          : JSON.stringify(body),
    });
  return { app, origin, log, clock, failures, outcomes, tokens, token, send };
}
