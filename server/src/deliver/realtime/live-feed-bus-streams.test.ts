/** Streams of every transport over the feed of a cluster keep what streams promise. */
import { BusHub, BusMemory } from './bus-memory.ts';
import { PresenceMemory } from './presence-memory.ts';
import { streamContract } from './stream.contract.ts';
import { openPolls, openSse, openWebSocket } from './stream-clients.contract.ts';
import type { CreateFeed } from './stream-world.contract.ts';
import { TestLiveFeedBus } from './test-live-feed-bus.ts';

const createFeed: CreateFeed = (clock) => {
  const hub = new BusHub();
  const presence = new PresenceMemory(clock);
  const feed = new TestLiveFeedBus(clock, () => ({ bus: new BusMemory(hub), presence }));
  // These tests count frames.
  feed.inbox.joinsMissed = false;
  return feed;
};

streamContract({ name: 'websocket', open: openWebSocket, expired: 4100, revoked: 4101, createFeed });
streamContract({ name: 'sse', open: openSse, expired: 4100, revoked: 4101, createFeed });
streamContract({ name: 'poll', open: openPolls, expired: 401, revoked: 401, createFeed });
