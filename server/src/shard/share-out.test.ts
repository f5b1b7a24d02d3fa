import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { shareOut, shareOutStep } from './share-out.ts';

/** Members with the shards they have; each shard is had by one of them or by none. */
const groups = fc.integer({ min: 1, max: 40 }).chain((shards) =>
  fc.record({
    shards: fc.constant(shards),
    members: fc.integer({ min: 1, max: 8 }),
    owners: fc.array(fc.integer({ min: -1, max: 7 }), { minLength: shards, maxLength: shards }),
  }),
);

function ownedOf({ members, owners }: { members: number; owners: readonly number[] }): Map<string, number[]> {
  const owned = new Map(Array.from({ length: members }, (_, at) => [`m${at}`, [] as number[]]));
  for (const [shard, owner] of owners.entries()) owned.get(`m${owner}`)?.push(shard);
  return owned;
}

test('every shard has one owner, shares are even, and nothing moves that need not', () => {
  fc.assert(
    fc.property(groups, (group) => {
      const owned = ownedOf(group);
      const shares = shareOut(group.shards, owned);
      assert.deepEqual(
        [...shares.values()].flat().sort((a, b) => a - b),
        group.owners.map((_, shard) => shard),
      );
      const sizes = [...shares.values()].map((share) => share.length);
      assert.ok(Math.max(...sizes) - Math.min(...sizes) <= 1, 'even');
      const least = Math.floor(group.shards / group.members);
      for (const [member, had] of owned) {
        const kept = had.filter((shard) => shares.get(member)?.includes(shard)).length;
        assert.ok(kept >= Math.min(had.length, least), `${member} keeps its share`);
      }
      assert.deepEqual(shareOut(group.shards, new Map([...owned].reverse())), shares, 'whoever works it out');
      assert.deepEqual(shareOut(group.shards, shares), shares, 'it stays');
    }),
  );
});

test('a step gives no shard to anyone while another has it, and the next step comes to the end', () => {
  fc.assert(
    fc.property(groups, (group) => {
      const owned = ownedOf(group);
      const step = shareOutStep(group.shards, owned);
      for (const [member, share] of step) {
        for (const shard of share) {
          const owner = [...owned].find(([, had]) => had.includes(shard))?.[0];
          assert.ok(owner === undefined || owner === member);
        }
      }
      assert.deepEqual(shareOutStep(group.shards, step), shareOut(group.shards, step));
    }),
  );
});

test("a shard that two claim is nobody's", () => {
  const claims = new Map([
    ['a', [0, 1]],
    ['b', [1, 2]],
  ]);
  const shares = shareOutStep(3, claims);
  assert.equal([...shares.values()].flat().length, 3);
  assert.ok(shares.get('a')?.includes(0) && shares.get('b')?.includes(2));
});
