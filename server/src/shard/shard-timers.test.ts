/** Timers of a shard in virtual time: each effect once, whatever crashes, and none late. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { personKey } from '../base/ids.ts';
import { limits } from '../base/limits.ts';
import { VirtualClock } from '../base/virtual-clock.ts';
import { ShardTimers } from './shard-timers.ts';
import type { Timer } from './timer-store.ts';
import { TimerStoreMemory } from './timer-store-memory.ts';

const second = 1000;
const minute = 60 * second;

/** A shard that keeps what its timers led to, and can crash. */
class TestShard {
  readonly clock = new VirtualClock();
  readonly startMs = this.clock.now();
  readonly store = new TimerStoreMemory();
  /** Effects by their id, which is that of the timer: as rows are. */
  readonly effects = new Map<string, number>();
  runs: string[] = [];
  wakes = 0;
  failing = new Set<string>();
  crashBeforeDone = false;
  timers = this.#make();

  #make(): ShardTimers {
    return new ShardTimers({
      shard: 0,
      store: this.store,
      clock: this.clock,
      wake: () => this.wakes++,
      run: async (timers) => {
        const failed = timers.filter(({ id }) => this.failing.has(id));
        for (const { id } of timers) {
          this.runs.push(id);
          if (!this.failing.has(id) && !this.effects.has(id)) this.effects.set(id, this.clock.now() - this.startMs);
        }
        if (this.crashBeforeDone) throw new Error('crash');
        return failed;
      },
    });
  }

  async open(): Promise<this> {
    await this.timers.open();
    return this;
  }

  /** As another process goes on. */
  async restart(): Promise<void> {
    this.timers.close();
    this.crashBeforeDone = false;
    this.timers = this.#make();
    await this.timers.open();
  }

  timer(id: string, inMs: number, more: Partial<Timer> = {}): Timer {
    const dueMs = this.startMs + inMs;
    return { id, dueMs, revision: 1, person: personKey('t', 'ana'), kind: 'window', data: '', ...more };
  }

  /** Time passes, and the shard takes a turn whenever it is woken. */
  async pass(durationMs: number): Promise<void> {
    for (let leftMs = durationMs; ; ) {
      const wakes = this.wakes;
      const stepMs = Math.min(leftMs, second);
      this.clock.advance(stepMs);
      leftMs -= stepMs;
      while (this.wakes > wakes && (await this.timers.turn()) > 0) if (this.timers.isDue) this.wakes++;
      if (leftMs === 0) return;
    }
  }
}

