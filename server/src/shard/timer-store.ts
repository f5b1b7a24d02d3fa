/**
 * Port: what is due later, by shard (D6, D7, D10, V3). A timer says when to look again, never what to do: whoever runs it
 * decides from the state it finds, and does nothing where that is settled already.
 *
 * One owner: only the owner of a shard uses its timers, and calls `open` before anything else. Calls for one shard may
 *   come at once; they take effect in the order they were made.
 * Identity: (id, due time). Ids say what the timer is for, never drawn, so that work done again after a crash sets the
 *   same timer. Setting it again replaces it. A timer moves to another time by setting it there and having the old one
 *   done in the same call; the new one is durable first, so that a crash in between leaves two, never none.
 * Order in a shard's work: new timers are written before the rows that need them, finished ones are done after the rows
 *   that they led to. So after a crash there may be a timer too many, and never one too few.
 * Durability: `write` resolves when it would survive the loss of the process (on a cluster: of a machine). It may be
 *   repeated. Embedded engines apply a call as one; a cluster engine sets first, then does the done.
 * A finished timer never comes back: not by `due` again, not after a restart, and on a cluster not by an owner before
 *   this one whose write is late, since of two writes to one timer that with the greater revision wins.
 * Cost: reading what is due does not depend on how many timers there were or will be.
 */
import type { PersonKey, Revision } from '../base/ids.ts';

/**
 * `window`: a notify window ends · `release`: what was held is let go · `digest`: a digest is to be made · `fallback`:
 * email, if still unseen · `snooze`: a row comes back · `retry`: a delivery is tried again.
 */
export const timerKinds = ['window', 'release', 'digest', 'fallback', 'snooze', 'retry'] as const;
export type TimerKind = (typeof timerKinds)[number];

/** In the data of a release or digest, behind the channel: all that it holds is planned anew, due or not. */
export const replanned = 'replanned';

export interface TimerKey {
  /** Printable ASCII, up to 200 characters. Order of the same due time is by id. */
  readonly id: string;
  /** Whole milliseconds since 1970. */
  readonly dueMs: number;
  /** Of the person, when it was set, or known to be done. */
  readonly revision: Revision;
}

export interface Timer extends TimerKey {
  readonly person: PersonKey;
  readonly kind: TimerKind;
  /** What it is about; small. */
  readonly data: string;
}

export interface TimerChange {
  readonly set?: readonly Timer[];
  /** One that is not there does no harm. */
  readonly done?: readonly TimerKey[];
}

export interface TimerStore {
  /** To be called by who becomes the owner of the shard, also when it was before: finds what others have left. */
  open(shard: number): Promise<void>;
  write(shard: number, change: TimerChange): Promise<void>;
  /** What is due and not done, in order of due time, then id: the first `max`. */
  due(shard: number, nowMs: number, max: number): Promise<readonly Timer[]>;
  /** When the first timer not done is due; null if there is none. */
  nextDueMs(shard: number): Promise<number | null>;
  /** All that are not done, due or not, behind `after` (null: from the first), in order: for looking through them. */
  list(shard: number, after: Pick<TimerKey, 'id' | 'dueMs'> | null, max: number): Promise<readonly Timer[]>;
  /** With which rules of zones the shard's timers were set, as noted last; null: never. */
  zones(shard: number): Promise<string | null>;
  noteZones(shard: number, version: string): Promise<void>;
}
