/** Stream tickets in a real Redis. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from '../../../server/src/base/clock.ts';
import { limits } from '../../../server/src/base/limits.ts';
import { systemRandom } from '../../../server/src/base/random.ts';
import {
  streamTicketsContract,
  ticketPrincipal,
} from '../../../server/src/deliver/realtime/stream-tickets.contract.ts';
import { StreamTicketsRedis } from '../../../server/src/deliver/realtime/stream-tickets-redis.ts';
import { eventually } from '../../flow/eventually.ts';
import { OwnRedis } from './own-redis.ts';

const ticketKeptMs = 1000;

streamTicketsContract('in Redis', async () => {
  const server = await OwnRedis.start();
  const clients = [await server.client('one'), await server.client('two')] as const;
  let opened = 0;
  return {
    open: () =>
      new StreamTicketsRedis({
        redis: clients[opened++ % 2] as (typeof clients)[0],
        prefix: 'test:',
        clock: systemClock,
        random: systemRandom,
        ticketKeptMs,
      }),
    async outlive() {
      const keys = await clients[0].keys('test:ticket:*');
      assert.ok(keys.length > 0);
      for (const key of keys) assert.ok((await clients[0].pttl(key)) <= ticketKeptMs);
      await eventually(async () => (await clients[0].exists(...keys)) === 0);
    },
    close: () => server.stop(),
  };
});

test('without Redis tickets are refused as for now, not as wrong', async (t) => {
  const server = await OwnRedis.start();
  t.after(() => server.stop());
  const redis = await server.client('one');
  const clock = systemClock;
  const tickets = new StreamTicketsRedis({ redis, prefix: 'test:', clock, random: systemRandom, ticketKeptMs });
  const { ticket } = await tickets.issue(ticketPrincipal('r1'));
  await server.kill();
  const refused = { code: 'CARILLON_OVERLOADED', retryAfterSeconds: limits.busRetryMs / 1000 };
  await assert.rejects(tickets.issue(ticketPrincipal('r1')), refused);
  await assert.rejects(tickets.redeem(ticket), refused);
});
