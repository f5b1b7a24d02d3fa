/**
 * Whether a soak went as it had to: what the providers saw, what the service has on record, what it holds for dead and which
 * devices it still knows are compared with the plan. Pure. Answers faults in words, none if all is well.
 *
 * A lost answer is explained where the provider gave none, or where the service was killed, or the provider away, between
 * the call and the time the answer took.
 */
import type { Event } from '@carillon/contract/event.ts';
import type { SeenSend } from './seen-send.ts';
import type { Outage } from './service-under-kill.ts';
import { channelsOf, type EndpointKind, mustBeGone, type PlannedEndpoint, userOf } from './soak-plan.ts';

/** A delivery as the service has it on record. */
export interface FoundDelivery {
  readonly channel: 'push' | 'email';
  readonly event: string;
  readonly user: string;
  /** A device's token, or an address; empty where there was none to pick. */
  readonly endpoint: string;
  readonly state: string;
  readonly code: string | null;
  /** Names it to providers; null for mails, whose names are made from it. */
  readonly id: string | null;
  readonly providerId: string | null;
  readonly attempts: readonly { readonly atMs: number; readonly outcome: string }[];
}

export interface FoundDevice {
  readonly user: string;
  readonly token: string;
}

export interface Judged {
  readonly endpoints: readonly PlannedEndpoint[];
  /** Acknowledged, all of them. */
  readonly events: readonly Event[];
  readonly seen: readonly SeenSend[];
  readonly deliveries: readonly FoundDelivery[];
  /** Of `deliveries`, those that the service lists as dead letters, by `keyOf`. */
  readonly deadLetters: readonly string[];
  readonly devices: readonly FoundDevice[];
  readonly outages: readonly Outage[];
}

export interface Verdict {
  readonly faults: readonly string[];
  /** How many deliveries ended how, by channel and state. */
  readonly ends: ReadonlyMap<string, number>;
  /** Lost answers: because the provider gave none, and because of an outage. */
  readonly dropped: number;
  readonly interrupted: number;
}

export function keyOf({
  channel,
  event,
  endpoint,
}: {
  channel: string;
  event: string | null;
  endpoint: string;
}): string {
  return `${channel} ${event} ${endpoint}`;
}

export function judge(judged: Judged): Verdict {
  const soak = new Soak(judged);
  const faults = [
    ...soak.doubled(),
    ...soak.planned(),
    ...[...soak.deliveries.values()].flatMap((delivery) => soak.checkDelivery(delivery)),
    ...soak.checkSends(),
    ...soak.checkDeadLetters(),
    ...soak.checkDevices(),
  ];
  const ends = new Map<string, number>();
  for (const { channel, state } of judged.deliveries) {
    ends.set(`${channel} ${state}`, (ends.get(`${channel} ${state}`) ?? 0) + 1);
  }
  return { faults, ends, dropped: soak.dropped, interrupted: soak.interrupted };
}

const finalStates = new Set(['accepted', 'failed', 'suppressed', 'expired', 'unknown']);

/** What a delivery may end as, by what its endpoint is like; `unknown` where it is explained. */
const mayEndAs: Readonly<Record<EndpointKind, readonly string[]>> = {
  live: ['accepted'],
  dead: ['failed', 'suppressed'],
  doubted: ['failed', 'suppressed'],
  returning: ['accepted', 'failed', 'suppressed'],
  oldProof: ['accepted', 'failed'],
  failing: ['failed'],
  refusing: ['failed'],
};

/** To be looked at by somebody: that nobody is at an endpoint any more is no fault to mend. */
function isDead({ state, attempts }: FoundDelivery): boolean {
  return state === 'unknown' || (state === 'failed' && attempts.at(-1)?.outcome !== 'gone');
}

/** An answer is on record so long after it was given, at the latest. */
const recordedWithinMs = 2000;

class Soak {
  readonly deliveries = new Map<string, FoundDelivery>();
  readonly #judged: Judged;
  readonly #endpoints: Map<string, PlannedEndpoint>;
  readonly #sends: Map<string, SeenSend[]>;
  /** Told by the provider that nobody is there. */
  readonly #gone: Set<string>;
  dropped = 0;
  interrupted = 0;

