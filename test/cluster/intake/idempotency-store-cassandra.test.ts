import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { limits } from '../../../server/src/base/limits.ts';
import { VirtualClock } from '../../../server/src/base/virtual-clock.ts';
import { idempotencyStoreContract } from '../../../server/src/intake/idempotency-store.contract.ts';
import { IdempotencyStoreCassandra } from '../../../server/src/intake/idempotency-store-cassandra.ts';
import { TestKeyspace } from '../test-keyspace.ts';

const keyspace = new TestKeyspace();
const client = await keyspace.open();
after(() => keyspace.drop());

idempotencyStoreContract('Cassandra', async () => {
  await keyspace.empty();
  return new IdempotencyStoreCassandra(client, new VirtualClock(0));
});

test('an answer expires by itself, a while after its time', async () => {
  const store = new IdempotencyStoreCassandra(client, new VirtualClock(0));
  await store.put('timed', { request: 'hash', status: 202, headers: {}, body: '' }, 3_600_000);
  const { rows } = await client.execute("SELECT ttl(answer) AS seconds FROM idempotency_answers WHERE key = 'timed'");
  const expected = 3600 + limits.storeExpirySpareMs / 1000;
  const seconds = rows[0]?.seconds;
  assert.ok(seconds <= expected && seconds > expected - 60, `${seconds}`);
});