describe('timers of a shard', () => {
  it('wake it when the first is due, and run in order', async () => {
    const shard = await new TestShard().open();
    await shard.timers.set({ set: [shard.timer('b', 20 * second), shard.timer('a', 10 * second)] });
    await shard.pass(9 * second);
    assert.deepEqual([shard.wakes, shard.runs], [0, []]);
    await shard.pass(30 * second);
    assert.deepEqual(
      [...shard.effects],
      [
        ['a', 10 * second],
        ['b', 20 * second],
      ],
    );
    assert.equal(await shard.store.nextDueMs(0), null);
  });

  it('of an owner before are found', async () => {
    const shard = new TestShard();
    await shard.store.write(0, { set: [shard.timer('old', -10 * minute), shard.timer('next', minute)] });
    await shard.open();
    await shard.pass(2 * minute);
    assert.deepEqual(shard.runs, ['old', 'next']);
  });

  it('run again after a crash before they were done, and their effect is there once', async () => {
    const shard = await new TestShard().open();
    await shard.timers.set({ set: [shard.timer('a', second)] });
    shard.crashBeforeDone = true;
    await assert.rejects(shard.pass(2 * second), /crash/);
    await shard.restart();
    await shard.pass(second);
    assert.deepEqual(shard.runs, ['a', 'a']);
    assert.deepEqual([...shard.effects], [['a', second]]);
  });

  it('that cannot be run are put off, and others are not', async () => {
    const shard = await new TestShard().open();
    shard.failing.add('bad');
    await shard.timers.set({
      set: [shard.timer('bad', second), shard.timer('good', second), shard.timer('late', 2 * second)],
    });
    await shard.pass(3 * second);
    assert.deepEqual([...shard.effects.keys()], ['good', 'late']);
    shard.failing.clear();
    await shard.pass(limits.timerRetryMs);
    assert.deepEqual([...shard.effects.keys()], ['good', 'late', 'bad']);
  });

  it('are run a bounded number at a time', async () => {
    const shard = await new TestShard().open();
    const count = limits.timersPerTurn + 10;
    await shard.timers.set({ set: Array.from({ length: count }, (_, n) => shard.timer(`id${n}`, second)) });
    shard.clock.advance(second);
    assert.equal(await shard.timers.turn(), limits.timersPerTurn);
    assert.ok(shard.timers.isDue);
    assert.equal(await shard.timers.turn(), 10);
    assert.equal(await shard.timers.turn(), 0);
  });

  it('are in time when the wall clock steps on', async () => {
    const shard = await new TestShard().open();
    await shard.timers.set({ set: [shard.timer('a', 30 * minute)] });
    await shard.pass(minute);
    shard.clock.step(40 * minute);
    await shard.pass(limits.timerLookMs);
    assert.deepEqual(shard.runs, ['a']);
  });

  it('that lie months ahead do not run before', async () => {
    const shard = await new TestShard().open();
    await shard.timers.set({ set: [shard.timer('a', 90 * 24 * 60 * minute)] });
    await shard.pass(10 * minute);
    assert.deepEqual([shard.runs, await shard.timers.turn()], [[], 0]);
  });

  it('get others beside them, however many there are, and it wakes for these', async () => {
    const shard = await new TestShard().open();
    const count = 2 * limits.timersPerTurn + 7;
    await shard.timers.set({ set: Array.from({ length: count }, (_, n) => shard.timer(`t${n}`, (60 + n) * minute)) });
    const nowMs = shard.clock.now();
    const beside = (timer: Timer): Timer | null =>
      timer.dueMs <= nowMs || Number(timer.id.slice(1)) % 500 !== 0
        ? null
        : { ...timer, id: `beside.${timer.id}`, dueMs: nowMs };
    let steps = 1;
    while (!(await shard.timers.addBeside(beside))) steps++;
    assert.ok(steps >= 3);
    const timers = await shard.store.list(0, null, 2 * count);
    assert.equal(timers.length, count + 3);
    await shard.pass(minute);
    assert.deepEqual(shard.runs, ['beside.t0', 'beside.t1000', 'beside.t500']);
  });
});

it('any timers, crashes and failures: each effect once, none before its time, all in the end', async () => {
  const step = fc.record({
    inMs: fc.integer({ min: -30 * second, max: 90 * second }),
    passMs: fc.integer({ min: 0, max: 40 * second }),
    what: fc.constantFrom('nothing', 'crash', 'restart', 'fail'),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 15 }), async (steps) => {
      const shard = await new TestShard().open();
      const dueMs = new Map<string, number>();
      for (const [n, { inMs, passMs, what }] of steps.entries()) {
        const timer = shard.timer(`t${n}`, shard.clock.now() - shard.startMs + inMs);
        dueMs.set(timer.id, timer.dueMs - shard.startMs);
        await shard.timers.set({ set: [timer] });
        shard.crashBeforeDone = what === 'crash';
        if (what === 'fail') shard.failing.add(timer.id);
        else shard.failing.clear();
        if (what === 'restart') await shard.restart();
        await shard.pass(passMs).catch(() => shard.restart());
        shard.crashBeforeDone = false;
      }
      shard.failing.clear();
      await shard.pass(10 * minute);
      assert.deepEqual([...shard.effects.keys()].sort(), [...dueMs.keys()].sort());
      for (const [id, atMs] of shard.effects) assert.ok(atMs >= (dueMs.get(id) as number), `${id} came early`);
      assert.equal(await shard.store.nextDueMs(0), null);
    }),
    { numRuns: 300 },
  );
});
