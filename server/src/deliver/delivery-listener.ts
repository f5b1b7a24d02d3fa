/** Who hears what a worker does, for metrics and logs. Calls must not throw. */
import type { OutwardName } from './delivery.ts';
import type { DeliveryState } from './delivery-state.ts';
import type { OutcomeKind } from './outcome.ts';

export interface DeliveryListener {
  /** A provider was called. */
  attempted(attempt: { provider: string; outcome: OutcomeKind; tookMs: number }): void;
  /** A delivery has ended. `sinceMs`: since it was decided. */
  ended(ending: { channel: OutwardName; state: DeliveryState; code: string | null; sinceMs: number }): void;
  /** A delivery waits for a later time. */
  putOff(channel: OutwardName): void;
  /** So many more deliveries wait because their provider allows no more just now. */
  overQuota(channel: OutwardName, count: number): void;
  /** A record of the channel's log could not be used and was passed over. */
  unusable(record: { channel: OutwardName; shard: number; bytes: Uint8Array }): void;
  /** Something is tried again: a store, facts, an endpoint that could not be forgotten. */
  failed(channel: OutwardName, error: unknown): void;
  /** A job could not be made into a message: a fault of the program, or of what it was made from. */
  unplannable(channel: OutwardName, error: unknown): void;
}
