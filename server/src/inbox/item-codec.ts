/**
 * Items as stored: a format number, then the fields in fixed order, one a line.
 *
 * Lines cost less than JSON on both sides: nothing is quoted, a row is split once, and only a row that holds a
 * backslash is looked at more closely. Times and revisions are kept as what they differ from their like, which is
 * usually nothing. Every release reads all formats before its own (R4): a new one gets a new number and a case in
 * `decodeItem`.
 */
import type { Lane } from '@carillon/contract/lanes.ts';
import type { ChannelDecision } from '@carillon/contract/reasons.ts';
import type { NotificationId } from '../base/ids.ts';
import { type FormerPlace, type Item, type ItemActor, type ItemObject, noWindow } from './item.ts';
import { liveState } from './item-state.ts';
import { line, lineOrNull, splitLines, textOrNull } from './line-text.ts';
import { actorLines, actorLinesEach, actorOf, memberLines, memberLinesEach, membersOf } from './member-codec.ts';

const format = '1';
/**
 * With one more line behind the number, the notify window and the wish to be pushed; else like format 1. Few rows have
 * one.
 */
const formatWithWindow = '2';
const noPlaces: readonly FormerPlace[] = [];

type WindowLine = Pick<Item, 'window' | 'askedForPush'>;
const withoutWindow: WindowLine = { window: noWindow, askedForPush: false };

/** Bits of the line of flags; above them the number of actors shown and of opening members. */
const flags = { live: 1, estimate: 2, mentioned: 4 } as const;
const actorsUnit = 8;
const openingUnit = 32;

/**
 * The lines of format 1: numbers first, so that counting need not read on. Behind them, where the object has a parent,
 * its id, title and link; then three lines for each actor, then nine for each opening member,
 * and one for a sketch.
 */
const at = {
  flags: 1,
  activityRevision: 2,
  activityAtMs: 3,
  revision: 4,
  createdRevision: 5,
  createdAtMs: 6,
  acceptedAtMs: 7,
  actorCount: 8,
  actorCountAtMove: 9,
  id: 10,
  lane: 11,
  type: 12,
  category: 13,
  groupKey: 14,
  source: 15,
  eventId: 16,
  decisions: 17,
  formerPlaces: 18,
  objectKind: 19,
  objectId: 20,
  objectTitle: 21,
  objectUrl: 22,
  objectImage: 23,
  parentKind: 24,
  rest: 25,
} as const;

export function encodeItem(item: Item): string {
  const { activityAtMs, activityRevision, object, openedBy } = item;
  let text =
    `${item.window.number === 0 ? format : `${formatWithWindow}\n${windowText(item)}`}\n${flagsOf(item)}\n${activityRevision}\n${activityAtMs}\n${item.revision - activityRevision}\n` +
    `${activityRevision - item.createdRevision}\n${activityAtMs - item.createdAtMs}\n` +
    `${item.acceptedAtMs - activityAtMs}\n${item.actorCount}\n${item.actorCountAtMove}\n${item.id}\n${item.lane}` +
    line(item.type) +
    line(item.category) +
    line(item.groupKey) +
    line(openedBy.source) +
    line(openedBy.id) +
    line(decisionsText(item.decisions)) +
    line(formerText(item)) +
    line(object.kind) +
    line(object.id) +
    lineOrNull(object.title) +
    lineOrNull(object.url) +
    lineOrNull(object.image);
  const parent = object.parent;
  if (parent === null) text += lineOrNull(null);
  else text += lineOrNull(parent.kind) + line(parent.id) + lineOrNull(parent.title) + lineOrNull(parent.url);
  for (const actor of item.actors) text += actorLines(actor);
  for (const member of item.opening) text += memberLines(member);
  if (item.sketch !== null) text += line(item.sketch);
  return text;
}

/** The item of a stored text. Throws on a format this release does not know: never guesses (N3a). */
export function decodeItem(text: string): Item {
  const lines = splitLines(text);
  const { window, askedForPush } = takeWindow(lines);
  const bits = Number(lines[at.flags]);
  const activityAtMs = Number(lines[at.activityAtMs]);
  const activityRevision = Number(lines[at.activityRevision]);
  const object = objectOf(lines);
  const actorsFrom = object.parent === null ? at.rest : at.rest + 3;
  const openingFrom = actorsFrom + actorLinesEach * (Math.floor(bits / actorsUnit) % 4);
  const sketchAt = openingFrom + memberLinesEach * Math.floor(bits / openingUnit);
  return {
    id: lines[at.id] as NotificationId,
    type: lines[at.type] as string,
    category: lines[at.category] as string,
    lane: lines[at.lane] as Lane,
    groupKey: lines[at.groupKey] as string,
    state: (bits & flags.live) === 0 ? 'removed' : liveState(lines[at.groupKey] as string),
    createdAtMs: activityAtMs - Number(lines[at.createdAtMs]),
    activityAtMs,
    createdRevision: activityRevision - Number(lines[at.createdRevision]),
    activityRevision,
    revision: activityRevision + Number(lines[at.revision]),
    acceptedAtMs: activityAtMs + Number(lines[at.acceptedAtMs]),
    actors: actorsOf(lines, actorsFrom, openingFrom),
    actorCount: Number(lines[at.actorCount]),
    actorCountIsEstimate: (bits & flags.estimate) !== 0,
    actorCountAtMove: Number(lines[at.actorCountAtMove]),
    object,
    mentioned: (bits & flags.mentioned) !== 0,
    formerPlaces: formerOf(lines[at.formerPlaces] as string, activityAtMs, activityRevision),
    openedBy: { source: lines[at.source] as string, id: lines[at.eventId] as string },
    decisions: decisionsOf(lines[at.decisions] as string),
    askedForPush,
    window,
    opening: membersOf(lines, openingFrom, sketchAt),
    sketch: lines[sketchAt] ?? null,
  };
}

