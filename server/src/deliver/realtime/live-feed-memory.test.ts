import type { PersonKey } from '../../base/ids.ts';
import { type FeedWorld, liveFeedContract } from './live-feed.contract.ts';
import { MemoryLiveFeed } from './live-feed-memory.ts';
import { TestFeedInbox } from './test-feed-inbox.ts';

liveFeedContract('in memory', async (): Promise<FeedWorld> => {
  const feed = new MemoryLiveFeed();
  const inbox = new TestFeedInbox();
  return {
    gateways: [feed, feed],
    get pause() {
      return feed.pause;
    },
    set pause(pause) {
      feed.pause = pause;
    },
    change: async (person: PersonKey) => feed.publish(person, inbox.change(person, inbox.marksVersion(person))),
    mark: async (person) => feed.publishMarks(person, inbox.mark(person)),
    forget: (person, through) => feed.forget(person, through),
    revision: (person) => inbox.revision(person),
    marksVersion: (person) => inbox.marksVersion(person),
    passTime: () => {},
    close: async () => {},
  };
});
