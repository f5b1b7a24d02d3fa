/** What every AudienceStore must do. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { audienceKey, personKey } from '../base/ids.ts';
import type { Member } from './audience-source.ts';
import type { AudienceStore } from './audience-store.ts';
import type { MembershipChange } from './membership.ts';

const fans = audienceKey('default', 'followers:u1');
const logged = { logged: true } as const;

/** `user` joins `fans` at time 1000, unless told otherwise. */
function change(user: string, more: Partial<MembershipChange> = {}): MembershipChange {
  return { audience: fans, user, present: true, notify: null, seq: null, timeMs: 1000, takenMs: 1000, ...more };
}

async function allMembers(store: AudienceStore, pageMax: number, audience = fans): Promise<Member[]> {
  const members: Member[] = [];
  let after: string | null = null;
  do {
    const page = await store.members(audience, after, pageMax);
    assert.ok(page.members.length <= pageMax);
    members.push(...page.members);
    after = page.next;
  } while (after !== null);
  return members;
}

const usersOf = async (store: AudienceStore, pageMax = 100) =>
  (await allMembers(store, pageMax)).map(({ user }) => user);

/** Names that sort differently by UTF-16 units, hold what separates keys elsewhere, or begin alike. */
const names = ['a', 'a0', 'ab', 'b', 'é', '\uff5e', '😀', 'a:b', 'a/b', ' ', '~', 'Z'];

