/** The `changes` frames of one person after one micro-batch: what changed, what went, and the counts as they are now. */
import type { Counts } from '@carillon/contract/notification.ts';
import type { ChangesFrame } from '@carillon/contract/stream.ts';
import { limits } from '../../base/limits.ts';
import { describeInApp } from '../../content/describe-in-app.ts';
import type { Item, Marks } from '../../inbox/item.ts';
import { toNotification } from '../../inbox/to-notification.ts';

export interface ChangedPerson {
  readonly marks: Marks;
  changedItems(): readonly Item[];
  counts(nowMs: number): Counts;
}

/** One frame, or several when more than `frameItemsMax` rows changed; each can be resumed from. */
export function changesFrames(person: ChangedPerson, nowMs: number): ChangesFrame[] {
  const changed = [...person.changedItems()].sort((a, b) => a.revision - b.revision);
  const counts = person.counts(nowMs);
  const frames: ChangesFrame[] = [];
  for (let at = 0; at < changed.length; at += limits.frameItemsMax) {
    const part = changed.slice(at, at + limits.frameItemsMax);
    frames.push({
      kind: 'changes',
      items: part
        .filter((item) => item.state === 'live')
        .map((item) => toNotification(item, person.marks, nowMs, describeInApp)),
      removed: part.filter((item) => item.state === 'removed').map((item) => item.id),
      counts,
      revision: (part.at(-1) as Item).revision,
    });
  }
  return frames;
}
