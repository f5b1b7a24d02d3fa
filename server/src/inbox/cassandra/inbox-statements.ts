/**
 * What is written to the inbox tables, as statements of one partition: sent as one batch they are one mutation, which
 * Cassandra applies wholly or not at all. Every cell carries a timestamp of ours, never the time of writing, so that
 * repeating a statement, or sending statements in another order, ends in the same cells.
 *
 *   rows      the row's revision: an outdated owner's late write loses
 *   members   twice the delta's revision, so that there is room between two: a joined delta takes the place of the
 *             last of those it joins
 *   facts     see `facts-codec.ts`
 */
import { types } from 'cassandra-driver';
import { type PersonKey, type Revision, splitPersonKey } from '../../base/ids.ts';
import { revisionAt } from '../../base/revision.ts';
import type { MarksPatch } from '../inbox-store.ts';
import type { Item, Member, PersonWrite } from '../item.ts';
import { encodeItem } from '../item-codec.ts';
import { encodeMembers } from '../member-codec.ts';
import { type Fact, itemFacts, revisionFact, throughFacts } from './facts-codec.ts';

export interface Statement {
  readonly query: string;
  readonly params: readonly unknown[];
}

/** The id under which facts of the person lie: before all rows, newest first. */
export const personId = '~';

/** The id under which events lie that left no row: beyond what a list, or a head, reads. */
export const droppedId = '~d';

const whereId = 'WHERE tenant = ? AND user = ? AND id = ?';
const putItem = `UPDATE inbox USING TIMESTAMP ? AND TTL ? SET item = ? ${whereId}`;
const putFact = `UPDATE inbox USING TIMESTAMP ? SET facts[?] = ? ${whereId}`;
const putBrief = `UPDATE inbox USING TIMESTAMP ? AND TTL ? SET facts[?] = ? ${whereId}`;
const putMembers = `UPDATE inbox_members USING TIMESTAMP ? AND TTL ? SET members = ? ${whereId} AND revision = ?`;
const deleteRow = `DELETE FROM inbox USING TIMESTAMP ? ${whereId}`;
const deleteMembers = `DELETE FROM inbox_members USING TIMESTAMP ? ${whereId}`;
const deleteMembersBefore = `DELETE FROM inbox_members USING TIMESTAMP ? ${whereId} AND revision < ?`;

/** How long rows live if retention does not come for them: seconds from now. */
export interface Lifetimes {
  row(acceptedAtMs: number): number;
  readonly members: number;
}

export function writeStatements(change: PersonWrite, lifetimes: Lifetimes): Statement[] {
  const { tenant, user } = splitPersonKey(change.person);
  const statements: Statement[] = [];
  // Where a row has moved from is in the row itself: its place in the table never changes.
  for (const { item } of change.items) {
    const ttl = lifetimes.row(item.acceptedAtMs);
    statements.push({ query: putItem, params: [item.revision, ttl, encodeItem(item), tenant, user, item.id] });
  }
  for (const { item, revision, members } of change.members) {
    const params = [2 * revision, lifetimes.members, encodeMembers(members), tenant, user, item, revision];
    statements.push({ query: putMembers, params });
  }
  if (change.deepRevision !== null) {
    statements.push(factStatement(change.person, personId, revisionFact('deep', change.deepRevision)));
  }
  if (change.notes !== undefined) {
    const { revision, text } = change.notes;
    statements.push(factStatement(change.person, personId, { name: 'notes', value: text, timestamp: revision }));
  }
  for (const { slot, text, decidedAtMs } of change.dropped ?? []) {
    const params = [revisionAt(decidedAtMs), lifetimes.row(decidedAtMs), String(slot), text, tenant, user, droppedId];
    statements.push({ query: putBrief, params });
  }
  return statements;
}

export function marksStatements(person: PersonKey, patch: MarksPatch): Statement[] {
  const statements = throughFacts(patch).map((fact) => factStatement(person, personId, fact));
  for (const change of patch.items ?? []) {
    statements.push(...itemFacts(change, patch.version).map((fact) => factStatement(person, change.id, fact)));
  }
  return statements;
}

/** Deletes the rows with their marks and members. */
export function removeStatements(person: PersonKey, items: readonly Item[], revision: Revision): Statement[] {
  const { tenant, user } = splitPersonKey(person);
  const statements = [factStatement(person, personId, revisionFact('trimmed', revision))];
  for (const item of items) {
    statements.push({ query: deleteRow, params: [revision, tenant, user, item.id] });
    if (mayHaveDeltas(item)) statements.push({ query: deleteMembers, params: [2 * revision, tenant, user, item.id] });
  }
  return statements;
}

/**
 * Deletes the person's partitions as of that revision. A greater one stays for a while, from which the next owner counts
 * on: what it writes must not lie before the deletion.
 */
export function eraseStatements(person: PersonKey, revision: Revision): Statement[] {
  const { tenant, user } = splitPersonKey(person);
  const { name, value } = revisionFact('trimmed', revision + 1);
  const kept = [revision + 1, erasedKeptSeconds, name, value, tenant, user, personId];
  return [
    { query: deletePartition('inbox'), params: [revision, tenant, user] },
    { query: deletePartition('inbox_members'), params: [2 * revision + 1, tenant, user] },
    { query: putBrief, params: kept },
  ];
}

const deletePartition = (table: string): string =>
  `DELETE FROM ${table} USING TIMESTAMP ? WHERE tenant = ? AND user = ?`;
/** Longer than clocks can have been ahead. */
const erasedKeptSeconds = 86_400;

/** Puts `joined` in the place of all deltas up to the last one, of this revision. */
export function joinStatements(
  person: PersonKey,
  id: string,
  joined: { readonly members: readonly Member[]; readonly lastRevision: Revision },
  lifetimes: Lifetimes,
): Statement[] {
  const { tenant, user } = splitPersonKey(person);
  const { members, lastRevision } = joined;
  const twice = types.Long.fromNumber(2 * lastRevision);
  return [
    { query: deleteMembersBefore, params: [twice.subtract(1), tenant, user, id, lastRevision] },
    {
      query: putMembers,
      params: [twice.add(1), lifetimes.members, encodeMembers(members), tenant, user, id, lastRevision],
    },
  ];
}

/** A row nothing happened to since it was opened has its members in itself. */
function mayHaveDeltas(item: Item): boolean {
  return item.opening.length === 0 || item.revision !== item.createdRevision;
}

function factStatement(person: PersonKey, id: string, { name, value, timestamp }: Fact): Statement {
  const { tenant, user } = splitPersonKey(person);
  return { query: putFact, params: [timestamp, name, value, tenant, user, id] };
}
