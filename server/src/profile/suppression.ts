/**
 * What is held against an email address (V22), as a pure function: every store applies the same one, as one step.
 *
 *   hard, manual   no mail at all
 *   soft           no mail at all, after soft bounces on so many days
 *   complaint      only what is critical
 *
 * What weighs more stays. Feedback may come late, repeated and in any order: it counts by its own time, soft bounces once
 * a day, and nothing that is older than the last clearing counts at all. So a webhook that is called again changes nothing.
 */
import { type SuppressionReasonName, suppressionReasonNames } from '@carillon/contract/suppressions.ts';
import { dayMs } from '../base/iso-time.ts';
import { limits } from '../base/limits.ts';
import { normalAddress } from '../base/mailbox.ts';

export type SuppressionReason = SuppressionReasonName;

export interface Suppression {
  /** As `normalAddress` writes it. */
  readonly address: string;
  /** Null: mail is sent; soft bounces are being counted, or it was cleared. */
  readonly reason: SuppressionReason | null;
  /** When the reason came to be. */
  readonly sinceMs: number | null;
  /** Who said so: a provider, `mail` for a bounce that came as mail, `api`; and its code. */
  readonly by: string | null;
  readonly code: string | null;
  /** Days since 1970 with a soft bounce, the oldest first. */
  readonly softDays: readonly number[];
  /** Feedback up to then counts for nothing; 0: never cleared. */
  readonly clearedMs: number;
}

export type SuppressionChange =
  | { readonly kind: SuppressionReason; readonly atMs: number; readonly by: string; readonly code: string | null }
  /** The address was shown to be good. */
  | { readonly kind: 'clear' };

/** Which mail goes to an address. */
export function mailAllowed(suppression: Suppression | null): 'all' | 'critical' | 'none' {
  const reason = suppression?.reason ?? null;
  if (reason === null) return 'all';
  return reason === 'complaint' ? 'critical' : 'none';
}

export interface SuppressionRules {
  /** Days with a soft bounce after which an address is suppressed. */
  readonly softBouncesMax: number;
  readonly nowMs: number;
}

/** The same object: nothing has changed. */
export function changeSuppression(
  current: Suppression | null,
  address: string,
  change: SuppressionChange,
  rules: SuppressionRules,
): Suppression | null {
  const { nowMs } = rules;
  const before = current ?? { ...nothing, address: normalAddress(address) };
  // Of what was cleared the day is kept, and no address.
  if (change.kind === 'clear') return current === null ? null : { ...nothing, address: '', clearedMs: nowMs };
  const atMs = Math.min(change.atMs, nowMs);
  if (atMs <= before.clearedMs) return current;
  const known = { ...before, address: normalAddress(address) };
  if (change.kind === 'soft') return withSoftBounce(current, known, { ...change, atMs }, rules);
  if (weight(change.kind) <= weight(before.reason)) return current;
  return { ...known, reason: change.kind, sinceMs: atMs, by: change.by, code: change.code };
}

const nothing: Omit<Suppression, 'address'> = {
  reason: null,
  sinceMs: null,
  by: null,
  code: null,
  softDays: [],
  clearedMs: 0,
};

function withSoftBounce(
  current: Suppression | null,
  known: Suppression,
  { atMs, by, code }: Exclude<SuppressionChange, { kind: 'clear' }>,
  { softBouncesMax, nowMs }: SuppressionRules,
): Suppression | null {
  const day = Math.floor(atMs / dayMs);
  const oldest = Math.floor((nowMs - limits.softBouncesMs) / dayMs) + 1;
  if (day < oldest || known.softDays.includes(day)) return current;
  const softDays = [...known.softDays.filter((each) => each >= oldest), day].sort((a, b) => a - b);
  const counted = { ...known, softDays };
  if (softDays.length < softBouncesMax || weight('soft') <= weight(known.reason)) return counted;
  return { ...counted, reason: 'soft', sinceMs: atMs, by, code };
}

function weight(reason: SuppressionReason | null): number {
  return reason === null ? -1 : suppressionReasonNames.indexOf(reason);
}
