/** One flush per window, whoever crashes or races; nothing for who is gone; nobody twice (D6). */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { noWindow } from '../inbox/item.ts';
import { transition, type WindowPolicy, windowStartMs } from './notify-window.ts';
import { TestRow } from './test-row.ts';

const second = 1000;
const trailing: WindowPolicy = { notify: 'trailing', windowMs: 60 * second };
const leading: WindowPolicy = { ...trailing, notify: 'leading' };
const immediate: WindowPolicy = { ...trailing, notify: 'immediate' };

describe('immediate', () => {
  it('sends for each event that tells, under a number of its own', () => {
    const row = new TestRow(immediate).like('a1', 0).like('a2', 1).like('a1', 2);
    assert.deepEqual(row.sends, [
      [1, 0, 'a1'],
      [2, 1, 'a1,a2'],
    ]);
    assert.equal(row.timers.size, 0);
  });
});

describe('trailing', () => {
  it('two first events make one window and one send of two (BC-14)', () => {
    const row = new TestRow(trailing)
      .like('a1', 100)
      .like('a2', 100)
      .runUntil(600 * second);
    assert.deepEqual(row.sends, [[1, 60_100, 'a1,a2']]);
  });

  it('a timer that comes again, or of a window that is over, sends nothing (BC-15)', () => {
    const row = new TestRow(trailing).like('a1', 0).like('a2', 5).like('a3', 9).end(1).end(1);
    assert.deepEqual(row.sends, [[1, 9, 'a1,a2,a3']]);
    row.like('a4', 70 * second).end(1);
    assert.equal(row.sends.length, 1, 'the old timer does not end the new window');
    assert.equal(row.end(2).sends.length, 2);
  });

  it('like and unlike 21 times tell once, and like again tells nobody (BC-17)', () => {
    const row = new TestRow(trailing);
    for (let flip = 0; flip < 21; flip++) {
      if (flip % 2 === 0) row.like('a1', flip * 2 * second);
      else row.unlike('a1', flip * 2 * second);
    }
    row.runUntil(60 * second);
    assert.deepEqual(row.sends, [[1, 60 * second, 'a1']]);
    row
      .unlike('a1', 120 * second)
      .like('a1', 121 * second)
      .unlike('a1', 200 * second)
      .runUntil(600 * second);
    assert.equal(row.sends.length, 1);
  });

  it('an undo before the end leaves nothing to send (BC-20)', () => {
    const row = new TestRow(trailing)
      .like('a1', 0)
      .unlike('a1', 59_998)
      .runUntil(600 * second);
    assert.deepEqual(row.sends, []);
    assert.equal(row.window.endsAtMs, null, 'the window ended all the same');
  });

  it('who comes after the end opens the next window (BC-21)', () => {
    const row = new TestRow(trailing)
      .like('a1', 0)
      .runUntil(60 * second)
      .like('a9', 70 * second);
    assert.deepEqual(row.runUntil(600 * second).sends, [
      [1, 60 * second, 'a1'],
      [2, 130 * second, 'a1,a9'],
    ]);
  });

  it('ten that come while a flush is under way share one window (BC-21)', () => {
    const row = new TestRow(trailing).like('a0', 0).runUntil(60 * second);
    for (let n = 1; n <= 10; n++) row.like(`a${n}`, 60 * second + n);
    row.runUntil(600 * second);
    assert.equal(row.sends.length, 2);
    assert.equal(row.sends[1]?.[2].split(',').length, 11);
  });

  it('an undo of somebody told of before does not hide who is new', () => {
    const row = new TestRow(trailing)
      .like('a1', 0)
      .like('a2', 1)
      .runUntil(60 * second);
    row
      .like('a3', 70 * second)
      .unlike('a1', 71 * second)
      .runUntil(600 * second);
    assert.deepEqual(row.sends[1], [2, 130 * second, 'a2,a3']);
  });

  it('an undo of who is new leaves nothing, however many were told of before', () => {
    const row = new TestRow(trailing)
      .like('a1', 0)
      .like('a2', 1)
      .runUntil(60 * second);
    row
      .like('a3', 70 * second)
      .unlike('a3', 71 * second)
      .runUntil(600 * second);
    assert.equal(row.sends.length, 1);
  });

  it('a row that is read or withdrawn meanwhile has nothing to tell, until somebody new comes', () => {
    const { window } = transition(noWindow, { kind: 'tell', atMs: 0, countedIn: null }, trailing);
    const cleared = transition(window, { kind: 'clear' }, trailing).window;
    assert.equal(transition(cleared, { kind: 'end', number: 1 }, trailing).send, null);
    const joined = transition(cleared, { kind: 'tell', atMs: 5, countedIn: null }, trailing).window;
    assert.equal(transition(joined, { kind: 'end', number: 1 }, trailing).send, 1);
  });

  it('a member who tells anew in the window it waits in is one', () => {
    const { window } = transition(noWindow, { kind: 'tell', atMs: 0, countedIn: null }, trailing);
    const again = transition(window, { kind: 'tell', atMs: 1, countedIn: 1 }, trailing).window;
    const left = transition(again, { kind: 'leave', countedIn: 1 }, trailing).window;
    assert.equal(transition(left, { kind: 'end', number: 1 }, trailing).send, null);
  });
});

