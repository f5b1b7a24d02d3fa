/** The `changes` frames of one person after one micro-batch: what changed, what went, and the counts as they are now. */
import type { Counts } from '@carillon/contract/notification.ts';
import type { Revision } from '../../base/ids.ts';
import { limits } from '../../base/limits.ts';
import type { Item, Marks } from '../../inbox/item.ts';
import { listJson, notificationJson } from '../../inbox/notification-json.ts';
import type { Describe } from '../../inbox/to-notification.ts';
import type { TextFrame } from './frame-batch.ts';

export interface ChangedPerson {
  /** Greatest revision before this micro-batch. */
  readonly revisionBefore: Revision;
  readonly marks: Marks;
  changedItems(): readonly Item[];
  counts(nowMs: number): Counts;
}

/** One frame, or several when more than `frameItemsMax` rows changed; each can be resumed from. */
export function changesFrames(person: ChangedPerson, nowMs: number, describe: Describe): TextFrame[] {
  const changed = [...person.changedItems()];
  if (changed.length > 1) changed.sort((a, b) => a.revision - b.revision);
  const counted = person.counts(nowMs);
  const counts = JSON.stringify(counted);
  const { marksVersion } = counted;
  const frames: TextFrame[] = [];
  let after = person.revisionBefore;
  for (let at = 0; at < changed.length; at += limits.frameItemsMax) {
    const part = changed.slice(at, at + limits.frameItemsMax);
    const { revision } = part.at(-1) as Item;
    const items: string[] = [];
    const removed: string[] = [];
    for (const item of part) {
      if (item.state === 'live') items.push(notificationJson(item, person.marks, nowMs, describe));
      else if (item.state === 'removed') removed.push(`"${item.id}"`);
    }
    const json = `{"kind":"changes","items":${listJson(items)},"removed":${listJson(removed)},"counts":${counts},"revision":${revision}}`;
    frames.push({ kind: 'changes', revision, after, marksVersion, json });
    after = revision;
  }
  return frames;
}
