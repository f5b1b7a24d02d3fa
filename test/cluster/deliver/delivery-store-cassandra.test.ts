import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { VirtualClock } from '../../../server/src/base/virtual-clock.ts';
import { deliveryStoreContract } from '../../../server/src/deliver/delivery-store.contract.ts';
import { DeliveryStoreCassandra } from '../../../server/src/deliver/delivery-store-cassandra.ts';
import { noonMs } from '../../../server/src/inbox/test-items.ts';
import { TestKeyspace } from '../test-keyspace.ts';

const keyspace = new TestKeyspace();
const client = await keyspace.open();
const clock = new VirtualClock(noonMs);
after(() => keyspace.drop());

deliveryStoreContract('Cassandra', async () => new DeliveryStoreCassandra(client, clock));

test('Cassandra: positions of an owner that was replaced come too late', async () => {
  const [first, second] = [new DeliveryStoreCassandra(client, clock), new DeliveryStoreCassandra(client, clock)];
  const positions = (at: number) => ({ channel: 'push', shard: 7, jobs: [], positions: [at, at, at] }) as const;
  await first.write(positions(1));
  assert.deepEqual(await second.positions('push', 7), [1, 1, 1]);
  await second.write(positions(2));
  await first.write(positions(3));
  assert.deepEqual(await second.positions('push', 7), [2, 2, 2]);
});
