/**
 * What becomes of one event on each channel, and why (D1, D10): send, hold until a time, or skip.
 *
 * In-app is never held. It is skipped where the source is dropped or the person has switched it off; what is filtered
 * is kept in a view of its own.
 *
 * Push and email go through these steps in this order; the first that says anything decides. What will not go at all
 * comes first, then what has nothing to do with the hour, then what only waits:
 *
 *    1. source       dropped or filtered, by mute or relation                  skip
 *    2. preference   switched off (`resolve-preference.ts`)                    skip
 *    3. endpoint     no device or address; suppressed                          skip
 *    4. expiry       older than the type is worth telling                      skip
 *    5. critical     whatever else was chosen                                  send
 *    6. email mode   a type that uses no email, or only digests without one    skip
 *    7. window       a notify window gathers it                                hold
 *    8. presence     push: the person is looking, and the type does not insist skip
 *    9. digest       email: the person has one, which takes the place of mails hold
 *   10. fallback     email: only if it stays unseen for a while                hold
 *   11. pause        the person has paused everything                          hold
 *   12. quiet hours                                                            hold
 *   13. cap          so many of this category lately                           hold
 *   14. otherwise                                                              send
 *
 * Each step that holds is asked again when its time has come, with the facts of then: what a window held may meet quiet
 * hours, what those held may have been seen.
 */
import type { PreferenceChoices } from '@carillon/contract/preferences.ts';
import { type Channel, type ChannelDecision, channels, type Reason } from '@carillon/contract/reasons.ts';
import { isoTime } from '../base/iso-time.ts';
import type { ChannelPolicy } from './channel-policy.ts';
import type { Verdict } from './judge-source.ts';
import { preferenceReason, type ResolvedPreference, resolvePreference } from './resolve-preference.ts';

/** `criticalOnly`: who complained still hears what is critical. */
export type EndpointState = 'ready' | 'none' | 'suppressed' | 'criticalOnly';

export interface ChannelFacts {
  readonly type: ChannelPolicy;
  /** The row tells of this type too: each channel is on where it is on for one of the two (BC-04). */
  readonly also: ChannelPolicy | null;
  readonly choices: PreferenceChoices;
  /** The person asked to be pushed for this author's posts (F3): stands for a default, never against a choice. */
  readonly askedForPush: boolean;
  readonly verdict: Verdict;
  readonly push: ChannelState;
  readonly email: ChannelState;
  /** Looking at the app: connected, and visible until a few seconds ago. */
  readonly isPresent: boolean;
  /** When the quiet hours end that it is in now; null: it is not in any. */
  readonly quietUntilMs: number | null;
  /** When the person's next digest is made; null: there is none. */
  readonly digestAtMs: number | null;
  readonly eventTimeMs: number;
  readonly nowMs: number;
  /** What asks: an event or something held, the end of a fallback's wait, or a digest being made. */
  readonly moment: 'now' | 'fallback' | 'digest';
}

export interface ChannelState {
  readonly endpoint: EndpointState;
  /** When the row's notify window ends; null where none is open, or at its end. */
  readonly windowEndsAtMs: number | null;
  /** When the cap has room again; null: it has. */
  readonly cappedUntilMs: number | null;
}

export interface ChannelPlan {
  readonly channel: Channel;
  readonly kind: ChannelDecision['kind'];
  readonly reason: Reason;
  /** For `hold`: when to ask again. */
  readonly untilMs: number | null;
}

/** One for each channel, in their order. */
export function decideChannels(facts: ChannelFacts): readonly ChannelPlan[] {
  return channels.map((channel) => decideChannel(channel, facts));
}

export function decideChannel(channel: Channel, facts: ChannelFacts): ChannelPlan {
  if (channel === 'inApp') return decideInApp(facts);
  const preference = preferenceFor(channel, facts);
  const asked: Asked = { facts, channel, state: facts[channel], preference };
  for (const step of steps) {
    const answer = step(asked);
    if (answer !== null) return planOf(channel, answer);
  }
  return planOf(channel, send(preferenceReason(preference)));
}

/** As stored with the notification and answered to "why?". */
export function toChannelDecision({ channel, kind, reason, untilMs }: ChannelPlan): ChannelDecision {
  return untilMs === null ? { channel, kind, reason } : { channel, kind, reason, until: isoTime(untilMs) };
}

