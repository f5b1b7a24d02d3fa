/**
 * Caps (D9): of one category, a person is sent so many on a channel within any hour and any day. What exceeds is held and
 * collapses into one summary, sent as soon as there is room again; nothing is dropped. What is direct or critical is
 * not capped.
 *
 *   room ──noteSent──▶ room or full ──noteHeld──▶ waiting ──takeSummary──▶ room or full
 *
 * While a summary waits, whatever comes joins it, also once there is room: so it is never put off by fresh items, and it
 * goes at the time that the first of its items was told. An hour is (now − 1 h, now].
 *
 * Plain data, kept with the person's state: at most as many times as the day's cap.
 */
import { limits } from '../base/limits.ts';
import type { ChannelPolicy } from './channel-policy.ts';

export interface Cap {
  readonly hourMax: number;
  readonly dayMax: number;
}

export interface CapState {
  /** When something was sent, within the last day: ascending. */
  readonly sentAtMs: readonly number[];
  /** Items that wait for the summary. */
  readonly waiting: number;
}

export const nothingSent: CapState = { sentAtMs: [], waiting: 0 };

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** The cap that a type has on a channel; null for what is not capped. */
export function capFor({ lane, critical }: Pick<ChannelPolicy, 'lane' | 'critical'>, channel: 'push' | 'email') {
  return critical || lane === 'direct' ? null : limits.categoryCaps[channel];
}

/** Names the state of one person that an item counts in. */
export function capKey({ category }: Pick<ChannelPolicy, 'category'>, channel: 'push' | 'email'): string {
  return `${channel} ${category}`;
}

/** Null if one may be sent now; else when the summary is due that takes it in. */
export function cappedUntilMs(state: CapState, cap: Cap, nowMs: number): number | null {
  const roomMs = roomAtMs(state, cap, nowMs);
  return state.waiting === 0 && roomMs <= nowMs ? null : roomMs;
}

export function noteSent({ sentAtMs, waiting }: CapState, nowMs: number): CapState {
  const last = sentAtMs.at(-1) ?? nowMs;
  // A clock that steps back does not make room.
  const atMs = Math.max(last, nowMs);
  return { sentAtMs: [...sentAtMs.filter((each) => each > atMs - dayMs), atMs], waiting };
}

export function noteHeld({ sentAtMs, waiting }: CapState): CapState {
  return { sentAtMs, waiting: waiting + 1 };
}

export type SummaryStep =
  /** Send one summary; it counts as sent. */
  | { readonly kind: 'send'; readonly covers: number; readonly state: CapState }
  /** Not yet. */
  | { readonly kind: 'wait'; readonly untilMs: number; readonly state: CapState }
  /** Nothing waits: it has been sent before. */
  | { readonly kind: 'none'; readonly state: CapState };

/** The time of a summary has come. */
export function takeSummary(state: CapState, cap: Cap, nowMs: number): SummaryStep {
  if (state.waiting === 0) return { kind: 'none', state };
  const untilMs = roomAtMs(state, cap, nowMs);
  if (untilMs > nowMs) return { kind: 'wait', untilMs, state };
  return { kind: 'send', covers: state.waiting, state: noteSent({ ...state, waiting: 0 }, nowMs) };
}

/** Nothing of it can matter from now on: it need not be kept. */
export function isSpent({ sentAtMs, waiting }: CapState, nowMs: number): boolean {
  return waiting === 0 && (sentAtMs.at(-1) ?? Number.NEGATIVE_INFINITY) <= nowMs - dayMs;
}

/** The first time, from now on, at which one more does not exceed the cap. */
function roomAtMs({ sentAtMs }: CapState, { hourMax, dayMax }: Cap, nowMs: number): number {
  return Math.max(nowMs, freeAt(sentAtMs, hourMax, hourMs), freeAt(sentAtMs, dayMax, dayMs));
}

function freeAt(sentAtMs: readonly number[], max: number, spanMs: number): number {
  const oldest = sentAtMs.at(-max);
  return oldest === undefined ? Number.NEGATIVE_INFINITY : oldest + spanMs;
}
