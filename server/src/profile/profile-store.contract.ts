/** What every ProfileStore must do. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { type PersonKey, personKey, type TenantId } from '../base/ids.ts';
import { limits } from '../base/limits.ts';
import type { Facts, Profile } from './profile.ts';
import type { ChangeOutcome, ProfileChange } from './profile-change.ts';
import type { ProfileStore, ProfileWatcher } from './profile-store.ts';

export interface ProfileStoreUnderTest {
  readonly name: string;
  /** A fresh, empty store, at `nowMs`. */
  open(nowMs: number): Promise<ProfileStore>;
  /** The same data as another process sees them, or this one after a restart; null where nothing outlives the process. */
  reopen: (() => Promise<ProfileStore>) | null;
  /** Lets that time pass by which watchers must have heard. */
  heard(): Promise<void>;
}

const nowMs = Date.UTC(2026, 2, 10, 12);
const ana = personKey('t', 'ana');
const bo = personKey('t', 'bo');

const facts: Facts = {
  locale: 'de',
  timeZone: 'Asia/Kolkata',
  email: 'ana@example.org',
  emailVerified: true,
  createdAtMs: nowMs - 1,
  suspended: false,
};

class Heard implements ProfileWatcher {
  readonly people: PersonKey[] = [];
  changed(people: readonly PersonKey[]): void {
    this.people.push(...people);
  }
  missed(): void {}
}

