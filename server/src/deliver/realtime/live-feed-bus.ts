/**
 * The live feed of a gateway in a cluster: frames come over the bus from the shards' owners and from whoever marks,
 * everything that may be missing is read from the inbox by revision.
 *
 *   feed: starting ──read──▶ live ──something may be missing──▶ behind ──read──▶ live
 *
 * Hints are never trusted to be complete. Each changes frame says what it follows, so that a feed that stands below
 * notices the hole before it shows what comes after it (V30). What has no successor to betray it is looked for when the
 * bus was away, when a publisher says that it lost something or that a shard has a new owner, and when presence had
 * forgotten the person; and from time to time while the bus is away.
 * A frame that came before a read began is part of what is read, since it is published after it is written. So frames
 * wait only while a read is under way.
 */

import type { Clock } from '../../base/clock.ts';
import { shardOf } from '../../base/hash.ts';
import type { PersonKey, Revision } from '../../base/ids.ts';
import { limits } from '../../base/limits.ts';
import { series, telemetry } from '../../base/telemetry.ts';
import type { Catchup, InboxService } from '../../inbox/inbox-service.ts';
import type { Bus } from './bus.ts';
import { FeedReads } from './feed-reads.ts';
import { readFrameBatch } from './frame-batch.ts';
import type { FeedFrame, FeedSink, LiveFeed } from './live-feed.ts';
import { type LiveMessage, liveChannels, readLiveMessage } from './live-messages.ts';
import type { GatewayId, Presence } from './presence.ts';
import { PresenceKeeper } from './presence-keeper.ts';

const metrics = {
  opened: series('carillon_feed_reads_total', { cause: 'opened' }),
  behind: series('carillon_feed_reads_total', { cause: 'behind' }),
};

export interface LiveFeedBusParts {
  readonly gateway: GatewayId;
  readonly presence: Presence;
  readonly bus: Bus;
  readonly inbox: Pick<InboxService, 'catchup'>;
  readonly shards: number;
  readonly clock: Clock;
}

interface Feed {
  readonly person: PersonKey;
  readonly started: (catchup: Catchup) => void;
  readonly sink: FeedSink;
  state: 'starting' | 'live' | 'behind' | 'closed';
  /** Null: a client that has nothing yet. */
  position: Revision | null;
  /** Of the marks that have been shown. */
  marksVersion: Revision;
  /** Frames that came while its inbox was read. */
  held: FeedFrame[];
  /** What came since the last read began was too much to keep, or may have been lost. */
  mustReadAgain: boolean;
}

/** Older than the version of any marks: whatever they are, they will be shown. */
const noMarks: Revision = -1;

export class LiveFeedBus implements LiveFeed {
  readonly #parts: LiveFeedBusParts;
  readonly #feeds = new Map<PersonKey, Set<Feed>>();
  readonly #keeper: PresenceKeeper;
  readonly #reads: FeedReads<Feed>;
  readonly #stops: readonly (() => void)[];

