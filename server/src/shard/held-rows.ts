/** Rows that are let go, as the plan of a release wants them: of a category that a cap has held, or has no room for, one (D9). */
import type { TypeEntry } from '../content/type-entry.ts';
import type { HeldRow } from '../decide/plan-release.ts';
import type { Item } from '../inbox/item.ts';
import type { Person } from './person.ts';

export interface GoingRow {
  readonly item: Item;
  readonly type: TypeEntry;
  /** It was a cap that held it. */
  readonly wasCapped: boolean;
  /** From when on it is worth telling for a while. */
  readonly sinceMs: number;
}

export function heldRows(
  person: Person,
  channel: 'push' | 'email',
  going: readonly GoingRow[],
  nowMs: number,
): HeldRow[] {
  const { wishes } = person;
  const { notes } = person.besides;
  const isCapped = ({ type }: GoingRow): boolean =>
    notes.room(wishes.capRules, type, channel, nowMs) < Number.POSITIVE_INFINITY;
  const together = new Set<string>();
  for (const [category, rows] of Map.groupBy(going.filter(isCapped), ({ type }) => type.category)) {
    const room = notes.room(wishes.capRules, (rows[0] as GoingRow).type, channel, nowMs);
    if (rows.length > room || rows.some(({ wasCapped }) => wasCapped)) together.add(category);
  }
  return going.map((row) => {
    const { category } = row.type;
    return { ...row.item, category, isStillNews: true, isSummed: together.has(category) && isCapped(row) };
  });
}
