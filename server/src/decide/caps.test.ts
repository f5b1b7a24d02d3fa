/** Never more than the cap in any hour or day, and nothing without a send or summary that covers it (D9). */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import {
  type Cap,
  type CapRules,
  type CapState,
  capFor,
  capKey,
  cappedUntilMs,
  letGo,
  noteHeld,
  noteSent,
  nothingSent,
  roomFor,
} from './caps.ts';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
const startMs = Date.UTC(2026, 2, 10, 12);

/** A person and one category, driven as a shard does: sends, or held with a timer; a step may be lost and done again. */
class Capped {
  readonly sends = new Map<string, number>();
  readonly covered = new Set<number>();
  dueMs: number | null = null;
  state: CapState = nothingSent;
  #held: number[] = [];
  readonly #cap: Cap;

  constructor(cap: Cap) {
    this.#cap = cap;
  }

  get sendsMs(): number[] {
    return [...this.sends.values()];
  }

  item(id: number, nowMs: number): this {
    const untilMs = cappedUntilMs(this.state, this.#cap, `t${id}`, nowMs);
    if (untilMs === null) this.#send([id], nowMs);
    else this.#hold([id], untilMs);
    return this;
  }

  /** Runs the timer of what is held where it is due by then. */
  runUntil(nowMs: number, lateMs = 0): this {
    while (this.dueMs !== null && this.dueMs + lateMs <= nowMs) {
      const atMs = this.dueMs + lateMs;
      this.dueMs = null;
      const held = this.#held.splice(0);
      this.state = letGo(this.state, atMs);
      const untilMs = cappedUntilMs(this.state, this.#cap, `t${held[0]}`, atMs);
      if (untilMs === null) this.#send(held, atMs);
      else this.#hold(held, untilMs);
    }
    return this;
  }

  #send(ids: readonly number[], nowMs: number): void {
    this.state = noteSent(this.state, `t${ids[0]}`, nowMs);
    this.sends.set(`t${ids[0]}`, this.sends.get(`t${ids[0]}`) ?? nowMs);
    for (const id of ids) this.covered.add(id);
  }

  #hold(ids: readonly number[], untilMs: number): void {
    this.state = noteHeld(this.state, untilMs);
    this.dueMs ??= untilMs;
    this.#held.push(...ids);
  }
}

describe('caps', () => {
  it('sends up to the cap, then one summary once the hour has room', () => {
    const person = new Capped({ hourMax: 3, dayMax: 100 });
    for (let n = 0; n < 10; n++) person.item(n, startMs + n * minute);
    assert.equal(person.dueMs, startMs + hour);
    person.runUntil(startMs + hour);
    assert.deepEqual(person.sendsMs, [startMs, startMs + minute, startMs + 2 * minute, startMs + hour]);
    assert.equal(person.covered.size, 10);
  });

  it('the day has a cap of its own', () => {
    const person = new Capped({ hourMax: 100, dayMax: 2 });
    for (let n = 0; n < 5; n++) person.item(n, startMs + n * hour);
    assert.equal(person.dueMs, startMs + day);
  });

  it('what comes while a summary waits joins it, also when its timer is late', () => {
    const person = new Capped({ hourMax: 1, dayMax: 100 }).item(0, startMs).item(1, startMs + 1);
    person.item(2, startMs + 2 * hour).runUntil(startMs + 3 * hour, 2 * hour);
    assert.deepEqual(person.sendsMs, [startMs, startMs + 3 * hour]);
    assert.equal(person.covered.size, 3);
  });

  it('what is decided again after a crash counts once, and is not held for having been counted', () => {
    const cap = { hourMax: 1, dayMax: 9 };
    const once = noteSent(nothingSent, 'a', startMs);
    assert.equal(cappedUntilMs(once, cap, 'a', startMs + 1), null);
    assert.equal(cappedUntilMs(once, cap, 'b', startMs + 1), startMs + hour);
    assert.equal(noteSent(once, 'a', startMs + 1), once);
  });

  it('a clock that steps back makes no room', () => {
    const person = new Capped({ hourMax: 1, dayMax: 9 }).item(0, startMs).item(1, startMs - 2 * hour);
    assert.equal(person.dueMs, startMs + hour);
  });

  it('what is sent while the clock is back counts from where it was', () => {
    const state = noteSent(noteSent(nothingSent, 'a', startMs), 'b', startMs - 2 * hour);
    assert.deepEqual(
      state.sent.map(({ atMs }) => atMs),
      [startMs, startMs],
    );
    assert.equal(cappedUntilMs(state, { hourMax: 2, dayMax: 9 }, null, startMs - hour), startMs + hour);
  });

  it('what is held is let go at its time, not before', () => {
    const held = noteHeld(nothingSent, startMs);
    assert.equal(letGo(held, startMs - 1), held);
    assert.deepEqual(letGo(held, startMs), nothingSent);
  });
});

