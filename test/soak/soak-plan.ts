/**
 * What is to happen in a soak, all of it from a seed: who has which devices and addresses, how each of these takes what it
 * is sent, and which events there are. The servers, the judge and the sender read the same plan.
 */
import type { Event } from '@carillon/contract/event.ts';
import type { Random } from '../../server/src/base/random.ts';

/**
 * How an endpoint takes what it is sent, weather aside (`weather.ts`):
 *   live       takes everything
 *   dead       nobody is there, by proof
 *   doubted    nobody is there, by an answer that might be our own mistake (devices)
 *   returning  dead until it is registered again, live from then on (devices)
 *   oldProof   said dead once, as of a time before it was registered; live (devices)
 *   failing    can never take anything just now
 *   refusing   finds fault with everything it is sent
 */
export type EndpointKind = 'live' | 'dead' | 'doubted' | 'returning' | 'oldProof' | 'failing' | 'refusing';

export interface PlannedEndpoint {
  readonly channel: 'push' | 'email';
  readonly provider: 'apns' | 'fcm' | 'smtp';
  /** A device's token, or an address. */
  readonly name: string;
  readonly user: string;
  readonly kind: EndpointKind;
}

export interface SoakSize {
  /** Deliveries planned; as many come as whole events make. */
  readonly pushes: number;
  readonly mails: number;
}

export interface SoakPlan {
  readonly endpoints: readonly PlannedEndpoint[];
  /** In the order in which they are sent. */
  readonly events: readonly Event[];
  /** Sent in peace, when all else is done: one more to each person with an endpoint that must be gone by the end. */
  readonly lastEvents: readonly Event[];
}

/** Told by push and by mail at once, and by push alone. */
export const alertType = 'security.alert';
export const messageType = 'message.sent';

export function channelsOf({ type }: Pick<Event, 'type'>): readonly ('push' | 'email')[] {
  return type === alertType ? ['push', 'email'] : ['push'];
}

export function userOf({ to }: Pick<Event, 'to'>): string {
  return 'user' in to ? to.user : '';
}

/** Finds the event's id again in a push or a mail made of it. */
export function eventIn(text: string): string | null {
  return /\/soak\/(e-\d+)/.exec(text)?.[1] ?? null;
}

export function planSoak(size: SoakSize, random: Random, nowMs: number): SoakPlan {
  const people = Math.max(60, Math.round(Math.max(size.pushes / 20, size.mails / 5)));
  const endpoints = planEndpoints(people, random);
  const byUser = Map.groupBy(endpoints, ({ user }) => user);
  const countOf = (user: string, channel: string): number =>
    byUser.get(user)?.filter((each) => each.channel === channel).length ?? 0;
  const withMail = [...byUser.keys()].filter((user) => countOf(user, 'email') > 0);
  const withPush = [...byUser.keys()].filter((user) => countOf(user, 'push') > 0);
  const wanted: { user: string; type: string }[] = [];
  let pushes = 0;
  for (let turn = 0; turn < size.mails; turn++) {
    const user = withMail[turn % withMail.length] as string;
    wanted.push({ user, type: alertType });
    pushes += countOf(user, 'push');
  }
  for (let turn = 0; pushes < size.pushes; turn++) {
    const user = withPush[turn % withPush.length] as string;
    wanted.push({ user, type: messageType });
    pushes += countOf(user, 'push');
  }
  shuffle(wanted, random);
  const events = wanted.map(({ user, type }, at) => makeEvent(at, user, type, nowMs));
  const mustGo = new Set(endpoints.filter(({ kind }) => mustBeGone(kind)).map(({ user }) => user));
  const lastEvents = [...mustGo].map((user, at) => makeEvent(events.length + at, user, alertType, nowMs));
  return { endpoints, events, lastEvents };
}

/** Whether the service must have forgotten such a device by the end. */
export function mustBeGone(kind: EndpointKind): boolean {
  return kind === 'dead' || kind === 'doubted';
}

/** Of every kind some, even where there are few people. */
const rareDevices: readonly Rare[] = [
  { kind: 'dead', every: 40, at: 3 },
  { kind: 'returning', every: 30, at: 8 },
  // Only Apple says since when.
  { kind: 'oldProof', every: 60, at: 13, provider: 'apns' },
  { kind: 'refusing', every: 200, at: 17 },
  // Apple would have it tried again for an hour and a half.
  { kind: 'failing', every: 200, at: 22, provider: 'fcm' },
  { kind: 'doubted', every: 200, at: 27 },
];
const rareAddresses: readonly Rare[] = [
  { kind: 'dead', every: 25, at: 2 },
  { kind: 'refusing', every: 60, at: 5 },
  { kind: 'failing', every: 60, at: 9 },
];

interface Rare {
  readonly kind: EndpointKind;
  readonly every: number;
  readonly at: number;
  readonly provider?: 'apns' | 'fcm';
}

function planEndpoints(people: number, random: Random): PlannedEndpoint[] {
  const endpoints: PlannedEndpoint[] = [];
  let devices = 0;
  let addresses = 0;
  for (let person = 0; person < people; person++) {
    const user = `u${person}`;
    // One in ten has no device, the others one or two; every other person has an address.
    const own = person % 10 === 0 ? 0 : 1 + (person % 2);
    for (let more = 0; more < own; more++) {
      const { kind, provider = random.below(2) === 0 ? 'apns' : 'fcm' } = rareAt(rareDevices, devices++);
      endpoints.push({ channel: 'push', provider, name: random.hex(32), user, kind });
    }
    if (person % 2 === 0) {
      const { kind } = rareAt(rareAddresses, addresses++);
      endpoints.push({ channel: 'email', provider: 'smtp', name: `${user}@mail.example`, user, kind });
    }
  }
  return endpoints;
}

function rareAt(rare: readonly Rare[], index: number): Pick<Rare, 'kind' | 'provider'> {
  return rare.find(({ every, at }) => index % every === at) ?? { kind: 'live' };
}

function makeEvent(number: number, user: string, type: string, nowMs: number): Event {
  const id = `e-${number}`;
  const common = { id, source: 'trace', type, time: new Date(nowMs).toISOString(), to: { user } };
  const url = `/soak/${id}`;
  if (type === alertType) return { ...common, object: { kind: 'login', id, title: 'New login', url } };
  const actor = { id: `friend-${number % 997}`, name: 'Ana' };
  return { ...common, actor, object: { kind: 'message', id, title: 'Hello', url } };
}

function shuffle<Value>(values: Value[], random: Random): void {
  for (let at = values.length - 1; at > 0; at--) {
    const other = random.below(at + 1);
    [values[at], values[other]] = [values[other] as Value, values[at] as Value];
  }
}
