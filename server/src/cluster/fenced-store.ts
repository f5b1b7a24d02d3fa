/**
 * The inbox store as the owner of shards may use it: a write begins only while its shard is held, so that an owner that
 * stood still and was taken for dead does not write over its successor (see `ShardOwnership`). Reads are free.
 */
import { shardOf } from '../base/hash.ts';
import type { InboxStore } from '../inbox/inbox-store.ts';
import type { ShardOwnership } from '../shard/shard-ownership.ts';

export class ShardNotHeld extends Error {
  readonly code = 'SHARD_NOT_HELD';
}

/** `shards`: how many there are. */
export function fencedStore(store: InboxStore, ownership: Pick<ShardOwnership, 'holds'>, shards: number): InboxStore {
  const check = (shard: number): void => {
    if (!ownership.holds(shard)) throw new ShardNotHeld(`Shard ${shard} may have another owner.`);
  };
  return {
    async write(shard, people, positions) {
      check(shard);
      await store.write(shard, people, positions);
    },
    async remove(person, items, revision) {
      check(shardOf(person, shards));
      await store.remove(person, items, revision);
    },
    async erase(person, revision) {
      check(shardOf(person, shards));
      await store.erase(person, revision);
    },
    positions: store.positions.bind(store),
    head: store.head.bind(store),
    rows: store.rows.bind(store),
    item: store.item.bind(store),
    members: store.members.bind(store),
    dropped: store.dropped.bind(store),
    marks: store.marks.bind(store),
    mergeMarks: store.mergeMarks.bind(store),
    people: store.people.bind(store),
    placeAt: store.placeAt.bind(store),
    close: store.close.bind(store),
  };
}
