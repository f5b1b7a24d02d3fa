/** Presence in a real Redis that is killed and started again. */
import { presenceContract } from '../../../server/src/deliver/realtime/presence.contract.ts';
import { PresenceRedis } from '../../../server/src/deliver/realtime/presence-redis.ts';
import { OwnRedis } from './own-redis.ts';

/** So short that a test can wait for it, so long that what is entered in a loop stays. */
const keptMs = 1500;

presenceContract('in Redis', async () => {
  const redis = await OwnRedis.start();
  const clients = await Promise.all(['one', 'two', 'three'].map((name) => redis.client(name)));
  let opened = 0;
  return {
    open: () => new PresenceRedis(clients[opened++ % clients.length] as (typeof clients)[number], 'test:', keptMs),
    passTime: () => {},
    takeAway: () => redis.kill(),
    bringBack: () => redis.restart(),
    close: () => redis.stop(),
  };
});
