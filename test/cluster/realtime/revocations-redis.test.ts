/** A session revoked at one node closes its streams at another, over a real Redis (V33). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Redis } from 'ioredis';
import { RevocationStoreMemory } from '../../../server/src/auth/revocation-store-memory.ts';
import { Revocations } from '../../../server/src/auth/revocations.ts';
import { systemClock } from '../../../server/src/base/clock.ts';
import type { TenantId } from '../../../server/src/base/ids.ts';
import { limits } from '../../../server/src/base/limits.ts';
import { BusRedis } from '../../../server/src/deliver/realtime/bus-redis.ts';
import { RevocationStoreBus } from '../../../server/src/deliver/realtime/revocation-store-bus.ts';
import { openPolls, openSse, openWebSocket } from '../../../server/src/deliver/realtime/stream-clients.contract.ts';
import { r1, StreamWorld, shown } from '../../../server/src/deliver/realtime/stream-world.contract.ts';
import { eventually } from '../../flow/eventually.ts';
import { OwnRedis } from './own-redis.ts';

test('BC-70: revoked at one node, all streams of the session at the other are closed, and get nothing more', async (t) => {
  const redis = await OwnRedis.start();
  const kept = new RevocationStoreMemory();
  const buses: BusRedis[] = [];
  const node = async (name: string): Promise<RevocationStoreBus> => {
    const [publisher, subscriber] = (await Promise.all([redis.client(name), redis.client(name)])) as [Redis, Redis];
    const bus = new BusRedis({ publisher, subscriber, prefix: 'test:', clock: systemClock });
    buses.push(bus);
    return new RevocationStoreBus({ store: kept, bus, clock: systemClock });
  };
  const stores = [await node('n1'), await node('n2')] as const;
  const world = await StreamWorld.listen({}, { revocationStore: stores[0] });
  const elsewhere = new Revocations(stores[1], systemClock);
  t.after(async () => {
    await world.stop();
    for (const store of stores) store.close();
    for (const bus of buses) bus.close();
    await redis.stop();
  });
  await eventually(() => buses.every((bus) => bus.isConnected()));

  const token = world.token('r1', { session: 'S1' });
  const clients = await Promise.all(
    [openWebSocket, openSse, openPolls].map((open) => open(world, { token, since: 0 })),
  );
  const other = await openWebSocket(world, { token: world.token('r1', { session: 'S2' }), since: 0 });
  await eventually(() => world.feed.subscriptions(r1) === 4);
  await elsewhere.revoke('default' as TenantId, 'S1');
  await eventually(() => world.revocations.isRevoked({ kind: 'user', tenant: 'default', session: 'S1' } as never));
  world.clock.advance(limits.sweepMs);
  await eventually(() => clients.every(({ ended }) => ended !== null));
  assert.deepEqual(
    clients.map(({ ended }) => ended?.code),
    [4101, 4101, 401],
  );
  world.publish(r1, 50);
  await eventually(() => shown(other).length === 1);
  assert.deepEqual(shown(...clients), []);
  await assert.rejects(openWebSocket(world, { token, since: 0 }), { status: 401 });
});
