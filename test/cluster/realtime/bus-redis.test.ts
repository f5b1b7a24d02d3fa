/** The bus over a real Redis that is killed and started again. */
import { systemClock } from '../../../server/src/base/clock.ts';
import { busContract } from '../../../server/src/deliver/realtime/bus.contract.ts';
import { BusRedis } from '../../../server/src/deliver/realtime/bus-redis.ts';
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
