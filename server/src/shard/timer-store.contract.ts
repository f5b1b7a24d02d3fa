/** What every TimerStore must do. */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import fc from 'fast-check';
import { personKey } from '../base/ids.ts';
import { revisionAt } from '../base/revision.ts';
import { compareTimers } from './timer-order.ts';
import type { Timer, TimerStore } from './timer-store.ts';

export interface TimerStoreContract {
  readonly name: string;
  /** A fresh store, nothing in it. */
  open(): Promise<TimerStore>;
  /** The store of the last `open` as another process finds it. */
  reopen(): Promise<TimerStore>;
  /** Whether of two writes the one with the greater revision wins, whenever they arrive. */
  readonly refusesLateWrites: boolean;
  /** Runs of the property: each is many calls. */
  readonly propertyRuns: number;
  close(): Promise<void>;
}

const minute = 60_000;
const noonMs = Date.UTC(2026, 2, 10, 12);
const ana = personKey('t', 'ana');

/** Set a minute before it is due. */
const timer = (id: string, dueMs: number, more: Partial<Timer> = {}): Timer => ({
  id,
  dueMs,
  revision: revisionAt(dueMs - minute),
  person: ana,
  kind: 'window',
  data: '',
  ...more,
});

const idsOf = (timers: readonly Timer[]): string[] => timers.map(({ id }) => id);

