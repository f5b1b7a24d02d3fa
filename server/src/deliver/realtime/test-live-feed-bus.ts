/**
 * Two gateways, the owner of all shards, and a process that marks, over one bus and one presence: a small cluster for
 * tests of the feed, whatever carries its hints.
 */
import type { ChangesFrame, MarksFrame } from '@carillon/contract/stream.ts';
import type { Clock } from '../../base/clock.ts';
import { shardOf } from '../../base/hash.ts';
import type { PersonKey, Revision } from '../../base/ids.ts';
import type { Catchup } from '../../inbox/inbox-service.ts';
import type { Bus } from './bus.ts';
import { marksFrame, type TextFrame } from './frame-batch.ts';
import type { FeedSink, LiveFeed } from './live-feed.ts';
import { LiveFeedBus } from './live-feed-bus.ts';
import { liveChannels, readLiveMessage } from './live-messages.ts';
import { LivePublisher } from './live-publisher.ts';
import type { Presence } from './presence.ts';
import { TestFeedInbox } from './test-feed-inbox.ts';

/** What a process has of its own. */
export interface TestProcess {
  readonly bus: Bus;
  readonly presence: Presence;
}

const shards = 4;

export class TestLiveFeedBus implements LiveFeed {
  readonly inbox = new TestFeedInbox();
  readonly gateways: readonly [LiveFeedBus, LiveFeedBus];
  readonly #clock: Clock;
  readonly #owner: TestProcess;
  #ownerPublisher: LivePublisher;
  readonly #apiPublisher: LivePublisher;
  /** What the owner has in memory of marks. */
  readonly #ownerMarks = new Map<PersonKey, Revision>();
  #published: Promise<void> = Promise.resolve();
  #opened = 0;

  constructor(clock: Clock, open: () => TestProcess) {
    this.#clock = clock;
    const gateway = (name: string): LiveFeedBus =>
      new LiveFeedBus({ gateway: name, ...open(), inbox: this.inbox, shards, clock });
    this.gateways = [gateway('g1'), gateway('g2')];
    this.#owner = open();
    this.#ownerPublisher = new LivePublisher({ ...this.#owner, shards, clock });
    this.#apiPublisher = new LivePublisher({ ...open(), shards, clock });
    for (let shard = 0; shard < shards; shard++) {
      this.#owner.bus.subscribe(liveChannels.shard(shard), {
        message: (bytes) => {
          const message = readLiveMessage(bytes);
          if (message?.kind === 'marksChanged') this.#ownerMarks.delete(message.person);
          else this.#ownerMarks.clear();
        },
        missed: () => this.#ownerMarks.clear(),
      });
    }
  }

  open(person: PersonKey, since: Revision | null, started: (catchup: Catchup) => void, sink: FeedSink): () => void {
    // Who comes back comes to the other gateway.
    this.#opened++;
    return (this.gateways[this.#opened % 2] as LiveFeedBus).open(person, since, started, sink);
  }

  subscriptions(person: PersonKey): number {
    return this.gateways.reduce((sum, gateway) => sum + gateway.openFeeds(person), 0);
  }

  get pause(): () => Promise<void> {
    return this.inbox.pause;
  }

  set pause(pause: () => Promise<void>) {
    this.inbox.pause = pause;
  }

  forget(person: PersonKey, through: Revision): void {
    this.inbox.forget(person, through);
  }

  /** The owner changes the person's rows. Resolves when that is handed over, or known to be lost. */
  change(person: PersonKey): Promise<void> {
    const marks = this.#ownerMarks.get(person) ?? this.inbox.marksVersion(person);
    this.#ownerMarks.set(person, marks);
    const after = this.inbox.revision(person);
    return this.#tell(this.#ownerPublisher, person, changesText(this.inbox.change(person, marks), after));
  }

  publish(person: PersonKey, frame: ChangesFrame): void {
    const after = this.inbox.revision(person);
    this.inbox.take(person, frame);
    void this.#tell(this.#ownerPublisher, person, changesText(frame, after));
  }

  /** Somebody marks through another process. */
  async mark(person: PersonKey): Promise<void> {
    await this.#tell(this.#apiPublisher, person, marksFrame(this.inbox.mark(person)));
    await this.#apiPublisher.marksChanged(person);
  }

  /** Whether the owner has the newest marks in memory, or none. */
  ownerIsCurrent(person: PersonKey): boolean {
    return (this.#ownerMarks.get(person) ?? this.inbox.marksVersion(person)) === this.inbox.marksVersion(person);
  }

  publishMarks(person: PersonKey, frame: MarksFrame): void {
    void this.#tell(this.#apiPublisher, person, marksFrame(frame));
  }

  /** The owner changes rows, and dies before anybody hears of it; the next one takes over. */
  changeOwner(person: PersonKey): void {
    this.inbox.change(person, 0);
    this.#ownerMarks.clear();
    this.#ownerPublisher.close();
    this.#ownerPublisher = new LivePublisher({ ...this.#owner, shards, clock: this.#clock });
    this.#ownerPublisher.gap([shardOf(person, shards)]);
  }

  async close(): Promise<void> {
    this.#ownerPublisher.close();
    this.#apiPublisher.close();
    for (const gateway of this.gateways) await gateway.close();
  }

  #tell(publisher: LivePublisher, person: PersonKey, frame: TextFrame): Promise<void> {
    this.#published = this.#published.then(async () => {
      const watched = await publisher.watched([person]);
      await publisher.publish(watched, watched.has(person) ? [{ person, frame }] : []);
    });
    return this.#published;
  }
}

function changesText(frame: ChangesFrame, after: Revision): TextFrame {
  const { revision, counts } = frame;
  return { kind: 'changes', revision, after, marksVersion: counts.marksVersion, json: JSON.stringify(frame) };
}