  constructor(judged: Judged) {
    this.#judged = judged;
    for (const delivery of judged.deliveries) this.deliveries.set(keyOf(delivery), delivery);
    this.#endpoints = new Map(judged.endpoints.map((endpoint) => [endpoint.name, endpoint]));
    this.#sends = Map.groupBy(judged.seen, keyOf);
    const gone = judged.seen.filter(({ did }) => did === 'gone' || did === 'doubt');
    this.#gone = new Set(gone.map(({ endpoint }) => endpoint));
  }

  doubled(): string[] {
    const { deliveries } = this.#judged;
    const surplus = deliveries.length - this.deliveries.size;
    return surplus === 0 ? [] : [`${surplus} deliveries are on record more than once`];
  }

  /** Every event has its deliveries, and there are no others. */
  planned(): string[] {
    const faults: string[] = [];
    const expected = new Set<string>();
    const byUser = Map.groupBy(this.#judged.endpoints, ({ user }) => user);
    for (const event of this.#judged.events) {
      for (const { channel, name, kind } of byUser.get(userOf(event)) ?? []) {
        if (!channelsOf(event).includes(channel)) continue;
        const key = keyOf({ channel, event: event.id, endpoint: name });
        expected.add(key);
        const mayLack = this.#gone.has(name) && mayEndAs[kind].includes('suppressed');
        if (!this.deliveries.has(key) && !mayLack) faults.push(`${key}: lost`);
      }
    }
    for (const [key, { endpoint }] of this.deliveries) {
      if (endpoint !== '' && !expected.has(key)) faults.push(`${key}: nobody asked for it`);
    }
    return faults;
  }

  checkDelivery(delivery: FoundDelivery): string[] {
    const { state, code, endpoint } = delivery;
    const key = keyOf(delivery);
    if (!finalStates.has(state)) return [`${key}: still ${state}`];
    if (endpoint === '') return this.#checkNobody(key, delivery);
    const kind = this.#endpoints.get(endpoint)?.kind;
    if (kind === undefined) return [];
    const sends = this.#sends.get(key) ?? [];
    if (state === 'unknown') return this.#checkUnknown(key, sends, delivery);
    if (!mayEndAs[kind].includes(state)) return [`${key}: ${state} (${code}) at a ${kind} endpoint`];
    return [...this.#checkState(key, sends, delivery), ...this.#checkAttempts(key, sends, delivery)];
  }

  /** A delivery to nobody: all that the person had must have been gone. */
  #checkNobody(key: string, { user, channel, state, code }: FoundDelivery): string[] {
    const own = this.#judged.endpoints.filter((each) => each.user === user && each.channel === channel);
    const isRight = own.every(({ name }) => this.#gone.has(name)) && state === 'suppressed';
    return isRight ? [] : [`${key}: ${state} (${code}) though ${user} could be reached`];
  }

  /** The state on record is what the provider's last word means. */
  #checkState(key: string, sends: readonly SeenSend[], { state, code, providerId }: FoundDelivery): string[] {
    const last = sends.at(-1);
    if (state === 'accepted') {
      const taken = sends.find(({ did }) => did === 'take');
      if (taken === undefined) return [`${key}: accepted, yet never taken`];
      if (!taken.isAnswered) return [`${key}: accepted without an answer`];
      return providerId === taken.givenId ? [] : [`${key}: on record as ${providerId}, taken as ${taken.givenId}`];
    }
    if (sends.some(({ did }) => did === 'take')) return [`${key}: taken, yet ${state} (${code})`];
    if (state === 'suppressed') return sends.some(({ did }) => did === 'gone') ? [`${key}: gone, yet suppressed`] : [];
    const isMeant = last?.did === 'retry' || last?.did === 'gone' || last?.did === 'doubt' || last?.did === 'refuse';
    // An address is known to be dead before the mail comes, so that its event is not seen.
    const isDeadAddress = last === undefined && code?.startsWith('550') === true;
    return isMeant || isDeadAddress ? [] : [`${key}: ${state} (${code}), though last told ${last?.did ?? 'nothing'}`];
  }

  #checkUnknown(key: string, sends: readonly SeenSend[], { attempts, code }: FoundDelivery): string[] {
    const taken = sends.find(({ did }) => did === 'take');
    if (taken?.isAnswered === false) {
      this.dropped++;
      return [];
    }
    const last = sends.at(-1);
    const atMs = last?.atMs ?? attempts.at(-1)?.atMs;
    const endedAtMs = last?.endedAtMs ?? atMs;
    // What a kill interrupted may have left no trace at all.
    const isExplained =
      code === 'crashed' && atMs === undefined ? true : this.#isInterrupted(atMs ?? 0, endedAtMs ?? 0);
    if (!isExplained) return [`${key}: unknown (${code}), though it was told ${last?.did ?? 'nothing'}`];
    this.interrupted++;
    return [];
  }

