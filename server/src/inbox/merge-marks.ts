/**
 * How marks merge: every part by a rule that does not care about order or repetition, so that any device may send
 * anything at any time, late or twice, and all ends the same (I3).
 *
 * Through-marks: the greater one wins, and of equal ones the later. So a stale "read through" neither un-reads what a
 *   newer one covered nor takes back an explicit "unread" that it did not cover.
 * Marks of one item: the later version wins, part by part; at equal versions the greater value.
 */
import type { NotificationId } from '../base/ids.ts';
import type { MarksPatch } from './inbox-store.ts';
import type { ItemMark, Marks } from './item.ts';

export type MarkPatch = NonNullable<MarksPatch['items']>[number];
export type ThroughMarks = Omit<Marks, 'items'>;

export function mergeMarks(marks: Marks, patch: MarksPatch): Marks {
  const through = mergeThrough(marks, patch);
  if (patch.items === undefined || patch.items.length === 0) return { ...through, items: marks.items };
  const items = new Map<NotificationId, ItemMark>(marks.items);
  for (const change of patch.items) {
    items.set(change.id, mergeItemMark(items.get(change.id), change, patch.version));
  }
  return { ...through, items };
}

export function mergeThrough(marks: ThroughMarks, patch: MarksPatch): ThroughMarks {
  let { readThrough, readThroughVersion } = marks;
  const read = patch.readThrough ?? 0;
  if (read > readThrough || (read === readThrough && read > 0 && patch.version > readThroughVersion)) {
    readThrough = read;
    readThroughVersion = patch.version;
  }
  return {
    readThrough,
    readThroughVersion,
    seenThrough: Math.max(marks.seenThrough, patch.seenThrough ?? 0),
    version: Math.max(marks.version, patch.version),
  };
}

export function mergeItemMark(mark: ItemMark | undefined, patch: MarkPatch, version: number): ItemMark {
  return {
    ...part('read', later(mark?.read, patch.read, version)),
    ...part('seen', later(mark?.seen, patch.seen, version)),
    ...part('archived', later(mark?.archived, patch.archived, version)),
    ...part('snoozedUntilMs', later(mark?.snoozedUntilMs, patch.snoozedUntilMs, version)),
  };
}

interface Versioned<Value> {
  readonly value: Value;
  readonly version: number;
}

function later<Value extends boolean | number | null>(
  stored: Versioned<Value> | undefined,
  value: Value | undefined,
  version: number,
): Versioned<Value> | undefined {
  if (value === undefined) return stored;
  if (stored === undefined || version > stored.version) return { value, version };
  if (version < stored.version) return stored;
  return rank(value) > rank(stored.value) ? { value, version } : stored;
}

function rank(value: boolean | number | null): number {
  return value === null ? -1 : Number(value);
}

function part<Name extends string, Value>(name: Name, value: Value | undefined): { [Key in Name]?: Value } {
  return (value === undefined ? {} : { [name]: value }) as { [Key in Name]?: Value };
}
