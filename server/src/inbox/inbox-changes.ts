/**
 * What changed since a revision (I5), from the newest rows alone: a change further down than `limits.changesMax` rows
 * raises the deep revision, and whoever is older than that is told to load again.
 */
import type { Counts, Notification } from '@carillon/contract/notification.ts';
import type { ChangesFrame, MarksFrame, ResyncFrame } from '@carillon/contract/stream.ts';
import type { Revision } from '../base/ids.ts';
import { limits } from '../base/limits.ts';
import type { PersonHead } from './inbox-store.ts';
import type { Item, ItemMark } from './item.ts';
import { itemState } from './item-state.ts';
import { personRevision } from './person-revision.ts';

/** Rows read to answer: a row within the newest `changesMax` is pushed beyond these only by as many later changes. */
export const changesHeadRows: number = 2 * limits.changesMax;

/** Marks and rows get their revisions from different writers' clocks: marks this much older are sent again. */
const marksSlack = 60_000 * 4096;

export interface FrameFacts {
  readonly head: PersonHead;
  readonly counts: Counts;
  readonly nowMs: number;
  readonly toWire: (item: Item) => Notification;
}

/** `facts.head`: of `changesHeadRows`. */
export function changesFrame(facts: FrameFacts, since: Revision): ChangesFrame | ResyncFrame {
  const changed = changedItems(facts.head, since);
  return 'kind' in changed ? changed : frameOf(changed, facts, personRevision(facts.head));
}

/** The same in frames of at most `limits.frameItemsMax` rows, each with the revision to resume from if it is the last. */
export function changesFrames(facts: FrameFacts, since: Revision): (ChangesFrame | ResyncFrame)[] {
  const changed = changedItems(facts.head, since);
  if ('kind' in changed) return [changed];
  const frames: ChangesFrame[] = [];
  for (let start = 0; start < changed.length; start += limits.frameItemsMax) {
    const end = start + limits.frameItemsMax;
    const next = changed[end];
    // Rows of one revision may lie on both sides of the cut: then this frame alone has not all of it.
    const last = changed[end - 1]?.revision ?? 0;
    const revision = next === undefined ? personRevision(facts.head) : Math.min(last, next.revision - 1);
    frames.push(frameOf(changed.slice(start, end), facts, revision));
  }
  return frames;
}

/** Marks as they are, with the states of the newest items marked on their own since `since`, or shortly before. */
export function marksSince(facts: FrameFacts, since: Revision): MarksFrame {
  const { head, counts, nowMs } = facts;
  const items = head.items
    .filter((item) => item.state === 'live' && markVersion(head.marks.items.get(item.id)) > since - marksSlack)
    .map((item) => ({ id: item.id, state: itemState(item, head.marks, nowMs) }));
  const { readThrough, seenThrough } = head.marks;
  return { kind: 'marks', readThrough, seenThrough, items, counts };
}

function changedItems(head: PersonHead, since: Revision): Item[] | ResyncFrame {
  if (since > personRevision(head)) return { kind: 'resync', reason: 'unknownRevision' };
  if (since < head.deepRevision) return { kind: 'resync', reason: 'tooOld' };
  const changed = head.items.filter((item) => item.revision > since);
  if (changed.length > limits.changesMax) return { kind: 'resync', reason: 'tooOld' };
  return changed.sort((a, b) => a.revision - b.revision);
}

function frameOf(changed: readonly Item[], facts: FrameFacts, revision: Revision): ChangesFrame {
  const live = changed.filter((item) => item.state === 'live');
  const removed = changed.filter((item) => item.state === 'removed');
  return {
    kind: 'changes',
    items: live.map(facts.toWire),
    removed: removed.map((item) => item.id),
    counts: facts.counts,
    revision,
  };
}

/** -Infinity where the item has no marks of its own. */
function markVersion(mark: ItemMark | undefined): Revision {
  if (mark === undefined) return Number.NEGATIVE_INFINITY;
  const versions = [mark.read, mark.seen, mark.archived, mark.snoozedUntilMs].map((part) => part?.version ?? 0);
  return Math.max(...versions);
}
