/** Members as stored: one text per delta, a format number and then nine lines for each member (see `item-codec.ts`). */
import type { Member } from './item.ts';
import { actorLines, actorOf } from './item-codec.ts';
import { line, splitLines } from './line-text.ts';

const format = '1';
const linesEach = 9;

export function encodeMembers(members: readonly Member[]): string {
  let text = format;
  for (const member of members) {
    text +=
      line(member.key) +
      line(member.thing) +
      `\n${member.countedAtMs}\n${member.seq ?? ''}\n${member.timeMs - member.countedAtMs}\n${member.present ? 1 : 0}` +
      actorLines(member.actor);
  }
  return text;
}

export function decodeMembers(text: string): Member[] {
  const lines = splitLines(text);
  if (lines[0] !== format) throw new Error(`Members are stored in the unknown format ${JSON.stringify(lines[0])}`);
  const members: Member[] = [];
  for (let at = 1; at < lines.length; at += linesEach) members.push(memberOf(lines, at));
  return members;
}

function memberOf(lines: readonly string[], at: number): Member {
  const countedAtMs = Number(lines[at + 2]);
  const seq = lines[at + 3];
  return {
    key: lines[at] as string,
    actor: actorOf(lines, at + 6),
    thing: lines[at + 1] as string,
    countedAtMs,
    seq: seq === '' ? null : Number(seq),
    timeMs: countedAtMs + Number(lines[at + 4]),
    present: lines[at + 5] === '1',
  };
}

/** Deltas in order of revision as one list: one member per key, the latest, in order of first appearance. */
export function mergeDeltas(deltas: readonly (readonly Member[])[]): Member[] {
  if (deltas.length === 1) return [...(deltas[0] as readonly Member[])];
  const byKey = new Map<string, Member>();
  for (const delta of deltas) for (const member of delta) byKey.set(member.key, member);
  return [...byKey.values()];
}