/** Where the item of a stored text stands, without reading the rest of it. Throws as `decodeItem` does. */
export function activityAtMsOf(text: string): number {
  const lines = text.slice(0, numbersChars).split('\n', at.activityAtMs + 2);
  takeWindow(lines);
  return Number(lines[at.activityAtMs]);
}

/** More than the first five lines take. */
const numbersChars = 160;

/** The window, whose line goes: what is left is as in format 1. */
function takeWindow(lines: string[]): WindowLine {
  if (lines[0] === format) return withoutWindow;
  if (lines[0] !== formatWithWindow) throw unknownFormat(lines[0]);
  const [number, endsAtMs, untold, asked] = (lines.splice(1, 1)[0] as string).split(' ');
  const endsAt = endsAtMs === '' ? null : Number(endsAtMs);
  const window = { number: Number(number), endsAtMs: endsAt, untold: Number(untold) };
  return { window, askedForPush: asked === '1' };
}

function windowText({ window: { number, endsAtMs, untold }, askedForPush }: WindowLine): string {
  return `${number} ${endsAtMs ?? ''} ${untold}${askedForPush ? ' 1' : ''}`;
}

function unknownFormat(stored: string | undefined): Error {
  return new Error(`An item is stored in the unknown format ${JSON.stringify(stored)}`);
}

function flagsOf(item: Item): number {
  return (
    (item.state === 'removed' ? 0 : flags.live) |
    (item.actorCountIsEstimate ? flags.estimate : 0) |
    (item.mentioned ? flags.mentioned : 0) |
    (item.actors.length * actorsUnit) |
    (item.opening.length * openingUnit)
  );
}

function actorsOf(lines: readonly string[], from: number, to: number): ItemActor[] {
  const actors: ItemActor[] = [];
  for (let next = from; next < to; next += actorLinesEach) actors.push(actorOf(lines, next));
  return actors;
}

function objectOf(lines: readonly string[]): ItemObject {
  const parentKind = textOrNull(lines[at.parentKind]);
  return {
    kind: lines[at.objectKind] as string,
    id: lines[at.objectId] as string,
    title: textOrNull(lines[at.objectTitle]),
    url: textOrNull(lines[at.objectUrl]),
    image: textOrNull(lines[at.objectImage]),
    parent:
      parentKind === null
        ? null
        : {
            kind: parentKind,
            id: lines[at.rest] as string,
            title: textOrNull(lines[at.rest + 1]),
            url: textOrNull(lines[at.rest + 2]),
          },
  };
}

/** Words of the contract's lists, and times: `inApp send default,push hold quietHours 2026-03-11T07:00:00Z`. */
function decisionsText(decisions: readonly ChannelDecision[]): string {
  let text = '';
  for (const decision of decisions) {
    if (text !== '') text += ',';
    text += `${decision.channel} ${decision.kind} ${decision.reason}`;
    if (decision.until !== undefined) text += ` ${decision.until}`;
  }
  return text;
}

/** Few sets of decisions are different: those without a time are made once and shared. */
const sharedDecisions = new Map<string, readonly ChannelDecision[]>();
const sharedDecisionsMax = 1000;

function decisionsOf(text: string): readonly ChannelDecision[] {
  const shared = sharedDecisions.get(text);
  if (shared !== undefined) return shared;
  const decisions = text === '' ? [] : text.split(',').map(decisionOf);
  const isPlain = decisions.every((decision) => decision.until === undefined);
  if (isPlain && sharedDecisions.size < sharedDecisionsMax) sharedDecisions.set(text, decisions);
  return decisions;
}

function decisionOf(text: string): ChannelDecision {
  const [channel, kind, reason, until] = text.split(' ') as [
    ChannelDecision['channel'],
    ChannelDecision['kind'],
    ChannelDecision['reason'],
    string | undefined,
  ];
  return until === undefined ? { channel, kind, reason } : { channel, kind, reason, until };
}

/** Each as what it differs from the present place by, in base 36: a busy row is written often, with all of them. */
function formerText(item: Item): string {
  let text = '';
  for (const { activityAtMs, from, until } of item.formerPlaces) {
    if (text !== '') text += ',';
    text += `${(item.activityAtMs - activityAtMs).toString(36)} ${(item.activityRevision - from).toString(36)} `;
    text += (item.activityRevision - until).toString(36);
  }
  return text;
}

function formerOf(text: string, activityAtMs: number, activityRevision: number): readonly FormerPlace[] {
  if (text === '') return noPlaces;
  return text.split(',').map((one) => {
    const [time, from, until] = one.split(' ').map((part) => Number.parseInt(part, 36)) as [number, number, number];
    return { activityAtMs: activityAtMs - time, from: activityRevision - from, until: activityRevision - until };
  });
}
