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
  propertyRuns: 500,
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
  await store.open(0);
  await store.write(0, { set: [timer('later', 5000)] });
  await store.open(0);
  await Promise.all([store.due(0, 9000, 10), store.write(0, { set: [timer('sooner', 1000)] })]);
  const ids = (await store.due(0, 9000, 10)).map(({ id }) => id);
  assert.deepEqual(ids, ['sooner', 'later']);
});

test('shards whose numbers begin alike stay apart', async () => {
  const store = new TimerStoreLevel(db, 'alike/');
  for (const shard of [1, 10, 11]) await store.open(shard);
  for (const shard of [1, 10, 11]) await store.write(shard, { set: [timer(`of${shard}`, 1000)] });
  for (const shard of [1, 10, 11]) {
    assert.deepEqual(
      (await store.due(shard, 9000, 10)).map(({ id }) => id),
      [`of${shard}`],
    );
  }
});

test('a write that fails, whether or not it was applied, is put right by repeating it', async () => {
  for (const applied of [true, false]) {
    let failures = 0;
    const failing = new Proxy(db, {
      get: (target, name) => {
        const value: unknown = Reflect.get(target, name, target);
        if (name !== 'batch') return typeof value === 'function' ? value.bind(target) : value;
        return () => {
          const batch = target.batch();
          const write = batch.write.bind(batch);
          batch.write = async () => {
            if (failures === 0) return write();
            failures--;
            if (applied) await write();
            throw new Error('failed');
          };
          return batch;
        };
      },
    });
    const store = new TimerStoreLevel(failing, `failing-${applied}/`);
    await store.open(0);
    const all = Array.from({ length: 5 }, (_, n) => timer(`t${n}`, 1000 + n));
    const twice = async (work: () => Promise<unknown>): Promise<void> => {
      failures = 1;
      await assert.rejects(work, /failed/);
      await work();
    };
    await store.due(0, 9000, 10);
    await twice(() => store.write(0, { set: all }));
    assert.deepEqual(await store.due(0, 9000, 10), all);
    await twice(() => store.write(0, { done: all.slice(0, 2) }));
    assert.deepEqual(await store.due(0, 9000, 10), all.slice(2));
    await twice(() => store.write(0, { done: all.slice(2) }));
    for (const again of [store, new TimerStoreLevel(db, `failing-${applied}/`)]) {
      await again.open(0);
      assert.equal(await again.nextDueMs(0), null);
    }
  }
});

test('nothing is left in the database when all is done, whatever way it went', async () => {
  let store = new TimerStoreLevel(db, 'empty/');
  const reopen = async (): Promise<void> => {
    store = new TimerStoreLevel(db, 'empty/');
    await store.open(0);
  };
  await reopen();
  const all = Array.from({ length: 1200 }, (_, n) => timer(`t${n}`, 1000 + n * 10));
  await store.write(0, { set: all });
  await reopen();
  await store.write(0, { done: all.filter((_, n) => n % 3 === 0) });
  await store.write(0, { set: all.slice(0, 60).map((each) => ({ ...each, revision: 2 })) });
  await reopen();
  for (let nowMs = 0; nowMs < 14_000; nowMs += 900) {
    const due = await store.due(0, nowMs, 50);
    await store.write(0, { done: due });
    if (nowMs % 1800 === 0) await reopen();
  }
  for (let due = await store.due(0, 99_000, 50); due.length > 0; due = await store.due(0, 99_000, 50)) {
    await store.write(0, { done: due });
  }
  await store.nextDueMs(0);
  assert.deepEqual(await db.keys({ gte: 'empty/', lt: 'empty0' }).all(), []);
});

test('of a timer that was set by several processes, one is left: that of the greatest revision', async () => {
  const orders = [
    [1, 2, 3],
    [1, 3, 2],
    [2, 1, 3],
    [2, 3, 1],
    [3, 1, 2],
    [3, 2, 1],
  ];
  for (const [round, revisions] of orders.entries()) {
    const prefix = `several${round}/`;
    // Bundles are numbered by each process anew: the order in which they are read is that of `revisions`.
    for (const [number, revision] of revisions.entries()) {
      const process = new TimerStoreLevel(db, prefix);
      for (const shard of [0, 1]) await process.open(shard);
      for (let n = 0; n < number; n++) await process.write(1, { set: [timer(`other${n}`, 1000)] });
      await process.write(0, { set: [{ ...timer('a', 1000), revision }] });
    }
    const store = new TimerStoreLevel(db, prefix);
    await store.open(0);
    const expected = { ...timer('a', 1000), revision: 3 };
    assert.deepEqual(await store.list(0, null, 10), [expected]);
    assert.deepEqual(await store.due(0, 1000, 10), [expected]);
    await store.write(0, { done: [expected] });
    await store.open(0);
    assert.equal(await store.nextDueMs(0), null);
  }
});
