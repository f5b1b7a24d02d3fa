/**
 * Caps (D9): of one category, a person is sent so many on a channel within any hour and any day. What exceeds is held and
 * collapses into one summary, sent as soon as there is room again; nothing is dropped. What is direct or critical is
 * not capped.
 *
 *   room ──noteSent──▶ room or full ──noteHeld──▶ waiting ──letGo──▶ full or room
 *
 * While a summary waits, whatever comes joins it, also once there is room: so it is never put off by fresh items, and it
 * goes at the time that the first of its items was told. What it holds is said by the rows themselves. An hour is
 * (now − 1 h, now].
 *
 * What was sent is named by its telling: one that is decided again after a crash neither counts twice nor is held for
 * having been counted. Plain data, kept with the person (`person-notes.ts`): at most as many as the day's cap.
 */
import { limits } from '../base/limits.ts';
import type { ChannelPolicy } from './channel-policy.ts';

type Channel = 'push' | 'email';

export interface Cap {
  readonly hourMax: number;
  readonly dayMax: number;
}

/** Categories may have caps of their own. Plain data: it crosses threads. */
export interface CapRules extends Readonly<Record<Channel, Cap>> {
  readonly categories: Readonly<Record<string, Partial<Readonly<Record<Channel, Cap>>>>>;
}

export const usualCaps: CapRules = { ...limits.categoryCaps, categories: {} };

export interface Sent {
  readonly atMs: number;
  readonly telling: string;
}

export interface CapState {
  /** Within the last day: ascending. */
  readonly sent: readonly Sent[];
  /** When the summary is due of what is held; null: nothing is. */
  readonly summaryAtMs: number | null;
}

export const nothingSent: CapState = { sent: [], summaryAtMs: null };

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

type CappedType = Pick<ChannelPolicy, 'category' | 'lane' | 'critical'>;

/** The cap that a type has on a channel; null for what is not capped. */
export function capFor(rules: CapRules, { category, lane, critical }: CappedType, channel: Channel): Cap | null {
  if (critical || lane === 'direct') return null;
  return rules.categories[category]?.[channel] ?? rules[channel];
}

/** Names the state of one person that an item counts in. */
export function capKey({ category }: Pick<ChannelPolicy, 'category'>, channel: Channel): string {
  return `${channel} ${category}`;
}

/** Null if this may be sent now; else when the summary is due that takes it in. `telling`: null where it has no name yet. */
export function cappedUntilMs(state: CapState, cap: Cap, telling: string | null, nowMs: number): number | null {
  if (telling !== null && isCounted(state, telling)) return null;
  if (state.summaryAtMs !== null) return Math.max(nowMs, state.summaryAtMs);
  const roomMs = roomAtMs(state, cap, nowMs);
  return roomMs <= nowMs ? null : roomMs;
}

/** How many more may be sent now. */
export function roomFor({ sent }: CapState, { hourMax, dayMax }: Cap, nowMs: number): number {
  const within = (spanMs: number): number => sent.filter(({ atMs }) => atMs > nowMs - spanMs).length;
  return Math.max(0, Math.min(hourMax - within(hourMs), dayMax - within(dayMs)));
}

export function noteSent(state: CapState, telling: string, nowMs: number): CapState {
  if (isCounted(state, telling)) return state;
  // A clock that steps back does not make room.
  const atMs = Math.max(state.sent.at(-1)?.atMs ?? nowMs, nowMs);
  return { ...state, sent: [...state.sent.filter((each) => each.atMs > atMs - dayMs), { atMs, telling }] };
}

/** Something is held until then. */
export function noteHeld(state: CapState, untilMs: number): CapState {
  return state.summaryAtMs === null ? { ...state, summaryAtMs: untilMs } : state;
}

/** What is held is let go: what of it cannot be sent after all is held anew. */
export function letGo(state: CapState, nowMs: number): CapState {
  return state.summaryAtMs !== null && state.summaryAtMs <= nowMs ? { ...state, summaryAtMs: null } : state;
}

/** Nothing of it can matter from now on: it need not be kept. */
export function isSpent({ sent, summaryAtMs }: CapState, nowMs: number): boolean {
  return summaryAtMs === null && (sent.at(-1)?.atMs ?? Number.NEGATIVE_INFINITY) <= nowMs - dayMs;
}

function isCounted({ sent }: CapState, telling: string): boolean {
  return sent.some((each) => each.telling === telling);
}

/** The first time, from now on, at which one more does not exceed the cap. */
function roomAtMs({ sent }: CapState, { hourMax, dayMax }: Cap, nowMs: number): number {
  return Math.max(nowMs, freeAt(sent, hourMax, hourMs), freeAt(sent, dayMax, dayMs));
}

function freeAt(sent: readonly Sent[], max: number, spanMs: number): number {
  const oldest = sent.at(-max);
  return oldest === undefined ? Number.NEGATIVE_INFINITY : oldest.atMs + spanMs;
}