function decideInApp({ verdict, choices, type }: ChannelFacts): ChannelPlan {
  const channel = 'inApp';
  if (verdict.kind === 'drop') return planOf(channel, skip(verdict.reason));
  const preference = resolvePreference(choices, type, channel);
  if (!preference.isOn) return planOf(channel, skip(preferenceReason(preference)));
  return planOf(channel, send(verdict.kind === 'filter' ? verdict.reason : preferenceReason(preference)));
}

function preferenceFor(channel: 'push' | 'email', facts: ChannelFacts): ResolvedPreference {
  const { choices, type, also, askedForPush } = facts;
  const preference = resolvePreference(choices, type, channel);
  if (!preference.isOn && also !== null) {
    const other = resolvePreference(choices, also, channel);
    if (other.isOn) return other;
  }
  if (channel !== 'push' || !askedForPush || preference.origin !== 'default') return preference;
  return { isOn: true, origin: 'type' };
}

interface Asked {
  readonly facts: ChannelFacts;
  readonly channel: 'push' | 'email';
  readonly state: ChannelState;
  readonly preference: ResolvedPreference;
}

type Answer = Omit<ChannelPlan, 'channel'>;
type Step = (asked: Asked) => Answer | null;

function planOf(channel: Channel, { kind, reason, untilMs }: Answer): ChannelPlan {
  return { channel, kind, reason, untilMs };
}

const send = (reason: Reason): Answer => ({ kind: 'send', reason, untilMs: null });
const skip = (reason: Reason): Answer => ({ kind: 'skip', reason, untilMs: null });
const hold = (reason: Reason, untilMs: number): Answer => ({ kind: 'hold', reason, untilMs });

const bySource: Step = ({ facts: { verdict } }) => (verdict.kind === 'accept' ? null : skip(verdict.reason));

const byPreference: Step = ({ preference }) => (preference.isOn ? null : skip(preferenceReason(preference)));

const byEndpoint: Step = ({ state: { endpoint }, facts: { type } }) => {
  if (endpoint === 'none') return skip('noEndpoint');
  return endpoint === 'suppressed' || (endpoint === 'criticalOnly' && !type.critical) ? skip('suppressed') : null;
};

/** A digest tells of days. */
const byExpiry: Step = ({ facts: { type, eventTimeMs, nowMs, moment } }) =>
  moment !== 'digest' && nowMs >= eventTimeMs + type.ttlMs ? skip('expired') : null;

const byCriticality: Step = ({ facts: { type } }) => (type.critical ? send('critical') : null);

const byEmailMode: Step = ({ channel, facts: { type, digestAtMs, moment } }) => {
  if (channel !== 'email') return null;
  const isWithoutDigest = digestAtMs === null && moment !== 'digest';
  return type.emailMode === 'off' || (type.emailMode === 'digest' && isWithoutDigest) ? skip('default') : null;
};

const byWindow: Step = ({ state: { windowEndsAtMs } }) =>
  windowEndsAtMs === null ? null : hold('window', windowEndsAtMs);

const byPresence: Step = ({ channel, facts: { type, isPresent } }) =>
  channel === 'push' && isPresent && !type.pushAlways ? skip('present') : null;

const byDigest: Step = ({ channel, facts: { digestAtMs, moment } }) =>
  channel === 'email' && digestAtMs !== null && moment !== 'digest' ? hold('digest', digestAtMs) : null;

const byFallback: Step = ({ channel, facts: { type, nowMs, moment } }) =>
  channel === 'email' && type.emailMode === 'fallback' && moment === 'now'
    ? hold('unseen', nowMs + type.emailAfterMs)
    : null;

const byPause: Step = ({ facts: { choices, nowMs } }) => {
  if (choices.pausedUntil === undefined || choices.pausedUntil === null) return null;
  const untilMs = Date.parse(choices.pausedUntil);
  return untilMs > nowMs ? hold('paused', untilMs) : null;
};

/** The hour of a digest was chosen by the person. */
const byQuietHours: Step = ({ facts: { quietUntilMs, moment } }) =>
  quietUntilMs === null || moment === 'digest' ? null : hold('quietHours', quietUntilMs);

const byCap: Step = ({ state: { cappedUntilMs }, facts: { moment } }) =>
  cappedUntilMs === null || moment === 'digest' ? null : hold('cap', cappedUntilMs);

const steps: readonly Step[] = [
  bySource,
  byPreference,
  byEndpoint,
  byExpiry,
  byCriticality,
  byEmailMode,
  byWindow,
  byPresence,
  byDigest,
  byFallback,
  byPause,
  byQuietHours,
  byCap,
];