export function profileStoreContract(under: ProfileStoreUnderTest): void {
  describe(`ProfileStore: ${under.name}`, () => {
    let store: ProfileStore;
    const opened: ProfileStore[] = [];
    const open = async (made: Promise<ProfileStore>): Promise<ProfileStore> => {
      opened.push(await made);
      return made;
    };
    beforeEach(async () => {
      store = await open(under.open(nowMs));
    });
    afterEach(async () => {
      for (const each of opened.splice(0)) await each.close();
    });
    const change = async (person: PersonKey, ...changes: ProfileChange[]): Promise<ChangeOutcome[]> => {
      return [...(await store.change(changes.map((each) => ({ person, change: each }))))];
    };
    const read = async (person: PersonKey): Promise<Profile | null> => (await store.read([person]))[0] ?? null;

    test('who has none gets null, in the order asked for, and may be asked for repeatedly', async () => {
      assert.deepEqual(await store.read([]), []);
      assert.deepEqual(await store.read([ana, bo, ana]), [null, null, null]);
      await change(bo, { kind: 'facts', facts });
      const [first, second, third] = await store.read([bo, ana, bo]);
      assert.deepEqual([first?.facts, second, third?.facts], [facts, null, facts]);
    });

    test('keeps every part as it was given', async () => {
      const choices = {
        muteAll: false,
        pausedUntil: null,
        timeZone: 'Asia/Kolkata',
        channels: { push: false },
        categories: { reactions: { email: false, push: true } },
        types: { 'post.liked': {} },
        quietHours: { enabled: true, days: { mon: [{ from: '22:00', to: '08:00' }], sun: [] } },
      };
      await change(
        ana,
        { kind: 'choices', choices, expected: 0 },
        { kind: 'facts', facts },
        { kind: 'mute', mute: { kind: 'actor', id: 'a\'"4 😀', untilMs: null } },
        { kind: 'mute', mute: { kind: 'word', id: 'a4', untilMs: nowMs + 1 } },
      );
      const profile = await read(ana);
      assert.deepEqual(profile?.choices, choices);
      assert.deepEqual(profile?.facts, facts);
      assert.deepEqual(profile?.mutes, [
        { kind: 'actor', id: 'a\'"4 😀', sinceMs: nowMs, untilMs: null },
        { kind: 'word', id: 'a4', sinceMs: nowMs, untilMs: nowMs + 1 },
      ]);
      assert.equal(await read(bo), null);
    });

    test('people of another tenant, or with a longer name, are others', async () => {
      await change(ana, { kind: 'facts', facts });
      const others = [personKey('u', 'ana'), personKey('t', 'ana2'), personKey('t', 'an')];
      assert.deepEqual(await store.read(others), [null, null, null]);
    });

    test('choices change only from the version expected', async () => {
      const [first] = await change(ana, { kind: 'choices', choices: { muteAll: true }, expected: 0 });
      const version = first?.profile?.version ?? 0;
      assert.ok(version > 0);
      const [again] = await change(ana, { kind: 'choices', choices: {}, expected: 0 });
      assert.equal(again?.kind, 'stale');
      assert.equal(again?.profile?.version, version);
      assert.deepEqual((await read(ana))?.choices, { muteAll: true });
      const [next] = await change(ana, { kind: 'choices', choices: {}, expected: version });
      assert.equal(next?.kind, 'changed');
      assert.ok((next?.profile?.version ?? 0) > version);
    });

    test('of many who expect the same version one succeeds', async () => {
      const tries = Array.from({ length: 12 }, (_, n) =>
        change(ana, { kind: 'choices', choices: { locale: `x${n}` }, expected: 0 }),
      );
      const outcomes = (await Promise.all(tries)).flat();
      assert.equal(outcomes.filter(({ kind }) => kind === 'changed').length, 1);
      const [winner] = outcomes.filter(({ kind }) => kind === 'changed');
      assert.deepEqual(await read(ana), winner?.profile);
    });

    test('changes at the same moment are all kept, and each has a revision of its own', async () => {
      const made = Array.from({ length: 30 }, (_, n) =>
        change(ana, { kind: 'mute', mute: { kind: 'object', id: `p${n}`, untilMs: null } }),
      );
      const revisions = (await Promise.all(made)).flat().map(({ profile }) => profile?.revision ?? 0);
      assert.equal(new Set(revisions).size, 30);
      const profile = await read(ana);
      assert.equal(profile?.mutes.length, 30);
      assert.equal(profile?.revision, Math.max(...revisions));
    });

    test('changes of many people in one call, also the same ones, in opposite orders at once', async () => {
      const people = Array.from({ length: 20 }, (_, n) => personKey('t', `p${n}`));
      const mutesOf = (order: readonly PersonKey[], id: string) =>
        order.map(
          (person) => ({ person, change: { kind: 'mute', mute: { kind: 'actor', id, untilMs: null } } }) as const,
        );
      const calls = Array.from({ length: 8 }, (_, n) =>
        store.change(mutesOf(n % 2 === 0 ? people : people.toReversed(), `a${n}`)),
      );
      await Promise.all(calls);
      for (const profile of await store.read(people)) assert.equal(profile?.mutes.length, 8);
    });

    test('no more mutes than the limit, until one goes', async () => {
      const mute = (id: string): ProfileChange => ({ kind: 'mute', mute: { kind: 'actor', id, untilMs: null } });
      await change(ana, ...Array.from({ length: limits.mutesMax }, (_, n) => mute(`a${n}`)));
      assert.equal((await change(ana, mute('one more')))[0]?.kind, 'tooManyMutes');
      assert.equal((await change(ana, mute('a7')))[0]?.kind, 'same');
      const unmute: ProfileChange = { kind: 'unmute', mute: { kind: 'actor', id: 'a7' } };
      const outcomes = await change(ana, unmute, unmute, mute('one more'));
      assert.deepEqual(
        outcomes.map(({ kind }) => kind),
        ['changed', 'same', 'changed'],
      );
      assert.equal((await read(ana))?.mutes.length, limits.mutesMax);
    });

    test('an erased person has nothing, and begins anew with a greater version', async () => {
      const [before] = await change(
        ana,
        { kind: 'choices', choices: {}, expected: 0 },
        { kind: 'mute', mute: { kind: 'actor', id: 'a', untilMs: null } },
      );
      await change(bo, { kind: 'facts', facts });
      assert.equal((await change(ana, { kind: 'erase' }))[0]?.kind, 'changed');
      assert.equal(await read(ana), null);
      assert.equal((await change(ana, { kind: 'erase' }))[0]?.kind, 'same');
      assert.deepEqual(
        (await store.page(null, 10)).map(({ person }) => person),
        [bo],
      );
      const [after] = await change(ana, { kind: 'choices', choices: {}, expected: 0 });
      assert.equal(after?.kind, 'changed');
      assert.deepEqual((await read(ana))?.mutes, []);
      assert.ok((after?.profile?.version ?? 0) >= (before?.profile?.version ?? 0));
    });

    test('pages through everybody once, and takes a copy as it is', async () => {
      const people = Array.from({ length: 25 }, (_, n) => personKey(n % 2 === 0 ? 't' : 'u', `p${n}`));
      await store.change(people.map((person) => ({ person, change: { kind: 'facts', facts } })));
      const found: PersonKey[] = [];
      for (let after: PersonKey | null = null; ; ) {
        const page = await store.page(after, 10);
        if (page.length === 0) break;
        assert.ok(page.length <= 10);
        found.push(...page.map(({ person }) => person));
        after = page.at(-1)?.person ?? null;
      }
      assert.deepEqual(found.toSorted(), people.toSorted());
      assert.equal(new Set(found).size, 25);
      const profile: Profile = {
        revision: 9_007_199_254_740_991,
        version: 3,
        choices: { muteAll: true },
        facts: null,
        mutes: [{ kind: 'word', id: 'w', sinceMs: 5, untilMs: 6 }],
        devices: 3,
      };
      await change(ana, { kind: 'restore', profile });
      assert.deepEqual(await read(ana), profile);
    });

    test('people are found by their email address, in any case, while they have it (S4)', async () => {
      const cy = personKey('u', 'cy');
      const say = (person: PersonKey, email: string | null) =>
        change(person, { kind: 'facts', facts: { ...facts, email } });
      await say(ana, 'Ana@Example.org');
      await say(bo, 'ana@example.org');
      await say(cy, 'ana@example.org');
      const found = async (tenant: string, email: string) =>
        (await store.findByEmail(tenant as TenantId, email)).toSorted();
      assert.deepEqual(await found('t', 'ANA@example.org'), [ana, bo]);
      assert.deepEqual(await found('u', 'ana@example.org'), [cy]);
      assert.deepEqual(await found('t', 'ana@example.or'), []);
      await say(ana, 'other@example.org');
      await change(bo, { kind: 'erase' });
      assert.deepEqual(await found('t', 'ana@example.org'), []);
      assert.deepEqual(await found('t', 'other@example.org'), [ana]);
      await say(ana, null);
      assert.deepEqual(await found('t', 'other@example.org'), []);
    });

    test('watchers hear who changed, and nobody who stopped listening does', async () => {
      const [first, second] = [new Heard(), new Heard()];
      const stop = store.watch(first);
      store.watch(second);
      await change(ana, { kind: 'facts', facts });
      await under.heard();
      stop();
      await change(bo, { kind: 'facts', facts });
      await change(ana, { kind: 'erase' });
      await change(personKey('t', 'cy'), { kind: 'erase' });
      await under.heard();
      assert.deepEqual(new Set(first.people), new Set([ana]));
      assert.ok(second.people.includes(bo));
      assert.ok(second.people.lastIndexOf(ana) > 0);
      assert.ok(!second.people.includes(personKey('t', 'cy')));
    });

    test('another process, or the next one, sees what was changed', {
      skip: !under.reopen && 'in memory',
    }, async () => {
      await change(ana, { kind: 'facts', facts });
      const other = await open((under.reopen as () => Promise<ProfileStore>)());
      assert.deepEqual((await other.read([ana]))[0]?.facts, facts);
    });
  });
}
