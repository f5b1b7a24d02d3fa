/**
 * Port: deliveries that ended without their provider having them, for operators to look at and to send again (V5). What was
 * to be sent is not in them, but where it lies: the delivery, which is made anew from the row when it is sent again.
 *
 * Identity: one for each delivery; put again, it takes the place of the one before, unless that knows more (`version`).
 * Order: `page` by `name`, which begins with the time of the notification, the oldest first; each once.
 * Apart by tenant: whoever asks for one finds nothing of another.
 */
import type { PersonKey, TenantId } from '../base/ids.ts';
import type { Delivery, OutwardName } from './delivery.ts';

export interface DeadLetter {
  /** Telling and endpoint. */
  readonly name: string;
  readonly person: PersonKey;
  readonly channel: OutwardName;
  readonly endpoint: string;
  readonly state: 'failed' | 'unknown';
  readonly provider: string | null;
  readonly code: string | null;
  readonly attempts: number;
  /** Of the delivery, as it died. */
  readonly version: Delivery['version'];
  readonly diedAtMs: number;
}

/** All that is given must hold. */
export interface DeadLetterFilter {
  readonly channel?: OutwardName;
  readonly provider?: string;
  readonly code?: string;
  readonly user?: string;
  readonly state?: DeadLetter['state'];
}

export interface DeadLetterStore {
  put(letters: readonly DeadLetter[]): Promise<void>;
  /** Those behind `after` (null: from the first), the first `max`. */
  page(tenant: TenantId, filter: DeadLetterFilter, after: string | null, max: number): Promise<readonly DeadLetter[]>;
  count(tenant: TenantId, filter: DeadLetterFilter): Promise<number>;
  /** Those that are not there do no harm. */
  remove(letters: readonly Pick<DeadLetter, 'person' | 'name'>[]): Promise<void>;
  /** Removes those that died before then; answers how many, at least one while there are any. */
  expire(beforeMs: number): Promise<number>;
}