describe('leading', () => {
  it('the first at once, and one summary at the end if it grew', () => {
    const row = new TestRow(leading)
      .like('a1', 0)
      .like('a2', 1)
      .like('a3', 2)
      .runUntil(600 * second);
    assert.deepEqual(row.sends, [
      [1, 0, 'a1'],
      [2, 60 * second, 'a1,a2,a3'],
    ]);
  });

  it('nothing more if it did not grow, and the next one leads again', () => {
    const row = new TestRow(leading)
      .like('a1', 0)
      .like('a2', 1)
      .unlike('a2', 2)
      .runUntil(60 * second);
    assert.equal(row.sends.length, 1);
    assert.deepEqual(row.like('a3', 90 * second).sends[1], [3, 90 * second, 'a1,a3']);
  });

  it('the first gone and another come is told at the end', () => {
    const row = new TestRow(leading)
      .like('a1', 0)
      .unlike('a1', 1)
      .like('a2', 2)
      .runUntil(60 * second);
    assert.deepEqual(row.sends[1], [2, 60 * second, 'a2']);
  });
});

describe('a window begins', () => {
  it('with the event; at intake where that lies ahead, or so far back that it would be over', () => {
    assert.equal(windowStartMs(1_000_000, 1_000_050, trailing), 1_000_000);
    assert.equal(windowStartMs(1_000_051, 1_000_050, trailing), 1_000_050);
    assert.equal(windowStartMs(940_050, 1_000_050, trailing), 1_000_050);
    assert.equal(windowStartMs(940_051, 1_000_050, trailing), 940_051);
  });
});

const step = fc.record({
  what: fc.constantFrom('like', 'unlike', 'wait', 'endAgain'),
  actor: fc.constantFrom('a1', 'a2', 'a3'),
  byMs: fc.integer({ min: 0, max: 50 * second }),
  /** After the timers are set, after the row is written, or not at all. */
  crash: fc.constantFrom('none', 'none', 'afterTimers', 'afterRow'),
});

it('any order of likes, undos, ends and crashes: every window ends once, and tells exactly of who is new', () => {
  fc.assert(
    fc.property(fc.constantFrom(trailing, leading, immediate), fc.array(step, { maxLength: 40 }), (policy, steps) => {
      const row = new TestRow(policy);
      let nowMs = 0;
      for (const { what, actor, byMs, crash } of steps) {
        nowMs += byMs;
        row.runUntil(nowMs);
        row.nextCrash = crash;
        if (what === 'like') row.like(actor, nowMs);
        if (what === 'unlike') row.unlike(actor, nowMs);
        if (what === 'endAgain') row.end(row.window.number - 1);
        row.nextCrash = 'none';
      }
      row.runUntil(Number.POSITIVE_INFINITY);
      assert.equal(row.window.endsAtMs, null, 'every window ends');
      assert.deepEqual(row.faults, []);
      const numbers = row.sends.map(([number]) => number);
      assert.equal(new Set(numbers).size, numbers.length);
    }),
    { numRuns: 10_000 },
  );
});
