import assert from 'node:assert/strict';
import { test } from 'node:test';
import { personKey } from '../../../server/src/base/ids.ts';
import { limits } from '../../../server/src/base/limits.ts';
import { revisionAt } from '../../../server/src/base/revision.ts';
import { timerStoreContract } from '../../../server/src/shard/timer-store.contract.ts';
import type { Timer } from '../../../server/src/shard/timer-store.ts';
import { TimerStoreCassandra } from '../../../server/src/shard/timer-store-cassandra.ts';
import { TestKeyspace } from '../test-keyspace.ts';

const keyspace = new TestKeyspace();
const client = await keyspace.open();
const tables = ['timers', 'timer_minutes'];

const empty = async (): Promise<void> => {
  for (const table of tables) await client.execute(`TRUNCATE ${table}`, [], { prepare: false });
};

timerStoreContract({
  name: 'Cassandra',
  open: async () => {
    await empty();
    return new TimerStoreCassandra(client);
  },
  // What another process finds: nothing but what is in the tables.
  reopen: async () => new TimerStoreCassandra(client),
  refusesLateWrites: true,
  propertyRuns: 15,
  close: async () => {},
});

const minute = 60_000;
const noonMs = Date.UTC(2026, 2, 10, 12);
const timer = (id: string, dueMs: number): Timer => ({
  id,
  dueMs,
  revision: revisionAt(dueMs - minute),
  person: personKey('t', 'ana'),
  kind: 'window',
  data: '',
});

async function rowsOf(table: string): Promise<number> {
  return (await client.execute(`SELECT count(*) AS n FROM ${table}`)).first().n.toNumber();
}

test('buckets go once their minute is over and all is done, and their entries after a while', async () => {
  await empty();
  const store = new TimerStoreCassandra(client);
  await store.open(3);
  for (let n = 0; n < 70; n++)
    await store.write(3, { set: [timer('a', noonMs + n * minute), timer('b', noonMs + n * minute)] });
  assert.deepEqual([await rowsOf('timers'), await rowsOf('timer_minutes')], [140, 70]);
  for (let n = 0; n < 70; n++) {
    const due = await store.due(3, noonMs + n * minute, 10);
    assert.equal(due.length, 2);
    await store.write(3, { done: due });
  }
  assert.deepEqual(await store.due(3, noonMs + 72 * minute, 10), []);
  assert.deepEqual(await store.due(3, noonMs + 72 * minute + limits.lateWriteMs, 10), []);
  assert.equal(await rowsOf('timers'), 0);
  assert.ok((await rowsOf('timer_minutes')) < 20);
});

test('a crash between the entry of a minute and its first timer leaves nothing that hurts', async () => {
  await empty();
  await client.execute('INSERT INTO timer_minutes (shard, minute) VALUES (5, 10)', [], { prepare: false });
  const store = new TimerStoreCassandra(client);
  await store.open(5);
  await store.write(5, { set: [timer('a', noonMs)] });
  assert.equal(await store.nextDueMs(5), noonMs);
  assert.equal((await store.due(5, noonMs, 10)).length, 1);
});

test('a shard that was not opened is refused', async () => {
  await assert.rejects(new TimerStoreCassandra(client).due(9, noonMs, 1), /not opened/);
  await keyspace.drop();
});