  constructor(parts: LiveFeedBusParts) {
    this.#parts = parts;
    const { gateway, presence, bus, clock } = parts;
    this.#keeper = new PresenceKeeper({ gateway, presence, clock, forgotten: (person) => this.#missedBy(person) });
    this.#reads = new FeedReads(clock, (feed) => this.#read(feed));
    const message = (bytes: Uint8Array): void => this.#receive(readLiveMessage(bytes));
    this.#stops = [
      bus.subscribe(liveChannels.all, { message, missed: () => this.#missed() }),
      bus.subscribe(liveChannels.gateway(gateway), { message, missed: () => this.#mayBeForgotten() }),
      clock.every(limits.feedPollMs, () => bus.isConnected() || this.#missed()),
    ];
  }

  open(person: PersonKey, since: Revision | null, started: (catchup: Catchup) => void, sink: FeedSink): () => void {
    const state = {
      state: 'starting',
      position: since,
      marksVersion: noMarks,
      held: [],
      mustReadAgain: false,
    } as const;
    const feed: Feed = { person, started, sink, ...state, held: [] };
    this.#feeds.set(person, (this.#feeds.get(person) ?? new Set()).add(feed));
    // In presence before the read: whoever changes the inbox after the read then finds the person there.
    this.#keeper.hold(person, () => feed.state === 'starting' && this.#reads.open(feed));
    return () => this.#close(feed);
  }

  /** Feeds that are open. */
  openFeeds(person: PersonKey): number {
    return this.#feeds.get(person)?.size ?? 0;
  }

  /** Whoever has a feed here. */
  people(): readonly PersonKey[] {
    return [...this.#feeds.keys()];
  }

  /** After the streams are closed. */
  async close(): Promise<void> {
    for (const stop of this.#stops) stop();
    for (const feed of this.#allFeeds()) this.#close(feed);
    this.#reads.close();
    await this.#keeper.close();
  }

  #close(feed: Feed): void {
    if (feed.state === 'closed') return;
    feed.state = 'closed';
    this.#reads.drop(feed);
    const feeds = this.#feeds.get(feed.person);
    feeds?.delete(feed);
    if (feeds === undefined || feeds.size > 0) return;
    this.#feeds.delete(feed.person);
    this.#keeper.release(feed.person);
  }

  #receive(message: LiveMessage | null): void {
    if (message?.kind === 'frames') this.#receiveFrames(message.batch);
    else if (message?.kind === 'gap') this.#missed(message.shards);
    else if (message === null) this.#missed();
  }

  #receiveFrames(batch: Uint8Array): void {
    try {
      readFrameBatch(batch, (person, frame) => {
        for (const feed of [...(this.#feeds.get(person) ?? [])]) this.#take(feed, frame);
      });
    } catch {
      // Not written by us, or cut: what it was to say can be read.
      this.#missed();
    }
  }

  #take(feed: Feed, frame: FeedFrame): void {
    if (feed.state === 'closed') return;
    if (feed.state !== 'live') {
      if (feed.held.length < limits.feedHeldFramesMax) feed.held.push(frame);
      else feed.mustReadAgain = true;
      return;
    }
    const position = feed.position ?? 0;
    if (frame.kind === 'marks') {
      // Marks of two processes may come in either order, and the older ones must not be shown last; nor counts of fewer
      // rows than are shown already.
      if (frame.marksVersion < feed.marksVersion || frame.revision < position) this.#lacksMarks(feed);
      else this.#show(feed, { ...frame, revision: position });
    } else if (frame.revision > position) {
      // Something is missing, or the shard's owner has not heard of marks that were shown: the inbox tells both.
      if (frame.after > position || frame.marksVersion < feed.marksVersion) this.#isBehind(feed);
      else this.#show(feed, frame);
    }
  }

  #show(feed: Feed, frame: FeedFrame): void {
    feed.position = frame.revision;
    if (frame.kind === 'marks') feed.marksVersion = frame.marksVersion;
    feed.sink(frame);
  }

  #lacksMarks(feed: Feed): void {
    feed.marksVersion = noMarks;
    this.#isBehind(feed);
  }

  #isBehind(feed: Feed): void {
    if (feed.state === 'starting' || feed.state === 'behind') feed.mustReadAgain = true;
    if (feed.state !== 'live') return;
    feed.state = 'behind';
    this.#reads.catchUp(feed);
  }

  #missed(shards: readonly number[] | null = null): void {
    const isMeant = (person: PersonKey): boolean => shards?.includes(shardOf(person, this.#parts.shards)) ?? true;
    for (const person of this.#feeds.keys()) if (isMeant(person)) this.#missedBy(person);
  }

  #missedBy(person: PersonKey): void {
    for (const feed of this.#feeds.get(person) ?? []) this.#isBehind(feed);
  }

  /** What broke the connection may have emptied presence too. */
  #mayBeForgotten(): void {
    this.#missed();
    this.#keeper.enterAll();
  }

  async #read(feed: Feed): Promise<void> {
    if (feed.state === 'closed' || feed.state === 'live') return;
    // All that came so far is in what is read now.
    feed.held = [];
    feed.mustReadAgain = false;
    telemetry.add(feed.state === 'starting' ? metrics.opened : metrics.behind);
    const catchup = await this.#parts.inbox.catchup(feed.person, feed.position);
    const { held, mustReadAgain } = feed;
    feed.held = [];
    if (!this.#isOpen(feed)) return;
    if (feed.state === 'starting') feed.started(catchup);
    else this.#showCatchup(feed, catchup);
    if (!this.#isOpen(feed)) return;
    feed.state = 'live';
    feed.position = Math.max(feed.position ?? 0, catchup.hello.revision);
    feed.marksVersion = catchup.hello.counts.marksVersion;
    if (mustReadAgain) this.#isBehind(feed);
    for (const frame of held) this.#take(feed, frame);
  }

  #showCatchup(feed: Feed, { hello, frames }: Catchup): void {
    const { marksVersion } = hello.counts;
    for (const frame of frames) {
      if (!this.#isOpen(feed)) return;
      if (frame.kind === 'marks' && marksVersion === feed.marksVersion) continue;
      const after = feed.position ?? 0;
      if (frame.kind === 'changes') feed.position = frame.revision;
      else if (frame.kind === 'resync') feed.position = hello.revision;
      const json = Buffer.from(JSON.stringify(frame));
      feed.sink({ kind: frame.kind, revision: feed.position ?? 0, after, marksVersion, json });
    }
  }

  /** What runs for it may have closed it. */
  #isOpen(feed: Feed): boolean {
    return feed.state !== 'closed';
  }

  #allFeeds(): Feed[] {
    return [...this.#feeds.values()].flatMap((feeds) => [...feeds]);
  }
}
