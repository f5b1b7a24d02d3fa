/** What a person's changed rows come to as one write. */
import type { PersonKey, Revision } from '../base/ids.ts';
import { limits } from '../base/limits.ts';
import type { Member, PersonWrite } from '../inbox/item.ts';
import type { Group } from './group.ts';

/** `deepRevision`: null where it need not be written. */
export function toPersonWrite(person: PersonKey, dirty: readonly Group[], deepRevision: Revision | null): PersonWrite {
  const members: { item: Group['item']['id']; revision: Revision; members: Member[] }[] = [];
  for (const group of dirty) {
    const changed = group.unwritten?.members;
    if (changed === undefined || changed.length === 0) continue;
    // Whoever opens a row is kept in it: most rows then never need another.
    if (group.isNew && changed.length <= limits.openingMembersMax) group.item.opening = changed;
    else members.push({ item: group.item.id, revision: group.item.revision, members: changed });
  }
  for (const { item, memberSet } of dirty) if (memberSet?.isEstimate === true) item.sketch = memberSet.sketch;
  const items = dirty.map(({ item, unwritten }) => ({
    item,
    movedFrom: unwritten?.movedFrom ?? null,
    droppedFormer: unwritten?.droppedFormer ?? [],
  }));
  return { person, items, members, deepRevision };
}
