import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm, stat, truncate } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { inboxStoreContract } from './inbox-store.contract.ts';
import { InboxStoreLevel } from './inbox-store-level.ts';
import { openLevel } from './open-level.ts';
import { ana, noonMs, personWrite, testItem } from './test-items.ts';
import { LevelTestStores } from './test-stores.ts';

const stores = new LevelTestStores();

inboxStoreContract({
  name: stores.name,
  open: () => stores.open(),
  reopen: () => stores.reopen(),
  refusesLateWrites: false,
  close: () => stores.close(),
});

test('when a crash of the machine takes the end of the journal, positions and rows are of the same write', async () => {
  for (const lostBytes of [1, 700, 5000, 20_000]) {
    const folder = await mkdtemp(join(tmpdir(), 'carillon-inbox-'));
    const db = await openLevel(folder);
    const store = new InboxStoreLevel(db);
    for (let round = 1; round <= 100; round++) {
      const items = [1, 2].map((n) => testItem(ana, `e${n}`, noonMs + n, { revision: round }));
      await store.write(0, [personWrite(ana, items)], [round]);
    }
    await db.close();
    const journal = (await readdir(folder)).find((name) => name.endsWith('.log')) as string;
    const { size } = await stat(join(folder, journal));
    await truncate(join(folder, journal), size - lostBytes);
    const again = await openLevel(folder);
    const [position] = (await new InboxStoreLevel(again).positions(0)) ?? [0];
    const { items } = await new InboxStoreLevel(again).head(ana, 10);
    assert.equal((position as number) < 100, true);
    assert.deepEqual(
      items.map((item) => item.revision),
      [position, position],
    );
    await again.close();
    await rm(folder, { recursive: true });
  }
});
