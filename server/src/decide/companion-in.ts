/** The other type that a row tells of: a mention in a comment or reply (BC-04). */
import type { TypeEntry } from '../content/type-entry.ts';
import type { Item } from '../inbox/item.ts';

export function companionIn({ mentioned }: Pick<Item, 'mentioned'>, type: TypeEntry): TypeEntry | null {
  return mentioned ? (type.companions.find(({ isMention }) => isMention) ?? null) : null;
}
