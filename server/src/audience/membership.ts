/**
 * One person's place in one audience, and what a change does to it. Pure.
 *
 * State follows the order of changes, never their arrival (E7): by `seq` where both have one, else by time. At a tie
 * leaving wins, so that any order of arrival ends in the same state. Whoever has left is remembered for a while, so that
 * a follow that comes late finds the unfollow that overtook it.
 */
import type { AudienceKey } from '../base/ids.ts';

export interface Membership {
  readonly present: boolean;
  readonly notify: boolean;
  readonly seq: number | null;
  /** When it became so, by whoever told us. */
  readonly timeMs: number;
  /** When we heard of it: from then on is counted how long a departure is remembered. */
  readonly takenMs: number;
  /** When we heard that it is a member, or is none: what its audience heard before is not for it (F3). */
  readonly sinceMs: number;
}

export interface MembershipChange {
  readonly audience: AudienceKey;
  readonly user: string;
  readonly present: boolean;
  /** Null leaves it as it is; it is false for whoever joins. */
  readonly notify: boolean | null;
  readonly seq: number | null;
  readonly timeMs: number;
  readonly takenMs: number;
  /** Only of a copy: as it was. */
  readonly sinceMs?: number;
}

/** The membership after a change; null where the change has no effect. */
export function changed(before: Membership | undefined, change: MembershipChange): Membership | null {
  const { present, seq, timeMs, takenMs } = change;
  const wasPresent = before?.present ?? false;
  const notify = present && (change.notify ?? (wasPresent && (before?.notify ?? false)));
  const since = before !== undefined && present === wasPresent ? before.sinceMs : takenMs;
  const after = { present, notify, seq, timeMs, takenMs, sinceMs: change.sinceMs ?? since };
  if (before === undefined) return after;
  const order = before.seq !== null && seq !== null ? seq - before.seq : timeMs - before.timeMs;
  if (order < 0 || (order === 0 && !overrules(before, after))) return null;
  return after;
}

/** Of two changes that cannot be told apart by order. */
function overrules(before: Membership, after: Membership): boolean {
  if (before.present !== after.present) return before.present;
  return before.notify !== after.notify;
}

/** `<present><notify> <time> <taken> <seq> <since>`, without the last where it is `taken`: there are very many. */
export function encodeMembership({ present, notify, seq, timeMs, takenMs, sinceMs }: Membership): string {
  const since = sinceMs === takenMs ? '' : ` ${sinceMs}`;
  return `${present ? 1 : 0}${notify ? 1 : 0} ${timeMs} ${takenMs} ${seq ?? ''}${since}`;
}

export function decodeMembership(text: string): Membership {
  const [flags = '', time = '', taken = '', seq = '', since = taken] = text.split(' ');
  return {
    present: flags[0] === '1',
    notify: flags[1] === '1',
    seq: seq === '' ? null : Number(seq),
    timeMs: Number(time),
    takenMs: Number(taken),
    sinceMs: Number(since),
  };
}
