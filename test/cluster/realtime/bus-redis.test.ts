/** The bus over a real Redis that is killed and started again. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from '../../../server/src/base/clock.ts';
import { personKey } from '../../../server/src/base/ids.ts';
import { limits } from '../../../server/src/base/limits.ts';
import { VirtualClock } from '../../../server/src/base/virtual-clock.ts';
import { busContract } from '../../../server/src/deliver/realtime/bus.contract.ts';
import { BusRedis } from '../../../server/src/deliver/realtime/bus-redis.ts';
import { PresenceRedis } from '../../../server/src/deliver/realtime/presence-redis.ts';
import { eventually } from '../../flow/eventually.ts';
import { OwnRedis } from './own-redis.ts';

busContract('over Redis', async () => {
  const redis = await OwnRedis.start();
  return {
    open: () =>
      new BusRedis({
        publisher: redis.clientNow('publisher'),
        subscriber: redis.clientNow('subscriber'),
        prefix: 'test:',
        clock: systemClock,
      }),
    takeAway: () => redis.kill(),
    bringBack: () => redis.restart(),
    close: () => redis.stop(),
  };
});

test('a Redis that stands still is found out: calls fail, and subscribers are told once it goes on', async (t) => {
  const redis = await OwnRedis.start();
  t.after(() => redis.stop());
  const clock = new VirtualClock();
  const [publisher, subscriber] = [await redis.client('publisher'), await redis.client('subscriber')];
  const bus = new BusRedis({ publisher, subscriber, prefix: 'test:', clock });
  const presence = new PresenceRedis(publisher, 'test:');
  const heard: string[] = [];
  bus.subscribe('a', {
    message: (bytes) => heard.push(Buffer.from(bytes).toString()),
    missed: () => heard.push('missed'),
  });
  await eventually(() => bus.isConnected());
  redis.freeze();
  const beganMs = systemClock.monotonic();
  const message = { channel: 'a', bytes: Buffer.from('lost or late') };
  await Promise.all([
    assert.rejects(bus.publish([message, message])),
    assert.rejects(presence.enter('g1', [personKey('default', 'r1')])),
  ]);
  assert.ok(systemClock.monotonic() - beganMs < 10 * limits.busWaitMs, 'the port says so: within the time for a call');
  clock.advance(limits.busBeatMs);
  await eventually(() => !bus.isConnected());
  redis.thaw();
  await eventually(() => bus.isConnected());
  await eventually(() =>
    bus.publish([{ channel: 'a', bytes: Buffer.from('again') }]).then(
      () => true,
      () => false,
    ),
  );
  await eventually(() => heard.includes('again'));
  assert.ok(heard.indexOf('missed', 1) > 0, 'told of the loss');
  assert.ok(heard.lastIndexOf('missed') < heard.indexOf('again'));
  bus.close();
});
