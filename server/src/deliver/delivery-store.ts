/**
 * Port: what became of everything that was to leave by push or email (V1).
 *
 * Names: a job lies under each thing it tells of, so that a telling finds the job that took it, whatever it came together
 *   with. Nobody else's jobs are found: a telling's notification belongs to one person.
 * Writes: of a job by the owner of its shard. `write` resolves when all of it would survive the loss of the process; with a
 *   delivery in it that is `dispatched`, also of the machine, since then a provider may be called. Positions are never
 *   ahead of jobs. Writing the same again changes nothing. Of two writes to a delivery that counts whose `version` is
 *   greater, or which knows more (`stateRank`), so that an outdated owner's late write sends nothing again.
 * Reads see whole jobs, and everything that was written before they began.
 * Retention: jobs are kept `limits.deliveriesKeptMs`, from the time in their first notification's id, and go by
 *   themselves or with `expire`. What goes must be too old to be told again.
 */
import type { NotificationId, PersonKey } from '../base/ids.ts';
import type { Position } from '../log/event-log.ts';
import type { Job, OutwardName, TellingKey } from './delivery.ts';

export interface DeliveryWrite {
  readonly channel: OutwardName;
  readonly shard: number;
  /** Each of this channel, and whole. */
  readonly jobs: readonly Job[];
  /** By lane; null: as before. */
  readonly positions: readonly Position[] | null;
}

export interface DeliveryStore {
  /** Where the channel's worker at this shard reads on, by lane; null before the first write. */
  positions(channel: OutwardName, shard: number): Promise<readonly Position[] | null>;
  write(write: DeliveryWrite): Promise<void>;
  /** In the order asked: the job that took each telling, null where none did. */
  find(tellings: readonly TellingKey[]): Promise<readonly (Job | null)[]>;
  /** Of both channels, in the order of channel and number: all that told of a row. */
  ofNotification(person: PersonKey, notification: NotificationId): Promise<readonly Job[]>;
  /** The job a provider means by its own name for it; null if none is known. */
  byProviderId(provider: string, providerId: string): Promise<Job | null>;
  /** Removes some that are older than this. Answers how many; 0: there is nothing left to remove. */
  expire(beforeMs: number): Promise<number>;
}

/** What operators and people ask of it. */
export type DeliveryHistory = Pick<DeliveryStore, 'ofNotification' | 'byProviderId'>;