  #isInterrupted(atMs: number, endedAtMs: number): boolean {
    return this.#judged.outages.some(
      ({ fromMs, untilMs }) => atMs <= untilMs && endedAtMs >= fromMs - recordedWithinMs,
    );
  }

  /** No attempt is made that is not on record. */
  #checkAttempts(key: string, sends: readonly SeenSend[], { attempts }: FoundDelivery): string[] {
    if (sends.length <= attempts.length || attempts.length >= 16) return [];
    return [`${key}: ${attempts.length} attempts on record, ${sends.length} made`];
  }

  /** What was taken is never sent again; one delivery has one id; who asked for time was given it. */
  checkSends(): string[] {
    const faults: string[] = [];
    for (const [key, sends] of this.#sends) {
      const [first] = sends;
      if (first === undefined || first.event === null) continue;
      if (!this.deliveries.has(key)) faults.push(`${key}: sent, yet not on record`);
      const takenAt = sends.findIndex(({ did }) => did === 'take');
      if (takenAt !== -1 && takenAt < sends.length - 1) faults.push(`${key}: taken, and sent again`);
      const ids = new Set(sends.map(({ id }) => id));
      if (ids.size > 1) faults.push(`${key}: sent under several ids`);
      const own = this.deliveries.get(key)?.id ?? null;
      if (own !== null && !ids.has(own)) faults.push(`${key}: sent as ${first.id}, on record as ${own}`);
      for (const [at, { afterMs, endedAtMs }] of sends.entries()) {
        const next = sends[at + 1];
        const isEarly = afterMs !== null && next !== undefined && next.atMs < endedAtMs + afterMs - clockSpareMs;
        if (isEarly) faults.push(`${key}: sent again ${next.atMs - endedAtMs} ms after, told to wait ${afterMs} ms`);
      }
    }
    return faults;
  }

  /** Dead letters are what failed or is not known, each once. */
  checkDeadLetters(): string[] {
    const { deadLetters } = this.#judged;
    const faults: string[] = [];
    const listed = new Set(deadLetters);
    if (listed.size < deadLetters.length) faults.push('dead letters are listed more than once');
    for (const [key, delivery] of this.deliveries) {
      const isListed = listed.delete(key);
      const { state } = delivery;
      if (isListed !== isDead(delivery)) faults.push(`${key}: ${state}, and ${isListed ? 'a' : 'no'} dead letter`);
    }
    for (const key of listed) faults.push(`${key}: a dead letter of nothing`);
    return faults;
  }

  /** No live device is forgotten, every dead one is, and each belongs to who registered it. */
  checkDevices(): string[] {
    const faults: string[] = [];
    const known = new Map(this.#judged.devices.map(({ token, user }) => [token, user]));
    for (const { channel, name, user, kind } of this.#judged.endpoints) {
      if (channel !== 'push') continue;
      const owner = known.get(name);
      known.delete(name);
      if (mustBeGone(kind)) {
        if (owner !== undefined) faults.push(`${name}: a ${kind} device is still known`);
      } else if (owner !== user) faults.push(`${name}: a ${kind} device of ${user} is ${owner ?? 'nobody'}'s`);
    }
    for (const token of known.keys()) faults.push(`${token}: nobody registered this device`);
    return faults;
  }
}

/** Two processes read the clock. */
const clockSpareMs = 20;
