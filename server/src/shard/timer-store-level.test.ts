import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { personKey } from '../base/ids.ts';
import { openLevel } from '../inbox/open-level.ts';
import { timerStoreContract } from './timer-store.contract.ts';
import type { Timer } from './timer-store.ts';
import { TimerStoreLevel } from './timer-store-level.ts';

const folder = await mkdtemp(join(tmpdir(), 'carillon-timers-'));
let db = await openLevel(folder);
let stores = 0;

timerStoreContract({
  name: 'LevelDB',
  open: async () => new TimerStoreLevel(db, `timers${++stores}/`),
  reopen: async () => {
    // Opening a database anew takes long: once in a while is enough.
    if (stores % 16 === 1) {
      await db.close();
      db = await openLevel(folder);
    }
    return new TimerStoreLevel(db, `timers${stores}/`);
  },
  refusesLateWrites: false,
  propertyRuns: 200,
  close: async () => {},
});

after(async () => {
  await db.close();
  await rm(folder, { recursive: true });
});

const timer = (id: string, dueMs: number): Timer => ({
  id,
  dueMs,
  revision: 1,
  person: personKey('t', 'ana'),
  kind: 'window',
  data: '',
});

test('a timer that is written beside a read is not passed over by the next', async () => {
  const store = new TimerStoreLevel(db, 'beside/');
  await store.write(0, { set: [timer('later', 5000)] });
  await store.open(0);
  await Promise.all([store.due(0, 9000, 10), store.write(0, { set: [timer('sooner', 1000)] })]);
  const ids = (await store.due(0, 9000, 10)).map(({ id }) => id);
  assert.deepEqual(ids, ['sooner', 'later']);
});

test('shards whose numbers begin alike stay apart', async () => {
  const store = new TimerStoreLevel(db, 'alike/');
  for (const shard of [1, 10, 11]) await store.write(shard, { set: [timer(`of${shard}`, 1000)] });
  for (const shard of [1, 10, 11]) {
    assert.deepEqual(
      (await store.due(shard, 9000, 10)).map(({ id }) => id),
      [`of${shard}`],
    );
  }
});
