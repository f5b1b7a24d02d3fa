/** The greatest revision of a person's inbox. */
import type { Revision } from '../base/ids.ts';
import type { PersonHead } from './inbox-store.ts';

/** `head`: of at least `limits.changesMax` rows. Whatever changed further down is in its `deepRevision`. */
export function personRevision(head: PersonHead): Revision {
  let revision = head.deepRevision;
  for (const item of head.items) if (item.revision > revision) revision = item.revision;
  return revision;
}
