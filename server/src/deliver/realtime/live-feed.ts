/**
 * Port between the gateway and whatever knows of changes: frames of one person, first what was missed, then live.
 *
 * Order: frames reach a sink in revision order, the catch-up first, without gap or repeat.
 * Delivery: live frames are hints (at most once): whoever loses one resumes by revision from the inbox.
 */
import type { PersonKey, Revision } from '../../base/ids.ts';
import type { Catchup } from '../../inbox/inbox-service.ts';

export interface FeedFrame {
  /** `resync` where the inbox cannot tell what a client has missed: it loads again, and stands at `revision` then. */
  readonly kind: 'changes' | 'marks' | 'resync';
  /** Where a client that has this frame resumes; marks frames repeat the last one. */
  readonly revision: Revision;
  /** Of changes: the inbox's revision before them. Whoever stands below it knows that something is missing. */
  readonly after: Revision;
  /** Of the marks that the frame's counts and states show. */
  readonly marksVersion: Revision;
  /** The frame's JSON text in UTF-8 on one line, shared by all connections: never written to. */
  readonly json: Buffer;
}

export type FeedSink = (frame: FeedFrame) => void;

export interface LiveFeed {
  /**
   * Opens a feed. `started` is called once with the catch-up, synchronously before the first live frame can reach
   * `sink`. Answers how to stop; stopping before the start means neither is ever called.
   */
  open(person: PersonKey, since: Revision | null, started: (catchup: Catchup) => void, sink: FeedSink): () => void;
}
