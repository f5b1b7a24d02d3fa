/**
 * The whole feed in memory, for tests: frames per person with their revisions, and a catch-up by revision that is read
 * from them. It keeps the port's promise the way a real one must: it listens first, then reads, and of what came in the
 * meantime passes on only what the reading did not have.
 */
import type { ChangesFrame, MarksFrame } from '@carillon/contract/stream.ts';
import { type PersonKey, type Revision, splitPersonKey } from '../../base/ids.ts';
import type { Catchup } from '../../inbox/inbox-service.ts';
import type { FeedFrame, FeedSink, LiveFeed } from './live-feed.ts';

interface Subscription {
  readonly sink: FeedSink;
  /** Frames that came while the catch-up was read; null once live. */
  early: FeedFrame[] | null;
}

interface Inbox {
  readonly changes: ChangesFrame[];
  readonly subscriptions: Set<Subscription>;
  /** Revisions up to here are forgotten: whoever is older must load again. */
  forgotten: Revision;
}

export class MemoryLiveFeed implements LiveFeed {
  readonly #inboxes = new Map<PersonKey, Inbox>();
  readonly #catchupMax: number;
  /** Runs between subscribing and reading, and again between reading and starting: where a race would be. */
  pause: () => Promise<void> = () => Promise.resolve();

  constructor(catchupMax = 200) {
    this.#catchupMax = catchupMax;
  }

  open(person: PersonKey, since: Revision | null, started: (catchup: Catchup) => void, sink: FeedSink): () => void {
    const inbox = this.#inbox(person);
    const subscription: Subscription = { sink, early: [] };
    inbox.subscriptions.add(subscription);
    void this.#start({ person, inbox, subscription, since }, started);
    return () => inbox.subscriptions.delete(subscription);
  }

  subscriptions(person: PersonKey): number {
    return this.#inbox(person).subscriptions.size;
  }

  publish(person: PersonKey, frame: ChangesFrame): void {
    const inbox = this.#inbox(person);
    const after = last(inbox);
    inbox.changes.push(frame);
    const { revision, counts } = frame;
    const json = Buffer.from(JSON.stringify(frame));
    send(inbox, { kind: 'changes', revision, after, marksVersion: counts.marksVersion, json });
  }

  /** Marks are not kept: they are what other devices see while they are there. */
  publishMarks(person: PersonKey, frame: MarksFrame): void {
    const inbox = this.#inbox(person);
    const { marksVersion } = frame.counts;
    const revision = last(inbox);
    send(inbox, { kind: 'marks', revision, after: revision, marksVersion, json: Buffer.from(JSON.stringify(frame)) });
  }

  forget(person: PersonKey, through: Revision): void {
    this.#inbox(person).forgotten = through;
  }

  async #start(
    opened: { person: PersonKey; inbox: Inbox; subscription: Subscription; since: Revision | null },
    started: (catchup: Catchup) => void,
  ): Promise<void> {
    const { person, inbox, subscription, since } = opened;
    await this.pause();
    const catchup = this.#catchup(person, inbox, since);
    await this.pause();
    if (!inbox.subscriptions.has(subscription)) return;
    const early = subscription.early ?? [];
    subscription.early = null;
    started(catchup);
    for (const frame of early) {
      const isNew = frame.kind === 'marks' || frame.revision > catchup.hello.revision;
      if (isNew && inbox.subscriptions.has(subscription)) subscription.sink(frame);
    }
  }

  #catchup(person: PersonKey, inbox: Inbox, since: Revision | null): Catchup {
    const revision = last(inbox);
    const counts = { unread: inbox.changes.length, unseen: 0, capped: false, revision, marksVersion: 0 };
    const hello = { kind: 'hello', user: splitPersonKey(person).user, revision, counts } as const;
    if (since === null) return { hello, frames: [] };
    if (since > revision) return { hello, frames: [{ kind: 'resync', reason: 'unknownRevision' }] };
    const missed = inbox.changes.filter((frame) => frame.revision > since);
    const tooOld = since < inbox.forgotten || missed.length > this.#catchupMax;
    return { hello, frames: tooOld ? [{ kind: 'resync', reason: 'tooOld' }] : missed };
  }

  #inbox(person: PersonKey): Inbox {
    let inbox = this.#inboxes.get(person);
    if (inbox === undefined) {
      inbox = { changes: [], subscriptions: new Set(), forgotten: 0 };
      this.#inboxes.set(person, inbox);
    }
    return inbox;
  }
}

function last(inbox: Inbox): Revision {
  return inbox.changes.at(-1)?.revision ?? 0;
}

function send(inbox: Inbox, frame: FeedFrame): void {
  for (const subscription of [...inbox.subscriptions]) {
    if (subscription.early === null) subscription.sink(frame);
    else subscription.early.push(frame);
  }
}
