/** The feed of two gateways over one real Redis, which is killed, emptied and cut off (V30, BC-35, BC-40, BC-42). */
import { systemClock } from '../../../server/src/base/clock.ts';
import { limits } from '../../../server/src/base/limits.ts';
import { VirtualClock } from '../../../server/src/base/virtual-clock.ts';
import { BusRedis } from '../../../server/src/deliver/realtime/bus-redis.ts';
import {
  type LossyFeedWorld,
  liveFeedContract,
  lossyFeedContract,
} from '../../../server/src/deliver/realtime/live-feed.contract.ts';
import { PresenceRedis } from '../../../server/src/deliver/realtime/presence-redis.ts';
import { TestLiveFeedBus } from '../../../server/src/deliver/realtime/test-live-feed-bus.ts';
import { eventually } from '../../flow/eventually.ts';
import { OwnRedis } from './own-redis.ts';

async function createWorld(): Promise<LossyFeedWorld> {
  const redis = await OwnRedis.start();
  const operator = await redis.client('operator');
  // Redis answers in its own time; refreshing, polling and pacing need not be waited for.
  const clock = new VirtualClock();
  const buses: BusRedis[] = [];
  const feed = new TestLiveFeedBus(clock, () => {
    const publisher = redis.clientNow('publisher');
    const subscriber = redis.clientNow('subscriber');
    const bus = new BusRedis({ publisher, subscriber, prefix: 'test:', clock: systemClock });
    buses.push(bus);
    return { bus, presence: new PresenceRedis(publisher, 'test:') };
  });
  const allConnected = (): boolean => buses.every((bus) => bus.isConnected());
  await eventually(allConnected);
  return {
    gateways: feed.gateways,
    get pause() {
      return feed.pause;
    },
    set pause(pause) {
      feed.pause = pause;
    },
    change: (person) => feed.change(person),
    mark: (person) => feed.mark(person),
    forget: (person, through) => feed.forget(person, through),
    revision: (person) => feed.inbox.revision(person),
    marksVersion: (person) => feed.inbox.marksVersion(person),
    passTime: () => clock.advance(limits.busRetryMs / 50),
    faults: {
      async 'Redis is killed and comes back empty'(during) {
        await redis.kill();
        await during();
        await redis.restart();
      },
      async 'Redis is killed while much happens'(during) {
        const happening = during();
        await redis.kill();
        await happening;
        await redis.restart();
      },
      async 'Redis is emptied'(during) {
        await eventually(() =>
          operator.flushall().then(
            () => true,
            () => false,
          ),
        );
        await during();
      },
      async 'all subscriptions are cut'(during) {
        const happening = during();
        await operator.call('CLIENT', 'KILL', 'TYPE', 'pubsub');
        await happening;
      },
      async 'all other connections are cut'(during) {
        const happening = during();
        await operator.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
        await happening;
      },
      async 'a shard has a new owner'(during, people) {
        await during();
        for (const person of people) feed.changeOwner(person);
      },
    },
    async close() {
      await feed.close();
      for (const bus of buses) bus.close();
      await redis.stop();
    },
  };
}

liveFeedContract('over Redis', createWorld);
lossyFeedContract('over Redis', createWorld);
