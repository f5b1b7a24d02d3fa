/**
 * Members as stored: nine lines each (see `line-text.ts`), of which the last three are the actor. A delta of members
 * is a format number and their lines; an item's opening members are lines of the item.
 */
import type { ItemActor, Member } from './item.ts';
import { line, lineOrNull, splitLines, textOrNull } from './line-text.ts';

const format = '1';
export const memberLinesEach = 9;
export const actorLinesEach = 3;

export function encodeMembers(members: Iterable<Member>): string {
  let text = format;
  for (const member of members) text += memberLines(member);
  return text;
}

export function decodeMembers(text: string): Member[] {
  const lines = splitLines(text);
  if (lines[0] !== format) throw new Error(`Members are stored in the unknown format ${JSON.stringify(lines[0])}`);
  return membersOf(lines, 1, lines.length);
}

export function memberLines(member: Member): string {
  return (
    line(member.key) +
    line(member.thing) +
    `\n${member.countedAtMs}\n${member.seq ?? ''}\n${member.timeMs - member.countedAtMs}\n${member.present ? 1 : 0}${countedInText(member)}` +
    actorLines(member.actor)
  );
}

/** Behind the digit of presence, and only where push or email may tell of the row. */
function countedInText({ countedIn }: Member): string {
  return countedIn === 0 ? '' : ` ${countedIn}`;
}

/** The members whose lines are [from, to). */
export function membersOf(lines: readonly string[], from: number, to: number): Member[] {
  const members: Member[] = [];
  for (let at = from; at < to; at += memberLinesEach) members.push(memberOf(lines, at));
  return members;
}

export function actorLines(actor: ItemActor): string {
  return line(actor.id) + lineOrNull(actor.name) + lineOrNull(actor.avatar);
}

/** The actor whose lines begin at `from`. */
export function actorOf(lines: readonly string[], from: number): ItemActor {
  return { id: lines[from] as string, name: textOrNull(lines[from + 1]), avatar: textOrNull(lines[from + 2]) };
}

function memberOf(lines: readonly string[], at: number): Member {
  const countedAtMs = Number(lines[at + 2]);
  const seq = lines[at + 3];
  const state = lines[at + 5] as string;
  return {
    key: lines[at] as string,
    actor: actorOf(lines, at + 6),
    thing: lines[at + 1] as string,
    countedAtMs,
    seq: seq === '' ? null : Number(seq),
    timeMs: countedAtMs + Number(lines[at + 4]),
    present: state[0] === '1',
    countedIn: state.length === 1 ? 0 : Number(state.slice(1)),
  };
}

/** Opening members and deltas in order of revision as one list: one per key, the latest, in order of first appearance. */
export function mergeDeltas(deltas: readonly (readonly Member[])[]): Member[] {
  const byKey = new Map<string, Member>();
  for (const delta of deltas) for (const member of delta) byKey.set(member.key, member);
  return [...byKey.values()];
}
