/** Marks as stored: one text for the through-marks, one per item with marks of its own (see `item-codec.ts`). */
import type { ItemMark } from './item.ts';
import type { ThroughMarks } from './merge-marks.ts';

const format = '1';

/** `hasItems`: items have marks of their own, or once had. */
export function encodeThrough(marks: ThroughMarks, hasItems: boolean): string {
  const { readThrough, readThroughVersion, seenThrough, version } = marks;
  return `${format}[${readThrough},${readThroughVersion},${seenThrough},${version},${hasItems ? 1 : 0}]`;
}

export function decodeThrough(text: string): ThroughMarks {
  const [readThrough, readThroughVersion, seenThrough, version] = parsed(text) as [number, number, number, number];
  return { readThrough, readThroughVersion, seenThrough, version };
}

export function hasItemMarks(text: string): boolean {
  return !text.endsWith(',0]');
}

export function encodeItemMark(mark: ItemMark): string {
  const parts = [mark.read, mark.seen, mark.archived, mark.snoozedUntilMs];
  return format + JSON.stringify(parts.map((part) => (part === undefined ? 0 : [part.value, part.version])));
}

export function decodeItemMark(text: string): ItemMark {
  const [read, seen, archived, snoozed] = parsed(text) as [Part<boolean>, Part<boolean>, Part<boolean>, Part<number>];
  return {
    ...(read === 0 ? {} : { read: { value: read[0] as boolean, version: read[1] } }),
    ...(seen === 0 ? {} : { seen: { value: seen[0] as boolean, version: seen[1] } }),
    ...(archived === 0 ? {} : { archived: { value: archived[0] as boolean, version: archived[1] } }),
    ...(snoozed === 0 ? {} : { snoozedUntilMs: { value: snoozed[0], version: snoozed[1] } }),
  };
}

type Part<Value> = 0 | [value: Value | null, version: number];

function parsed(text: string): unknown {
  if (text[0] !== format) throw new Error(`Marks are stored in the unknown format ${JSON.stringify(text[0])}`);
  return JSON.parse(text.slice(1));
}
