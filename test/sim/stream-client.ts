/** A person's device: keeps the list it was told of, resumes by revision, and notices gaps, repeats and steps back. */
import type { Counts, Notification } from '@carillon/contract/notification.ts';
import type { ServerFrame } from '@carillon/contract/stream.ts';
import type { NotificationId, PersonKey, Revision } from '../../server/src/base/ids.ts';
import type { Random } from '../../server/src/base/random.ts';
import type { ShardHost } from '../../server/src/embedded/shard-host.ts';
import type { InboxService } from '../../server/src/inbox/inbox-service.ts';

/** The service as a device sees it. */
export type StreamSource = Pick<ShardHost, 'openFeed' | 'closeFeed'> & Pick<InboxService, 'mark'>;

export class StreamClient {
  readonly person: PersonKey;
  readonly items = new Map<string, Notification>();
  /** What went wrong with the stream itself, as sentences. */
  readonly faults: string[] = [];
  counts: Counts | null = null;
  #revision: Revision = 0;
  #marksVersion: Revision = 0;
  #isConnected = false;
  #isConnecting = false;
  /** Frames that came while the list was read anew. */
  #meanwhile: ServerFrame[] | null = null;

  constructor(person: PersonKey) {
    this.person = person;
  }

  get isConnected(): boolean {
    return this.#isConnected;
  }

  /** `reload` reads the whole list, for when there is too much to catch up with. */
  async connect(host: StreamSource, reload: () => Promise<readonly Notification[]>): Promise<void> {
    if (this.#isConnected || this.#isConnecting) return;
    this.#isConnecting = true;
    const { hello, frames } = await host.openFeed(this.person, this.#revision);
    this.#isConnecting = false;
    this.#isConnected = true;
    if (hello.revision < this.#revision) this.faults.push(`hello steps back to ${hello.revision}`);
    this.counts = hello.counts;
    for (const frame of frames) this.receive(frame);
    if (frames.some(({ kind }) => kind === 'resync')) {
      this.faults.push('resync, though there are few rows');
      await this.#reload(hello.revision, reload);
    }
  }

  async #reload(revision: Revision, reload: () => Promise<readonly Notification[]>): Promise<void> {
    this.#meanwhile = [];
    const items = await reload();
    if (!this.#isConnected) return;
    const meanwhile = this.#meanwhile;
    this.#meanwhile = null;
    this.items.clear();
    for (const item of items) this.items.set(item.id, item);
    this.#revision = revision;
    for (const frame of meanwhile) this.receive(frame);
  }

  disconnect(host: StreamSource): void {
    if (!this.#isConnected) return;
    this.#isConnected = false;
    this.#meanwhile = null;
    host.closeFeed(this.person);
  }

  /** The process at the other end is gone. */
  lostConnection(): void {
    this.#isConnected = false;
    this.#isConnecting = false;
    this.#meanwhile = null;
  }

  /** A frame of the feed, and what it follows: whoever is not there must be able to notice (V30). */
  receiveLive(frame: ServerFrame, after: Revision): void {
    const isLive = this.#isConnected && this.#meanwhile === null;
    if (isLive && frame.kind === 'changes' && after !== this.#revision) {
      this.faults.push(`changes say that they follow ${after}, and come after ${this.#revision}`);
    }
    this.receive(frame);
  }

  receive(frame: ServerFrame): void {
    if (!this.#isConnected) return;
    if (this.#meanwhile !== null) {
      this.#meanwhile.push(frame);
      return;
    }
    switch (frame.kind) {
      case 'changes':
        if (frame.revision < this.#revision) this.faults.push(`changes step back to ${frame.revision}`);
        for (const item of frame.items) this.#take(item);
        for (const id of frame.removed) this.items.delete(id);
        this.#revision = frame.revision;
        this.#count(frame.counts);
        break;
      case 'marks':
        this.#mark(frame);
        this.#count(frame.counts);
        break;
    }
  }

  /** Marks one row, or all up to what this device has seen, as a person would. */
  async markSomething(host: StreamSource, random: Random): Promise<void> {
    const ids = [...this.items.keys()] as NotificationId[];
    const id = ids[random.below(ids.length)];
    const request = random.below(3);
    if (id === undefined || request === 0) await host.mark(this.person, { kind: 'read', through: this.#revision });
    else if (request === 1) await host.mark(this.person, { kind: 'read', ids: [id] });
    else await host.mark(this.person, { kind: 'seen', through: this.#revision });
  }

  #take(item: Notification): void {
    const before = this.items.get(item.id);
    if (before !== undefined && before.revision > item.revision) this.faults.push(`${item.id} steps back`);
    this.items.set(item.id, item);
  }

  #mark(frame: ServerFrame & { kind: 'marks' }): void {
    for (const [id, item] of this.items) {
      const read = item.state.read || item.activityRevision <= frame.readThrough;
      const seen = read || item.state.seen || item.activityRevision <= frame.seenThrough;
      this.items.set(id, { ...item, state: { ...item.state, read, seen } });
    }
    for (const { id, state } of frame.items) {
      const item = this.items.get(id);
      if (item !== undefined) this.items.set(id, { ...item, state });
    }
  }

  #count(counts: Counts): void {
    if (counts.marksVersion < this.#marksVersion) this.faults.push('marks step back');
    this.#marksVersion = counts.marksVersion;
    this.counts = counts;
  }
}
