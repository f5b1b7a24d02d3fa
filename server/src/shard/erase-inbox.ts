/**
 * Erases everything a shard keeps of a person (S7): rows, members, marks, notes, dropped events, and timers. By the shard's
 * owner, between two micro-batches, so that nothing it has in memory comes back. Again changes nothing.
 *
 * Events that were accepted before and wait in the log are applied afterwards, as those that come later.
 */
import type { Clock } from '../base/clock.ts';
import type { PersonKey } from '../base/ids.ts';
import { limits } from '../base/limits.ts';
import { nextRevision } from '../base/revision.ts';
import { decodeNotes } from '../decide/person-notes.ts';
import type { InboxStore } from '../inbox/inbox-store.ts';
import type { Place } from '../inbox/item.ts';
import type { ShardExecutor } from './shard-executor.ts';

export interface EraseParts {
  readonly executor: ShardExecutor;
  readonly store: InboxStore;
  readonly clock: Clock;
}

export async function eraseInbox({ executor, store, clock }: EraseParts, person: PersonKey): Promise<void> {
  await executor.between(async () => {
    const previous = Math.max(await greatestRevision(store, person), executor.cached(person)?.revision ?? 0);
    await store.erase(person, nextRevision(previous, clock.now()));
    executor.forget(person);
  });
  await executor.dropTimersOf(person);
}

/** Of anything that was ever written of them and is there still: what is written at it or before must go. */
async function greatestRevision(store: InboxStore, person: PersonKey): Promise<number> {
  const { deepRevision, marks, notes } = await store.head(person, 1);
  let greatest = Math.max(deepRevision, marks.version, notes === undefined ? 0 : decodeNotes(notes).revision);
  for (let after: Place | null = null; ; ) {
    const rows = await store.rows(person, after, limits.readStepRows);
    for (const row of rows) {
      if (row.kind === 'item') greatest = Math.max(greatest, row.item.revision);
      after = row.kind === 'item' ? row.item : { activityAtMs: row.place.activityAtMs, id: row.id };
    }
    if (rows.length < limits.readStepRows) return greatest;
  }
}
