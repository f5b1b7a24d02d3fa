/**
 * Rows that a rule of the person keeps apart (D3: the filtered view) have group keys of their own, so that what is
 * filtered and what is not never share a row, and a row stays in its view for as long as it lives.
 */
const prefix = 'filtered\u0001';

export function filteredKey(groupKey: string): string {
  return prefix + groupKey;
}

export function isFilteredKey(groupKey: string): boolean {
  return groupKey.startsWith(prefix);
}

/** The key that the row would have in the default view. */
export function plainKey(groupKey: string): string {
  return isFilteredKey(groupKey) ? groupKey.slice(prefix.length) : groupKey;
}
