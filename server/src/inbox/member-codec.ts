/** Members as stored: one text per delta, a format character and a JSON array of members (see `item-codec.ts`). */
import type { Member } from './item.ts';
import { type ActorRow, actorOf, actorText } from './item-codec.ts';
import { quoted } from './json-text.ts';

const format = '1';

type MemberRow = [
  key: string,
  actor: ActorRow,
  thing: string,
  countedAtMs: number,
  seq: number | null,
  timeMs: number,
  present: 0 | 1,
];

export function encodeMembers(members: readonly Member[]): string {
  let text = `${format}[`;
  for (const member of members) {
    if (text.length > 2) text += ',';
    text +=
      `[${quoted(member.key)},${actorText(member.actor)},${quoted(member.thing)},${member.countedAtMs},` +
      `${member.seq},${member.timeMs},${member.present ? 1 : 0}]`;
  }
  return `${text}]`;
}

export function decodeMembers(text: string): Member[] {
  if (text[0] !== format) throw new Error(`Members are stored in the unknown format ${JSON.stringify(text[0])}`);
  return (JSON.parse(text.slice(1)) as MemberRow[]).map((row) => ({
    key: row[0],
    actor: actorOf(row[1]),
    thing: row[2],
    countedAtMs: row[3],
    seq: row[4],
    timeMs: row[5],
    present: row[6] === 1,
  }));
}

/** Deltas in order of revision as one list: one member per key, the latest, in order of first appearance. */
export function mergeDeltas(deltas: readonly (readonly Member[])[]): Member[] {
  if (deltas.length === 1) return [...(deltas[0] as readonly Member[])];
  const byKey = new Map<string, Member>();
  for (const delta of deltas) for (const member of delta) byKey.set(member.key, member);
  return [...byKey.values()];
}
