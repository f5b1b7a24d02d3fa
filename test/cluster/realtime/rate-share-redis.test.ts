/** Shared rates in a real Redis. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from '../../../server/src/base/clock.ts';
import { rateShareContract } from '../../../server/src/intake/rate-share.contract.ts';
import { RateShareRedis } from '../../../server/src/intake/rate-share-redis.ts';
import { eventually } from '../../flow/eventually.ts';
import { OwnRedis } from './own-redis.ts';

rateShareContract('in Redis', async () => {
  const server = await OwnRedis.start();
  const clients = [await server.client('one'), await server.client('two')] as const;
  const rate = { perSecond: 50, burst: 50 };
  let opened = 0;
  return {
    open: () => new RateShareRedis(clients[opened++ % 2] as (typeof clients)[0], 'test:', rate),
    rate,
    clock: systemClock,
    passTime: () => {},
    close: () => server.stop(),
  };
});

test('a bucket that is full again leaves nothing behind', async (t) => {
  const server = await OwnRedis.start();
  t.after(() => server.stop());
  const redis = await server.client('one');
  const share = new RateShareRedis(redis, 'test:', { perSecond: 1000, burst: 200 });
  await share.spend(
    new Map([
      ['a', 200],
      ['b', 0],
    ]),
  );
  assert.ok((await redis.pttl('test:rate:a')) <= 200);
  await eventually(async () => (await redis.dbsize()) === 0);
});
