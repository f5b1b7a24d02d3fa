/** What happens to a shard, told to whoever publishes and counts. */
import type { Lane } from '@carillon/contract/lanes.ts';
import type { PersonKey } from '../base/ids.ts';
import type { Decision } from '../decide/decision.ts';
import type { EventFacts } from '../decide/event-facts.ts';
import type { Position } from '../log/event-log.ts';
import type { Person } from './person.ts';
import type { Timer } from './timer-store.ts';

/** All calls but `written` are synchronous and must not throw. */
export interface ShardListener {
  /** A micro-batch is written, and nothing of it told yet: the moment to find out who watches, where that takes a while. */
  written?(people: readonly Person[]): Promise<void>;
  /** Whether this person's changes will be published, with counts. */
  isWatched(person: PersonKey): boolean;
  /** A micro-batch is written: these people have changed rows (`changedItems`). `tookMs`: from its records to here. */
  changed(people: readonly Person[], tookMs: number): void;
  /** One event was decided for one recipient; it counts once its micro-batch is written. Keep no reference to `event`. */
  decided(event: EventFacts, user: string, decision: Decision): void;
  /** A record could not be used, at least not for everyone; it stays in the log (N3a). */
  unusable(record: UnusableRecord): void;
  /** A write failed and will be tried again. */
  writeFailed(error: unknown): void;
  /** A channel took nothing, and is asked again. */
  channelFailed(channel: 'push' | 'email', error: unknown): void;
  /** What a timer was set for could not be done; it is passed over. */
  timerFailed(timer: Timer, error: unknown): void;
}

/** `unknownType`: not in the catalogue · `unreadable`: its bytes make no sense · `failed`: deciding on it threw. */
export type UnusableReason = 'unknownType' | 'unreadable' | 'failed';

/** Where a record lies that was passed over: reading its lane on from `position`, it begins `offset` bytes in. */
export interface UnusableRecord {
  readonly shard: number;
  readonly lane: Lane;
  readonly position: Position;
  readonly offset: number;
  readonly bytes: Uint8Array;
  readonly reason: UnusableReason;
}