export function audienceStoreContract(name: string, open: () => Promise<AudienceStore>): void {
  describe(`AudienceStore: ${name}`, () => {
    test('members are listed once each, whatever the size of a page', async () => {
      const store = await open();
      await store.apply(
        names.map((user) => change(user)),
        logged,
      );
      for (const pageMax of [1, 2, 5, names.length, 100]) {
        assert.deepEqual(new Set(await usersOf(store, pageMax)), new Set(names));
        assert.equal((await usersOf(store, pageMax)).length, names.length);
      }
      assert.deepEqual(await usersOf(store, 3), await usersOf(store, 100), 'the order does not depend on the page');
    });

    test('an audience nobody has joined is empty and not known; one that everybody left is known', async () => {
      const store = await open();
      assert.deepEqual(await store.members(fans, null, 10), { members: [], next: null });
      assert.equal(await store.count(fans), 0);
      assert.equal(await store.isKnown(fans), false);
      await store.apply([change('a')], { logged: false });
      assert.equal(await store.isKnown(fans), true);
      await store.apply([change('a', { present: false, timeMs: 2000 })], logged);
      assert.deepEqual(await usersOf(store), []);
      assert.equal(await store.count(fans), 0);
      assert.equal(await store.isKnown(fans), true);
    });

    test('E7: an unfollow that overtakes its follow ends unfollowed, by seq and by time', async () => {
      const store = await open();
      await store.apply([change('a', { present: false, seq: 2, timeMs: 5 }), change('b', { present: false })], logged);
      await store.apply([change('a', { seq: 1, timeMs: 9 }), change('b', { timeMs: 999 })], logged);
      assert.deepEqual(await usersOf(store), []);
      await store.apply([change('a', { seq: 3, timeMs: 1 }), change('b', { timeMs: 1001 })], logged);
      assert.deepEqual(await usersOf(store), ['a', 'b']);
      assert.equal(await store.count(fans), 2);
    });

    test('at one moment leaving wins, whichever comes first', async () => {
      for (const both of [
        [change('a'), change('a', { present: false })],
        [change('a', { present: false }), change('a')],
      ]) {
        const store = await open();
        for (const one of both) await store.apply([one], logged);
        assert.deepEqual(await usersOf(store), []);
        const atOnce = await open();
        await atOnce.apply(both, logged);
        assert.deepEqual(await usersOf(atOnce), []);
        assert.equal(await atOnce.count(fans), 0);
      }
    });

    test('the wish to be notified stays until it is changed, and ends with the membership', async () => {
      const store = await open();
      const at = async (timeMs: number, more: Partial<MembershipChange>) => {
        await store.apply([change('a', { timeMs, ...more })], logged);
        return (await allMembers(store, 10))[0]?.notify;
      };
      assert.equal(await at(1, {}), false);
      assert.equal(await at(2, { notify: true }), true);
      assert.equal(await at(3, {}), true);
      assert.equal(await at(3, { notify: false }), false, 'changed in the same moment');
      assert.equal(await at(4, { notify: true }), true);
      await at(5, { present: false });
      assert.equal(await at(6, {}), false);
      assert.deepEqual(await store.membership(fans, 'a'), {
        present: true,
        notify: false,
        seq: null,
        timeMs: 6,
        takenMs: 1000,
        sinceMs: 1000,
      });
      assert.equal(await store.membership(fans, 'b'), null);
    });

    test('F3: since when somebody is a member does not change while they are', async () => {
      const store = await open();
      const sinceAt = async (takenMs: number, more: Partial<MembershipChange>) => {
        await store.apply([change('a', { timeMs: takenMs, takenMs, ...more })], logged);
        return (await store.membership(fans, 'a'))?.sinceMs;
      };
      assert.equal(await sinceAt(10, {}), 10);
      assert.equal(await sinceAt(20, { notify: true }), 10);
      assert.equal(await sinceAt(30, { present: false }), 30);
      assert.equal(await sinceAt(40, {}), 40);
      assert.equal(await sinceAt(50, { sinceMs: 7 }), 7, 'of a copy');
    });

    test('F3: those who asked to be pushed, in pages, and the memberships of many at once', async () => {
      const store = await open();
      const other = audienceKey('default', 'followers:u11');
      await store.apply(
        names.map((user, at) => change(user, { notify: at % 2 === 0 })),
        logged,
      );
      await store.apply([change('x', { audience: other, notify: true })], logged);
      await store.apply(
        [change('a', { timeMs: 2000, present: false }), change('b', { timeMs: 2000, notify: true })],
        logged,
      );
      const asked: string[] = [];
      for (let after: string | null = null; ; ) {
        const page = await store.askedForPush(fans, after, 2);
        assert.ok(page.members.length <= 2 && page.members.every(({ notify }) => notify));
        asked.push(...page.members.map(({ user }) => user));
        after = page.next;
        if (after === null) break;
      }
      const meant = names.filter((user, at) => user === 'b' || (at % 2 === 0 && user !== 'a'));
      assert.deepEqual(asked.sort(), meant.sort());
      const places = [
        { audience: other, user: 'x' },
        { audience: fans, user: 'x' },
        { audience: fans, user: 'a' },
      ];
      assert.deepEqual(
        (await store.memberships(places)).map((membership) => membership?.present ?? null),
        [true, null, false],
      );
    });

    test('S3: tenants and audiences never meet, also where names begin alike', async () => {
      const store = await open();
      const others = [
        audienceKey('other', 'followers:u1'),
        audienceKey('default', 'followers:u'),
        audienceKey('default', 'followers:u11'),
      ];
      await store.apply([change('a'), ...others.map((audience, at) => change(`o${at}`, { audience }))], logged);
      assert.deepEqual(await usersOf(store), ['a']);
      for (const [at, audience] of others.entries()) {
        assert.deepEqual(await allMembers(store, 10, audience), [{ user: `o${at}`, notify: false }]);
        assert.equal(await store.count(audience), 1);
      }
      assert.deepEqual((await store.audiencesOf(personKey('other', 'a'), 0, null)).audiences, []);
    });

    test('audiences of a person, and those that are large', async () => {
      const store = await open();
      const small = audienceKey('default', 'thread:p1');
      await store.apply(
        [change('a'), change('b'), change('c'), change('a', { audience: small }), change('b', { audience: small })],
        logged,
      );
      await store.apply([change('b', { audience: small, present: false, timeMs: 1001 })], logged);
      const of = async (user: string, above: number) =>
        (await store.audiencesOf(personKey('default', user), above, null)).audiences;
      assert.deepEqual(await of('a', 0), ['followers:u1', 'thread:p1']);
      assert.deepEqual(await of('b', 0), ['followers:u1']);
      assert.deepEqual(await of('a', 2), ['followers:u1']);
      assert.deepEqual(await of('a', 3), []);
      assert.deepEqual((await store.audiencesOf(personKey('default', 'a'), 0, 'followers:u1')).audiences, [
        'thread:p1',
      ]);
    });

    test('departures are remembered until they are pruned, members for ever', async () => {
      const store = await open();
      const leave = (user: string, takenMs: number) => change(user, { present: false, timeMs: 2000, takenMs });
      await store.apply([change('a'), change('b'), change('c'), change('d')], logged);
      await store.apply([leave('b', 5000), leave('c', 6000), leave('d', 5000)], logged);
      // d came back and left anew.
      await store.apply([change('d', { timeMs: 3000 }), { ...leave('d', 7000), timeMs: 4000 }], logged);
      while ((await store.prune(6000)) > 0);
      assert.equal(await store.membership(fans, 'b'), null);
      assert.equal((await store.membership(fans, 'c'))?.present, false);
      assert.equal((await store.membership(fans, 'd'))?.present, false);
      assert.deepEqual(await usersOf(store), ['a']);
      while ((await store.prune(10_000)) > 0);
      assert.equal(await store.membership(fans, 'd'), null);
      assert.deepEqual(await usersOf(store), ['a']);
    });

    test('whoever is a member all the while is met once, while others come and go', async () => {
      const store = await open();
      const stay = Array.from({ length: 20 }, (_, at) => `s${at}`);
      await store.apply(
        [...stay, 'x1', 'x2'].map((user) => change(user)),
        logged,
      );
      const met: string[] = [];
      let after: string | null = null;
      for (let step = 0; step < 100; step++) {
        const page = await store.members(fans, after, 3);
        met.push(...page.members.map(({ user }) => user));
        after = page.next;
        if (after === null) break;
        const user = `x${step % 4}`;
        await store.apply(
          [
            change(user, { present: step % 2 === 0, timeMs: 2000 + step }),
            change(after, { present: !after.startsWith('x'), timeMs: 2000 + step }),
          ],
          logged,
        );
      }
      assert.deepEqual(met.filter((user) => user.startsWith('s')).sort(), [...stay].sort());
    });

    test('changes in any order, split and repeated anyhow, end in the same state', async () => {
      const anyChange = fc.record({
        user: fc.constantFrom('a', 'b', 'c'),
        present: fc.boolean(),
        seq: fc.nat(6),
      });
      const runs = fc.tuple(fc.array(anyChange, { maxLength: 12 }), fc.infiniteStream(fc.nat()));
      await fc.assert(
        fc.asyncProperty(runs, async ([made, chance]) => {
          const changes = made.map(({ user, present, seq }) => change(user, { present, seq, timeMs: seq * 10 }));
          const shuffled = [...changes, ...changes.slice(0, 3)]
            .map((one) => ({ one, at: chance.next().value as number }))
            .sort((a, b) => a.at - b.at)
            .map(({ one }) => one);
          const [first, second] = [await open(), await open()];
          await first.apply(changes, logged);
          for (const one of shuffled) await second.apply([one], logged);
          const users = await usersOf(second);
          assert.deepEqual(await usersOf(first), users);
          assert.equal(await first.count(fans), users.length);
          assert.equal(await second.count(fans), users.length);
        }),
        { numRuns: 40 },
      );
    });
  });
}
