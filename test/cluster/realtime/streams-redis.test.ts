/**
 * Streams of every transport at two gateways over one real Redis: who comes back comes to the other gateway
 * (BC-40, BC-42).
 */
import { after } from 'node:test';
import type { Redis } from 'ioredis';
import { systemClock } from '../../../server/src/base/clock.ts';
import { BusRedis } from '../../../server/src/deliver/realtime/bus-redis.ts';
import { numbers } from '../../../server/src/deliver/realtime/live-feed.contract.ts';
import { PresenceRedis } from '../../../server/src/deliver/realtime/presence-redis.ts';
import { streamContract } from '../../../server/src/deliver/realtime/stream.contract.ts';
import { openPolls, openSse, openWebSocket } from '../../../server/src/deliver/realtime/stream-clients.contract.ts';
import type { CreateFeed } from '../../../server/src/deliver/realtime/stream-world.contract.ts';
import { TestLiveFeedBus } from '../../../server/src/deliver/realtime/test-live-feed-bus.ts';
import { OwnRedis } from './own-redis.ts';

const redis = await OwnRedis.start();
after(() => redis.stop());
// Connected before the streams' clock, which the tests hold, could have to wait for it.
const clients = await Promise.all(numbers(1, 8).map((n) => redis.client(`client ${n}`)));
let worlds = 0;

const createFeed: CreateFeed = (clock) => {
  const prefix = `test${++worlds}:`;
  const free = [...clients];
  const buses: BusRedis[] = [];
  const feed = new TestLiveFeedBus(clock, () => {
    const [publisher, subscriber] = free.splice(0, 2) as [Redis, Redis];
    const bus = new BusRedis({ publisher, subscriber, prefix, clock: systemClock });
    buses.push(bus);
    return { bus, presence: new PresenceRedis(publisher, prefix) };
  });
  // These tests count frames.
  feed.inbox.joinsMissed = false;
  const close = feed.close.bind(feed);
  feed.close = async () => {
    await close();
    for (const bus of buses) bus.close();
  };
  return feed;
};

streamContract({ name: 'websocket', open: openWebSocket, expired: 4100, revoked: 4101, createFeed });
streamContract({ name: 'sse', open: openSse, expired: 4100, revoked: 4101, createFeed });
streamContract({ name: 'poll', open: openPolls, expired: 401, revoked: 401, createFeed });
