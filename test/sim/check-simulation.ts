/** What must hold at the end of every run, whatever happened on the way. Each check answers what it finds wrong. */
import type { Notification } from '@carillon/contract/notification.ts';
import { type PersonKey, personKey, splitPersonKey } from '../../server/src/base/ids.ts';
import { mutedActor } from './outside-world.ts';
import { people, type Simulation } from './simulation.ts';
import { expectedPeople, groupOf } from './story.ts';
import type { StreamClient } from './stream-client.ts';

/** What a run leaves. */
export type Outcome = Pick<Simulation, 'listed' | 'clients' | 'inbox' | 'acknowledged'> & {
  readonly outside?: Pick<Simulation['outside'], 'muters'>;
};

export async function checkSimulation(simulation: Outcome): Promise<string[]> {
  const found: string[] = [];
  const shown = new Map<string, Set<string>>();
  for (const [index, person] of people.entries()) {
    const listed = await simulation.listed(person);
    const { user } = splitPersonKey(person);
    for (const item of listed) await addPeople(simulation, { user, item, person }, shown, found);
    found.push(...(await checkCounts(simulation, person, listed)));
    found.push(...checkClient(simulation.clients[index] as StreamClient, listed));
    if (new Set(listed.map(({ id }) => id)).size < listed.length) found.push(`${user}: a row is listed twice`);
  }
  found.push(...compare(expectedPeople(simulation.acknowledged), shown, simulation.outside?.muters));
  return found;
}

/** Nobody is told the same twice. */
export function checkTold({ told }: Pick<Simulation, 'told'>): string[] {
  return [...told].flatMap(([what, times]) => (times > 1 ? [`told ${times} times: ${what}`] : []));
}

/** Nobody lost, nobody invented, nobody in two rows of one meaning. */
async function addPeople(
  simulation: Outcome,
  { user, item, person }: { user: string; item: Notification; person: (typeof people)[number] },
  shown: Map<string, Set<string>>,
  found: string[],
): Promise<void> {
  const actors = new Set<string>();
  for (let cursor: string | null = null; ; ) {
    const page = await simulation.inbox.actors(person, item.id as never, cursor, 2);
    for (const { id } of page.items) actors.add(id);
    cursor = page.nextCursor;
    if (cursor === null) break;
  }
  if (actors.size !== item.actorCount)
    found.push(`${user} ${item.type}: ${item.actorCount} counted, ${actors.size} listed`);
  const key = `${user} ${groupOf({ type: item.type, actor: { id: [...actors][0] ?? '' }, object: objectOf(item) })}`;
  const known = shown.get(key) ?? new Set();
  for (const actor of actors) {
    // Comments of one person may stand in an earlier, read row of the same post and in a later one.
    if (known.has(actor) && item.type !== 'comment.created') found.push(`${key}: ${actor} is in two rows`);
    known.add(actor);
  }
  shown.set(key, known);
}

/** The wire shows a comment row's post as its object. */
function objectOf({ type, object }: Notification): { kind: string; id: string; parent?: { kind: string; id: string } } {
  return type === 'comment.created' ? { ...object, parent: object } : object;
}

async function checkCounts(
  simulation: Outcome,
  person: (typeof people)[number],
  listed: readonly Notification[],
): Promise<string[]> {
  const { unread, unseen } = await simulation.inbox.counts(person);
  const unreadRows = listed.filter(({ state }) => !state.read).length;
  const unseenRows = listed.filter(({ state }) => !state.seen).length;
  if (unread === unreadRows && unseen === unseenRows) return [];
  return [`${person}: counts ${unread}/${unseen}, rows ${unreadRows}/${unseenRows}`];
}

/** A device that stayed, or came back, shows what the inbox holds. */
function checkClient(client: StreamClient, listed: readonly Notification[]): string[] {
  const found = client.faults.map((fault) => `${client.person}: ${fault}`);
  const inList = listed.map(describe).sort();
  const onDevice = [...client.items.values()].map(describe).sort();
  if (inList.join('\n') !== onDevice.join('\n')) {
    found.push(
      `${client.person}: the device shows\n    ${onDevice.join('\n    ')}\n  and the inbox\n    ${inList.join('\n    ')}`,
    );
  }
  const unread = listed.filter(({ state }) => !state.read).length;
  if (client.counts?.unread !== unread)
    found.push(`${client.person}: the device counts ${client.counts?.unread}, not ${unread}`);
  return found;
}

function describe({ id, revision, actorCount, state }: Notification): string {
  return `${id} r${revision} ${actorCount} ${state.read ? 'read' : 'unread'} ${state.seen ? 'seen' : 'unseen'}`;
}

/** `muters`: whose view of the muted actor depends on when they muted. */
function compare(
  expected: Map<string, Set<string>>,
  shown: Map<string, Set<string>>,
  muters: ReadonlySet<PersonKey> = new Set(),
): string[] {
  const found: string[] = [];
  for (const key of new Set([...expected.keys(), ...shown.keys()])) {
    const isMuter = muters.has(personKey('default', key.slice(0, key.indexOf(' '))));
    const text = (people: Iterable<string>): string =>
      [...people]
        .filter((actor) => !isMuter || actor !== mutedActor)
        .sort()
        .join(',');
    const want = text(expected.get(key) ?? []);
    const have = text(shown.get(key) ?? []);
    if (want !== have) found.push(`${key}: expected ${want || 'nobody'}, shown ${have || 'nobody'}`);
  }
  return found;
}
