/**
 * What an engine gives to the parts above it: the ports of intake, API and gateway. `embedded/` has everything in one
 * process, `cluster/` on Kafka, Cassandra, Redis and PostgreSQL. `app.ts` knows no other difference between the two.
 */
import type { AnnouncementService } from './announce/announcement-service.ts';
import type { AudienceService } from './audience/audience-service.ts';
import type { RevocationStore } from './auth/revocation-store.ts';
import type { Snapshot } from './base/telemetry.ts';
import type { CatalogueSource } from './content/catalogue-source.ts';
import type { EventSimulator } from './decide/event-simulator.ts';
import type { DeadLetterService } from './deliver/dead-letters.ts';
import type { DeliveryHistory } from './deliver/delivery-store.ts';
import type { LiveFeed } from './deliver/realtime/live-feed.ts';
import type { LookingNotes } from './deliver/realtime/looking-people.ts';
import type { StreamTickets } from './deliver/realtime/stream-tickets.ts';
import type { InboxService } from './inbox/inbox-service.ts';
import type { IdempotencyStore } from './intake/idempotency-store.ts';
import type { IntakeLog } from './intake/intake-log.ts';
import type { RateLimit } from './intake/rate-limit.ts';
import type { ReadinessCheck } from './ops/readiness.ts';
import type { DeviceStore } from './profile/device-store.ts';
import type { ProfileStore } from './profile/profile-store.ts';
import type { Rotation } from './profile/resealing.ts';
import type { SuppressionStore } from './profile/suppression-store.ts';

/** What this process does not do by its roles is null: then its operations are not there. */
export interface Engine {
  /** For taking events. */
  readonly log: IntakeLog | null;
  /** For answering people. */
  readonly inbox: InboxService | null;
  /** For keeping audiences. */
  readonly audiences: AudienceService | null;
  /** For what operators tell people. */
  readonly announcements: AnnouncementService | null;
  /** For holding streams. */
  readonly feed: LiveFeed | null;
  /** For holding streams: where it is said who looks at the app. */
  readonly looking: LookingNotes | null;
  /** For what people and apps say of people. */
  readonly profiles: ProfileStore | null;
  /** For what could not be sent; null also where nothing is sent. */
  readonly deadLetters: DeadLetterService | null;
  /** For what became of what was sent; null also where nothing is sent. */
  readonly deliveryHistory: DeliveryHistory | null;
  /** For what they can be pushed on. */
  readonly devices: DeviceStore | null;
  /** For addresses that get no mail, or not all. */
  readonly suppressions: SuppressionStore | null;
  /** For encrypting anew what is stored. */
  readonly rotation: Rotation | null;
  /** For asking what would happen. */
  readonly simulator: EventSimulator | null;
  /** How fast callers may send, to all processes together. */
  readonly rate: RateLimit;
  readonly idempotency: IdempotencyStore;
  readonly revocations: RevocationStore;
  readonly tickets: StreamTickets;
  /** Rejects when the process must stop. */
  readonly failed: Promise<never>;
  /** For probes: whether the shards of this process get on (M4). */
  readonly checks: readonly ReadinessCheck[];
  /** Brings this thread's gauges up to date, and answers the numbers of the engine's other threads. */
  metrics(): Promise<readonly Snapshot[]>;
  /** The catalogue was replaced in this thread; resolves when the engine's other threads use it too. */
  useCatalogue(source: CatalogueSource): Promise<void>;
  /** Finishes what is at hand, in the reverse order of the start. */
  stop(): Promise<void>;
}
