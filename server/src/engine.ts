/**
 * What an engine gives to the parts above it: the ports of intake, API and gateway. `embedded/` has everything in one
 * process, `cluster/` on Kafka, Cassandra and Redis. `app.ts` knows no other difference between the two.
 */
import type { RevocationStore } from './auth/revocation-store.ts';
import type { LiveFeed } from './deliver/realtime/live-feed.ts';
import type { StreamTickets } from './deliver/realtime/stream-tickets.ts';
import type { InboxService } from './inbox/inbox-service.ts';
import type { IdempotencyStore } from './intake/idempotency-store.ts';
import type { IntakeLog } from './intake/intake-log.ts';

export interface Engine {
  readonly log: IntakeLog;
  readonly inbox: InboxService;
  readonly feed: LiveFeed;
  readonly idempotency: IdempotencyStore;
  readonly revocations: RevocationStore;
  readonly tickets: StreamTickets;
  /** Rejects when the process must stop. */
  readonly failed: Promise<never>;
  /** How far the shards of this process have come, for probes. */
  consumption(): { behindBytes: number; applied: number };
  /** The engine's part of the metrics, as `telemetry.snapshot` gives it. */
  metrics(): Promise<Float64Array>;
  /** Finishes what is at hand, in the reverse order of the start. */
  stop(): Promise<void>;
}
