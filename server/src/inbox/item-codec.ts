/**
 * Items as stored: a format character, then a JSON array of the fields in fixed order.
 *
 * Every release reads all formats before its own (R4): a new one gets a new character and a case in `decodeItem`.
 * Fields are only ever added at the end of an array, where an older reader does not look.
 */
import type { ChannelDecision } from '@carillon/contract/reasons.ts';
import type { FormerPlace, Item, ItemActor, ItemObject } from './item.ts';
import { quoted, quotedOrNull } from './json-text.ts';

const format = '1';

export function encodeItem(item: Item): string {
  return (
    `${format}[${item.state === 'live' ? 1 : 0},${item.activityAtMs},${item.activityRevision},${item.revision},` +
    `${item.createdRevision},${item.createdAtMs},${item.acceptedAtMs},${item.actorCount},` +
    `${item.actorCountIsEstimate ? 1 : 0},${item.actorCountAtMove},${item.mentioned ? 1 : 0},` +
    `"${item.id}",${quoted(item.type)},${quoted(item.category)},"${item.lane}",${quoted(item.groupKey)},` +
    `${quoted(item.openedBy.source)},${quoted(item.openedBy.id)},${objectText(item.object)},` +
    `${actorsText(item.actors)},${decisionsText(item.decisions)},${formerText(item.formerPlaces)}]`
  );
}

/** The item of a stored text. Throws on a format this release does not know: never guesses (N3a). */
export function decodeItem(text: string): Item {
  if (text[0] !== format) throw new Error(`An item is stored in the unknown format ${JSON.stringify(text[0])}`);
  const row = JSON.parse(text.slice(1)) as ItemRow;
  return {
    id: row[11],
    type: row[12],
    category: row[13],
    lane: row[14],
    groupKey: row[15],
    state: row[0] === 1 ? 'live' : 'removed',
    createdAtMs: row[5],
    activityAtMs: row[1],
    createdRevision: row[4],
    activityRevision: row[2],
    revision: row[3],
    acceptedAtMs: row[6],
    actors: row[19].map(actorOf),
    actorCount: row[7],
    actorCountIsEstimate: row[8] === 1,
    actorCountAtMove: row[9],
    object: objectOf(row[18]),
    mentioned: row[10] === 1,
    formerPlaces: row[21].map(formerOf),
    openedBy: { source: row[16], id: row[17] },
    decisions: row[20].map(decisionOf),
  };
}

type Flag = 0 | 1;
type Nullable = string | null;
type ParentRow = [kind: string, id: string, title: Nullable, url: Nullable];
type ObjectRow = [kind: string, id: string, title: Nullable, url: Nullable, image: Nullable, parent: ParentRow | null];
type DecisionRow = [
  channel: ChannelDecision['channel'],
  kind: ChannelDecision['kind'],
  reason: ChannelDecision['reason'],
  until?: string,
];

/** The array of format 1, in order. */
type ItemRow = [
  live: Flag,
  activityAtMs: number,
  activityRevision: number,
  revision: number,
  createdRevision: number,
  createdAtMs: number,
  acceptedAtMs: number,
  actorCount: number,
  actorCountIsEstimate: Flag,
  actorCountAtMove: number,
  mentioned: Flag,
  id: Item['id'],
  type: string,
  category: string,
  lane: Item['lane'],
  groupKey: string,
  source: string,
  eventId: string,
  object: ObjectRow,
  actors: ActorRow[],
  decisions: DecisionRow[],
  formerPlaces: [activityAtMs: number, from: number, until: number][],
];

export type ActorRow = [id: string, name: Nullable, avatar: Nullable];

export function actorText(actor: ItemActor): string {
  return `[${quoted(actor.id)},${quotedOrNull(actor.name)},${quotedOrNull(actor.avatar)}]`;
}

export function actorOf(row: ActorRow): ItemActor {
  return { id: row[0], name: row[1], avatar: row[2] };
}

function actorsText(actors: readonly ItemActor[]): string {
  let text = '[';
  for (const actor of actors) text += text.length === 1 ? actorText(actor) : `,${actorText(actor)}`;
  return `${text}]`;
}

function objectText(object: ItemObject): string {
  const parent = object.parent;
  const parentText =
    parent === null
      ? 'null'
      : `[${quoted(parent.kind)},${quoted(parent.id)},${quotedOrNull(parent.title)},${quotedOrNull(parent.url)}]`;
  return (
    `[${quoted(object.kind)},${quoted(object.id)},${quotedOrNull(object.title)},${quotedOrNull(object.url)},` +
    `${quotedOrNull(object.image)},${parentText}]`
  );
}

function objectOf(row: ObjectRow): ItemObject {
  const parent = row[5];
  return {
    kind: row[0],
    id: row[1],
    title: row[2],
    url: row[3],
    image: row[4],
    parent: parent === null ? null : { kind: parent[0], id: parent[1], title: parent[2], url: parent[3] },
  };
}

/** Channels, kinds and reasons are words of the contract's lists and need no escaping. */
function decisionsText(decisions: readonly ChannelDecision[]): string {
  let text = '[';
  for (const decision of decisions) {
    if (text.length > 1) text += ',';
    text += `["${decision.channel}","${decision.kind}","${decision.reason}"`;
    text += decision.until === undefined ? ']' : `,${quoted(decision.until)}]`;
  }
  return `${text}]`;
}

function decisionOf(row: DecisionRow): ChannelDecision {
  const [channel, kind, reason, until] = row;
  return until === undefined ? { channel, kind, reason } : { channel, kind, reason, until };
}

function formerText(places: readonly FormerPlace[]): string {
  if (places.length === 0) return '[]';
  return `[${places.map((place) => `[${place.activityAtMs},${place.from},${place.until}]`).join(',')}]`;
}

function formerOf(row: [number, number, number]): FormerPlace {
  return { activityAtMs: row[0], from: row[1], until: row[2] };
}
