import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import type { Member } from '../inbox/item.ts';
import { Members } from './members.ts';

const someMember: fc.Arbitrary<Member> = fc
  .record({
    actor: fc.nat(15).map((n) => `a${n}`),
    thing: fc.constantFrom('', 't1', 't2'),
    mention: fc.boolean(),
    countedAtMs: fc.nat(50),
    present: fc.boolean(),
  })
  .map(({ actor, thing, mention, countedAtMs, present }) => ({
    key: `${actor}${thing === '' ? '' : `\u0001${thing}`}${mention ? '\u0001@' : ''}`,
    actor: { id: actor, name: null, avatar: null },
    thing,
    countedAtMs,
    seq: null,
    timeMs: countedAtMs,
    present,
    countedIn: 0,
  }));

it('agrees with a plain recount after any changes', () => {
  fc.assert(
    fc.property(fc.array(someMember, { maxLength: 60 }), (changes) => {
      const members = new Members();
      const plain = new Map<string, Member>();
      for (const member of changes) {
        members.set(member);
        plain.set(member.key, member);
        const present = [...plain.values()].filter((each) => each.present);
        assert.equal(members.people, new Set(present.map((each) => each.actor.id)).size);
        assert.equal(members.isEmpty, present.length === 0);
        assert.equal(
          members.isMentioned,
          present.some((each) => each.key.endsWith('@')),
        );
        assert.equal(
          members.hasPlain,
          present.some((each) => !each.key.endsWith('@')),
        );
        assert.deepEqual(
          members.newest().map(({ id }) => id),
          newestPeople(present),
        );
      }
      assert.equal(members.size, plain.size);
      assert.deepEqual(
        [...members].map((each) => members.get(each.key)),
        [...members],
      );
    }),
    { numRuns: 2000 },
  );
});

function newestPeople(present: readonly Member[]): string[] {
  const latest = new Map<string, number>();
  for (const { actor, countedAtMs } of present) {
    latest.set(actor.id, Math.max(latest.get(actor.id) ?? Number.NEGATIVE_INFINITY, countedAtMs));
  }
  return [...latest]
    .sort(([a, aMs], [b, bMs]) => bMs - aMs || (a < b ? -1 : 1))
    .slice(0, 3)
    .map(([id]) => id);
}

const someone = (n: number, present = true): Member => ({
  key: `a${n}`,
  actor: { id: `a${n}`, name: null, avatar: null },
  thing: '',
  countedAtMs: n,
  seq: null,
  timeMs: n,
  present,
  countedIn: 0,
});

it('counts exactly up to the limit, estimates above it, and goes on from what was stored', () => {
  const members = new Members([], 100);
  for (let n = 1; n <= 100; n++) assert.equal(members.set(someone(n)), true);
  assert.deepEqual([members.people, members.isEstimate], [100, false]);
  assert.equal(members.set(someone(101)), true, 'who makes it too many is still kept');
  let kept = 0;
  for (let n = 102; n <= 2000; n++) if (members.set(someone(n))) kept++;
  assert.equal(kept, 0);
  assert.ok(Math.abs(members.people - 2000) < 200, `${members.people}`);
  assert.deepEqual(
    members.newest().map(({ id }) => id),
    ['a2000', 'a1999', 'a1998'],
  );

  const stored = new Members([...members], 100, members.sketch);
  assert.equal(stored.people, members.people);
  stored.set(someone(1500));
  assert.equal(stored.people, members.people, 'somebody again changes nothing');
});
