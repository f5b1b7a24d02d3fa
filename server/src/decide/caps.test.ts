/** Never more than the cap in any hour or day, and nothing without a send or summary that covers it (D9). */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import {
  type Cap,
  type CapState,
  capFor,
  capKey,
  cappedUntilMs,
  noteHeld,
  noteSent,
  nothingSent,
  takeSummary,
} from './caps.ts';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
const startMs = Date.UTC(2026, 2, 10, 12);

/** A person and one category, driven as a shard does: sends, or held with a timer. */
class Capped {
  readonly sendsMs: number[] = [];
  readonly covered = new Set<number>();
  dueMs: number | null = null;
  state: CapState = nothingSent;
  #held: number[] = [];
  readonly #cap: Cap;

  constructor(cap: Cap) {
    this.#cap = cap;
  }

  item(id: number, nowMs: number): this {
    const untilMs = cappedUntilMs(this.state, this.#cap, nowMs);
    if (untilMs === null) {
      this.state = noteSent(this.state, nowMs);
      this.sendsMs.push(nowMs);
      this.covered.add(id);
    } else {
      this.state = noteHeld(this.state);
      this.dueMs ??= untilMs;
      this.#held.push(id);
    }
    return this;
  }

  /** Runs the summary's timer where it is due by then. */
  runUntil(nowMs: number, lateMs = 0): this {
    while (this.dueMs !== null && this.dueMs + lateMs <= nowMs) {
      const atMs = this.dueMs + lateMs;
      const step = takeSummary(this.state, this.#cap, atMs);
      this.state = step.state;
      if (step.kind === 'wait') {
        this.dueMs = step.untilMs;
        continue;
      }
      this.dueMs = null;
      if (step.kind === 'none') continue;
      assert.equal(step.covers, this.#held.length);
      this.sendsMs.push(atMs);
      for (const id of this.#held.splice(0)) this.covered.add(id);
    }
    return this;
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

  it('a timer that comes again sends nothing', () => {
    const sent = noteSent(nothingSent, startMs);
    assert.deepEqual(takeSummary(sent, { hourMax: 1, dayMax: 9 }, startMs + hour), { kind: 'none', state: sent });
  });

  it('a clock that steps back makes no room', () => {
    const person = new Capped({ hourMax: 1, dayMax: 9 }).item(0, startMs).item(1, startMs - 2 * hour);
    assert.equal(person.dueMs, startMs + hour);
  });

  it('what is sent while the clock is back counts from where it was', () => {
    const state = noteSent(noteSent(nothingSent, startMs), startMs - 2 * hour);
    assert.deepEqual(state.sentAtMs, [startMs, startMs]);
    assert.equal(cappedUntilMs(state, { hourMax: 2, dayMax: 9 }, startMs - hour), startMs + hour);
  });

  it('direct and critical types have none, others one for each category and channel', () => {
    assert.equal(capFor({ lane: 'direct', critical: false }, 'push'), null);
    assert.equal(capFor({ lane: 'social', critical: true }, 'push'), null);
    for (const lane of ['social', 'bulk'] as const) {
      for (const channel of ['push', 'email'] as const) {
        const cap = capFor({ lane, critical: false }, channel);
        assert.ok(cap !== null && cap.hourMax <= cap.dayMax);
      }
    }
    assert.notEqual(capKey({ category: 'reactions' }, 'push'), capKey({ category: 'reactions' }, 'email'));
  });
});

it('any arrivals, timers on time or late: within the cap in every window, and everything is covered', () => {
  const caps = fc.record({ hourMax: fc.integer({ min: 1, max: 5 }), dayMax: fc.integer({ min: 1, max: 12 }) });
  const gaps = fc.array(fc.oneof(fc.integer({ min: 0, max: 20 * minute }), fc.integer({ min: 0, max: 9 * hour })), {
    maxLength: 60,
  });
  fc.assert(
    fc.property(caps, gaps, fc.constantFrom(0, 1, 5 * minute, 3 * hour), (cap, waits, lateMs) => {
      const person = new Capped(cap);
      let nowMs = startMs;
      waits.forEach((waitMs, id) => {
        nowMs += waitMs;
        person.runUntil(nowMs, lateMs).item(id, nowMs);
      });
      person.runUntil(Number.MAX_SAFE_INTEGER, lateMs);
      assert.equal(person.covered.size, waits.length);
      assert.ok(person.state.sentAtMs.length <= cap.dayMax);
      for (const endMs of person.sendsMs) {
        const within = (spanMs: number) => person.sendsMs.filter((at) => at > endMs - spanMs && at <= endMs).length;
        assert.ok(within(hour) <= cap.hourMax, 'an hour');
        assert.ok(within(day) <= cap.dayMax, 'a day');
      }
    }),
    { numRuns: 10_000 },
  );
});