export function timerStoreContract(contract: TimerStoreContract): void {
  const open = async (): Promise<TimerStore> => {
    const store = await contract.open();
    for (const shard of [0, 1, 2]) await store.open(shard);
    return store;
  };
  const reopen = async (): Promise<TimerStore> => {
    const store = await contract.reopen();
    for (const shard of [0, 1, 2]) await store.open(shard);
    return store;
  };

  describe(`TimerStore: ${contract.name}`, () => {
    after(() => contract.close());

    test('the rules of zones are those of each shard, as noted last, and no timer', async () => {
      const store = await open();
      assert.equal(await store.zones(0), null);
      await store.noteZones(0, '2026a');
      await store.noteZones(1, '2026b');
      await store.noteZones(0, '2026c');
      assert.deepEqual([await store.zones(0), await store.zones(1), await store.zones(2)], ['2026c', '2026b', null]);
      assert.equal(await store.nextDueMs(0), null);
      assert.deepEqual(await store.list(0, null, 10), []);
      const again = await reopen();
      assert.equal(await again.zones(0), '2026c');
    });

    test('answers what is due, in order of due time and then id, and the first so many', async () => {
      const store = await open();
      const set = [timer('b', noonMs), timer('c', noonMs + 1), timer('a', noonMs), timer('d', noonMs - 3 * minute)];
      await store.write(0, { set });
      assert.deepEqual(idsOf(await store.due(0, noonMs, 10)), ['d', 'a', 'b']);
      assert.deepEqual(idsOf(await store.due(0, noonMs, 2)), ['d', 'a']);
      assert.deepEqual(idsOf(await store.due(0, noonMs + 1, 10)), ['d', 'a', 'b', 'c']);
      assert.deepEqual(await store.due(0, noonMs - 4 * minute, 10), []);
    });

    test('answers timers as they were set', async () => {
      const store = await open();
      const first = timer('n_x:1', noonMs, {
        kind: 'digest',
        data: 'line\nbreak "q" \\ 日本 \ud83d\ude00',
        revision: 7,
      });
      const second = timer('~!z', noonMs, { person: personKey('t', 'bo'), data: '' });
      await store.write(0, { set: [first, second] });
      assert.deepEqual(await store.due(0, noonMs, 10), [first, second]);
    });

    test('one that is done is never due again, also after a restart', async () => {
      const store = await open();
      const [a, b, c] = [timer('a', noonMs), timer('b', noonMs), timer('c', noonMs + 2 * minute)];
      await store.write(0, { set: [a, b, c] });
      await store.due(0, noonMs, 10);
      await store.write(0, { done: [a] });
      assert.deepEqual(idsOf(await store.due(0, noonMs, 10)), ['b']);
      assert.deepEqual(idsOf(await (await reopen()).due(0, noonMs, 10)), ['b']);
      assert.deepEqual(idsOf(await (await reopen()).due(0, noonMs + 2 * minute, 10)), ['b', 'c']);
    });

    test('setting again changes nothing, setting anew replaces, and done may be repeated', async () => {
      const store = await open();
      const first = timer('a', noonMs);
      const later = timer('a', noonMs, { data: 'new', revision: first.revision + 1 });
      for (let round = 0; round < 2; round++) await store.write(0, { set: [first] });
      assert.deepEqual(await store.due(0, noonMs, 10), [first]);
      await store.write(0, { set: [later] });
      assert.deepEqual(await store.due(0, noonMs, 10), [later]);
      for (let round = 0; round < 2; round++) await store.write(0, { done: [later, timer('never', noonMs)] });
      assert.deepEqual(await store.due(0, noonMs, 10), []);
    });

    test('one moves to another time and back, as a row that is snoozed anew', async () => {
      const store = await open();
      const at = (hours: number, step: number): Timer =>
        timer('snooze', noonMs + hours * 60 * minute, { kind: 'snooze', revision: revisionAt(noonMs) + step });
      const [nine, ten, nineAgain] = [at(9, 0), at(10, 1), at(9, 2)];
      await store.write(0, { set: [nine] });
      await store.write(0, { set: [ten], done: [{ ...nine, revision: ten.revision }] });
      assert.equal(await store.nextDueMs(0), ten.dueMs);
      assert.deepEqual(await store.due(0, nine.dueMs, 10), []);
      await store.write(0, { set: [nineAgain], done: [{ ...ten, revision: nineAgain.revision }] });
      assert.deepEqual(await store.due(0, ten.dueMs, 10), [nineAgain]);
      assert.deepEqual(await (await reopen()).due(0, ten.dueMs, 10), [nineAgain]);
    });

    test('of one id at two times, each is a timer', async () => {
      const store = await open();
      for (const gone of [0, 1]) {
        const both = [timer('a', noonMs, { revision: 5 + gone }), timer('a', noonMs + 1, { revision: 5 + gone })];
        await store.write(0, { set: both });
        assert.deepEqual(await store.due(0, noonMs + 1, 10), both);
        await store.write(0, { done: both.slice(gone, gone + 1) });
        const left = both.slice(1 - gone, 2 - gone);
        assert.deepEqual(await store.due(0, noonMs + 1, 10), left);
        await store.write(0, { done: left });
      }
    });

    test('shards do not see each other', async () => {
      const store = await open();
      await store.write(1, { set: [timer('a', noonMs)] });
      await store.write(2, { set: [timer('b', noonMs + 1)] });
      assert.deepEqual([await store.due(0, noonMs, 10), await store.nextDueMs(0)], [[], null]);
      await store.write(2, { done: [timer('a', noonMs)] });
      assert.deepEqual(idsOf(await store.due(1, noonMs + 1, 10)), ['a']);
      assert.deepEqual(idsOf(await store.due(2, noonMs + 1, 10)), ['b']);
    });

    test('says when the next is due, far or near', async () => {
      const store = await open();
      const [far, near] = [timer('far', noonMs + 400 * 24 * 60 * minute), timer('near', noonMs)];
      assert.equal(await store.nextDueMs(0), null);
      await store.write(0, { set: [far] });
      assert.equal(await store.nextDueMs(0), far.dueMs);
      await store.write(0, { set: [near] });
      assert.equal(await store.nextDueMs(0), near.dueMs);
      await store.due(0, noonMs, 10);
      assert.equal(await store.nextDueMs(0), near.dueMs, 'due and not done');
      await store.write(0, { done: [near] });
      assert.equal(await store.nextDueMs(0), far.dueMs);
      assert.equal(await (await reopen()).nextDueMs(0), far.dueMs);
    });

    test('one set for a time that has long been looked through is found, before and after a restart', async () => {
      const store = await open();
      const old = [timer('a', noonMs - 600 * minute), timer('b', noonMs - 600 * minute)];
      await store.write(0, { set: [...old, timer('c', noonMs)] });
      await store.write(0, { done: await store.due(0, noonMs, 10) });
      assert.deepEqual(await store.due(0, noonMs + 10 * minute, 10), []);
      const lateRevision = revisionAt(noonMs + 10 * minute);
      const late = [timer('c', noonMs - 600 * minute), timer('d', noonMs + 5 * minute)].map((each) => ({
        ...each,
        revision: lateRevision,
      }));
      await store.write(0, { set: late });
      assert.deepEqual(await store.due(0, noonMs + 10 * minute, 10), late);
      assert.deepEqual(await (await reopen()).due(0, noonMs + 20 * minute, 10), late);
    });

    test('many of one minute are worked off in turns, from where the last one ended, also by the next owner', async () => {
      let store = await open();
      const all = Array.from({ length: 1300 }, (_, n) => timer(`id${String(n).padStart(5, '0')}`, noonMs + (n % 7)));
      await store.write(0, { set: all });
      const expected = [...all].sort(compareTimers);
      const seen: Timer[] = [];
      for (let turn = 0; ; turn++) {
        if (turn === 3) store = await reopen();
        const timers = await store.due(0, noonMs + 7 + turn * minute, 200);
        if (timers.length === 0) break;
        seen.push(...timers);
        await store.write(0, { done: timers });
      }
      assert.deepEqual(idsOf(seen), idsOf(expected));
      assert.equal(await (await reopen()).nextDueMs(0), null);
    });

    test('calls made at once take effect in their order', async () => {
      const store = await open();
      const [a, b] = [timer('a', noonMs), timer('b', noonMs)];
      const answers = await Promise.all([
        store.write(0, { set: [a, b] }).then(() => store.due(0, noonMs, 10)),
        store.write(0, { done: [a] }),
        store.write(0, { set: [timer('c', noonMs - 1)] }),
      ]);
      assert.deepEqual(idsOf(await store.due(0, noonMs, 10)), ['c', 'b']);
      assert.ok(answers[0].length >= 1);
    });

    for (const apartMs of [1500, 45_000])
      test(`lists all that are not done, due or not, from any place on, ${apartMs} ms apart`, async () => {
        const store = await open();
        const all = Array.from({ length: 20 }, (_, n) => timer(`id${n % 4}`, noonMs + Math.floor(n / 4) * apartMs));
        await store.write(0, { set: all });
        const [gone] = await store.due(0, noonMs, 1);
        await store.write(0, { done: [gone as Timer] });
        const expected = all.sort(compareTimers).slice(1);
        assert.deepEqual(await store.list(0, null, 100), expected);
        const pages: Timer[] = [];
        for (;;) {
          const page = await store.list(0, pages.at(-1) ?? null, 3);
          pages.push(...page);
          if (page.length === 0) break;
        }
        assert.deepEqual(pages, expected);
      });

    test('any calls, restarts in between: the same timers as a plain list has', async () => {
      await fc.assert(
        fc.asyncProperty(history, (steps) => play(steps, { open, reopen })),
        {
          numRuns: contract.propertyRuns,
        },
      );
    });

    if (contract.refusesLateWrites) {
      test('a late write of an owner before changes nothing that a later one has done', async () => {
        const store = await open();
        const [before, now] = [timer('a', noonMs), timer('a', noonMs, { data: 'now', revision: revisionAt(noonMs) })];
        const old = timer('b', noonMs);
        await store.write(0, { set: [now, old] });
        await store.write(0, { done: [old] });
        const outdated = await contract.reopen();
        await outdated.open(0);
        await outdated.write(0, { set: [before, old] });
        await outdated.write(0, { done: [before] });
        assert.deepEqual(await (await reopen()).due(0, noonMs, 10), [now]);
      });
    }
  });
}

