/** Suppressions of an embedded engine into those of a cluster, encrypted anew. Copying again changes nothing. */
import { isDeepStrictEqual } from 'node:util';
import type { StoredSuppression, SuppressionStore } from '../profile/suppression-store.ts';

const suppressionsAtOnce = 500;

export async function copySuppressions(source: SuppressionStore, target: SuppressionStore): Promise<void> {
  for await (const page of pagesOf(source)) await target.restore(page);
}

/** How many there are, and how many of them the target has as they are. */
export async function compareSuppressions(
  source: SuppressionStore,
  target: SuppressionStore,
): Promise<{ expected: number; found: number }> {
  const count = { expected: 0, found: 0 };
  for await (const page of pagesOf(source)) {
    for (const { tenant, suppression } of page) {
      const [there] = await target.find(tenant, [suppression.address]);
      count.expected++;
      if (isDeepStrictEqual(there, suppression)) count.found++;
    }
  }
  return count;
}

async function* pagesOf(suppressions: SuppressionStore): AsyncIterable<readonly StoredSuppression[]> {
  for (let after: string | null = null; ; ) {
    const { items, next }: Awaited<ReturnType<SuppressionStore['everything']>> = await suppressions.everything(
      after,
      suppressionsAtOnce,
    );
    if (items.length > 0) yield items;
    if (next === null) return;
    after = next;
  }
}
