/**
 * Inboxes as the feed sees them, for its tests: every change is a revision of its own that removes a row named after it,
 * so that what a client was shown can be counted. A catch-up joins what was missed, as the real one does.
 */
import type { ChangesFrame, MarksFrame } from '@carillon/contract/stream.ts';
import { type PersonKey, type Revision, splitPersonKey } from '../../base/ids.ts';
import type { Catchup, InboxService } from '../../inbox/inbox-service.ts';

interface Inbox {
  readonly revisions: Revision[];
  marksVersion: Revision;
  marks: MarksFrame | null;
  forgotten: Revision;
}

export class TestFeedInbox implements Pick<InboxService, 'catchup'> {
  readonly #inboxes = new Map<PersonKey, Inbox>();
  /** Runs before and after each read: where races would be. */
  pause: () => Promise<void> = () => Promise.resolve();
  isBroken = false;
  /** Else every missed revision comes in a frame of its own. */
  joinsMissed = true;
  reads = 0;

  async catchup(person: PersonKey, since: Revision | null): Promise<Catchup> {
    await this.pause();
    this.reads++;
    if (this.isBroken) throw new Error('the inbox cannot be read');
    const catchup = this.#catchup(person, since);
    await this.pause();
    return catchup;
  }

  revision(person: PersonKey): Revision {
    return this.#inbox(person).revisions.at(-1) ?? 0;
  }

  marksVersion(person: PersonKey): Revision {
    return this.#inbox(person).marksVersion;
  }

  /** Answers the frame as a shard's owner would make it that knows of marks up to `marksVersion`. */
  change(person: PersonKey, marksVersion: Revision, revision: Revision = this.revision(person) + 1): ChangesFrame {
    this.#inbox(person).revisions.push(revision);
    return this.#changes(person, [revision], marksVersion);
  }

  /** Takes in a frame that somebody made. */
  take(person: PersonKey, frame: ChangesFrame): void {
    this.#inbox(person).revisions.push(frame.revision);
  }

  mark(person: PersonKey): MarksFrame {
    const inbox = this.#inbox(person);
    inbox.marksVersion++;
    const revision = this.revision(person);
    const counts = this.#counts(person, inbox.marksVersion);
    inbox.marks = { kind: 'marks', readThrough: revision, seenThrough: revision, items: [], counts };
    return inbox.marks;
  }

  /** Revisions up to here are known no more: whoever is older must load again. */
  forget(person: PersonKey, through: Revision): void {
    this.#inbox(person).forgotten = through;
  }

  #catchup(person: PersonKey, since: Revision | null): Catchup {
    const inbox = this.#inbox(person);
    const revision = this.revision(person);
    const { user } = splitPersonKey(person);
    const hello = { kind: 'hello', user, revision, counts: this.#counts(person, inbox.marksVersion) } as const;
    if (since === null) return { hello, frames: [] };
    if (since > revision) return { hello, frames: [{ kind: 'resync', reason: 'unknownRevision' }] };
    if (since < inbox.forgotten) return { hello, frames: [{ kind: 'resync', reason: 'tooOld' }] };
    const missed = inbox.revisions.filter((each) => each > since);
    const parts = this.joinsMissed && missed.length > 0 ? [missed] : missed.map((each) => [each]);
    const changes = parts.map((part) => this.#changes(person, part, inbox.marksVersion));
    // The counts are those of now, whenever it was marked.
    return { hello, frames: inbox.marks === null ? changes : [...changes, { ...inbox.marks, counts: hello.counts }] };
  }

  #changes(person: PersonKey, revisions: readonly Revision[], marksVersion: Revision): ChangesFrame {
    const counts = this.#counts(person, marksVersion);
    const removed = revisions.map((revision) => `n_${revision}`);
    return { kind: 'changes', items: [], removed, counts, revision: revisions.at(-1) as Revision };
  }

  #counts(person: PersonKey, marksVersion: Revision): ChangesFrame['counts'] {
    return { unread: 1, unseen: 1, capped: false, revision: this.revision(person), marksVersion };
  }

  #inbox(person: PersonKey): Inbox {
    let inbox = this.#inboxes.get(person);
    if (inbox === undefined) {
      inbox = { revisions: [], marksVersion: 0, marks: null, forgotten: 0 };
      this.#inboxes.set(person, inbox);
    }
    return inbox;
  }
}