describe('what is capped', () => {
  const own = { push: { hourMax: 1, dayMax: 2 } };
  const rules: CapRules = {
    push: { hourMax: 5, dayMax: 6 },
    email: { hourMax: 7, dayMax: 8 },
    categories: { posts: own },
  };
  const type = (category: string, lane: 'direct' | 'social' | 'bulk' = 'social', critical = false) => ({
    category,
    lane,
    critical,
  });

  it('is neither direct nor critical', () => {
    assert.equal(capFor(rules, type('comments', 'direct'), 'push'), null);
    assert.equal(capFor(rules, type('account', 'social', true), 'push'), null);
  });

  it('has the cap of its category on the channel, or that of the channel', () => {
    assert.equal(capFor(rules, type('reactions'), 'push'), rules.push);
    assert.equal(capFor(rules, type('posts', 'bulk'), 'push'), own.push);
    assert.equal(capFor(rules, type('posts', 'bulk'), 'email'), rules.email);
    assert.notEqual(capKey({ category: 'reactions' }, 'push'), capKey({ category: 'reactions' }, 'email'));
  });
});

it('any arrivals, repeated or not, timers on time or late: within the cap in every window, and everything is covered', () => {
  const caps = fc.record({ hourMax: fc.integer({ min: 1, max: 5 }), dayMax: fc.integer({ min: 1, max: 12 }) });
  const gaps = fc.array(
    fc.record({
      waitMs: fc.oneof(fc.integer({ min: 0, max: 20 * minute }), fc.integer({ min: 0, max: 9 * hour })),
      isRepeated: fc.boolean(),
    }),
    { maxLength: 60 },
  );
  fc.assert(
    fc.property(caps, gaps, fc.constantFrom(0, 1, 5 * minute, 3 * hour), (cap, arrivals, lateMs) => {
      const person = new Capped(cap);
      let nowMs = startMs;
      arrivals.forEach(({ waitMs, isRepeated }, id) => {
        nowMs += waitMs;
        person.runUntil(nowMs, lateMs).item(id, nowMs);
        if (isRepeated && person.covered.has(id)) person.item(id, nowMs);
        assert.equal(
          roomFor(person.state, cap, nowMs) > 0,
          cappedUntilMs(letGo(person.state, Infinity), cap, null, nowMs) === null,
        );
      });
      person.runUntil(Number.MAX_SAFE_INTEGER, lateMs);
      assert.equal(person.covered.size, arrivals.length);
      assert.ok(person.state.sent.length <= cap.dayMax);
      for (const endMs of person.sendsMs) {
        const within = (spanMs: number) => person.sendsMs.filter((at) => at > endMs - spanMs && at <= endMs).length;
        assert.ok(within(hour) <= cap.hourMax, 'an hour');
        assert.ok(within(day) <= cap.dayMax, 'a day');
      }
    }),
    { numRuns: 10_000 },
  );
});