const step = fc.record({
  what: fc.constantFrom('set', 'set', 'done', 'run', 'restart'),
  ids: fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'), { minLength: 1, maxLength: 6 }),
  dueSeconds: fc.oneof(fc.integer({ min: 0, max: 400 }), fc.integer({ min: 0, max: 9 })),
  waitSeconds: fc.integer({ min: 0, max: 90 }),
  max: fc.integer({ min: 1, max: 3 }),
});
const history = fc.array(step, { maxLength: 25 });

interface Opens {
  open(): Promise<TimerStore>;
  reopen(): Promise<TimerStore>;
}

/** Against a list of timers by id: here each id has one at a time, and setting it elsewhere moves it. */
async function play(steps: readonly (typeof history extends fc.Arbitrary<(infer S)[]> ? S : never)[], opens: Opens) {
  let store = await opens.open();
  let nowMs = noonMs;
  let revision = revisionAt(nowMs);
  const expected = new Map<string, Timer>();
  const all = (): Timer[] => [...expected.values()].sort(compareTimers);
  const due = (): Timer[] => all().filter(({ dueMs }) => dueMs <= nowMs);
  for (const { what, ids, dueSeconds, waitSeconds, max } of steps) {
    nowMs += waitSeconds * 1000;
    revision = Math.max(revision + 1, revisionAt(nowMs));
    const there = ids.flatMap((id) => expected.get(id) ?? []).map((each) => ({ ...each, revision }));
    if (what === 'set') {
      const dueMs = noonMs + dueSeconds * 1000;
      const set = ids.map((id, n) => timer(id, dueMs + n * (dueSeconds % 3) * 1000, { revision, data: `${revision}` }));
      const stays = (other: Timer): boolean => set.some(({ id, dueMs: at }) => id === other.id && at === other.dueMs);
      await store.write(0, { set, done: there.filter((other) => !stays(other)) });
      for (const each of set) expected.set(each.id, each);
    } else if (what === 'done') {
      await store.write(0, { done: there });
      for (const id of ids) expected.delete(id);
    } else if (what === 'restart') {
      store = await opens.reopen();
    } else {
      const timers = await store.due(0, nowMs, max);
      assert.deepEqual(timers, due().slice(0, max));
      await store.write(0, { done: timers });
      for (const each of timers) expected.delete(each.id);
    }
    if (max === 1) assert.deepEqual(await store.list(0, null, 100), all());
    if (max === 2) assert.equal(await store.nextDueMs(0), all()[0]?.dueMs ?? null);
    if (max === 3) assert.deepEqual(await store.due(0, nowMs, 10), due());
  }
  assert.deepEqual(await (await opens.reopen()).list(0, null, 100), all());
}
