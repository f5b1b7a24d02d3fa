import assert from 'node:assert/strict';
import { test } from 'node:test';
import { limits } from '../../base/limits.ts';
import { VirtualClock } from '../../base/virtual-clock.ts';
import type { Outcome } from '../outcome.ts';
import { DoubtWatch } from './doubt-watch.ts';

const gone = { kind: 'gone', code: 'BadDeviceToken', asOfMs: null } as const;
const kinds = (outcomes: readonly Outcome[]): string[] => [...new Set(outcomes.map(({ kind }) => kind))];

test('BC-47: one bad token of 100 is dead, wherever it stands among them', async () => {
  for (const at of [0, 1, 50, 99]) {
    const watch = new DoubtWatch(new VirtualClock());
    let outcome: Outcome | Promise<Outcome> | null = null;
    for (let i = 0; i < 100; i++) {
      if (i === at) outcome = watch.judge('p', gone);
      else watch.note('p');
    }
    assert.deepEqual(await outcome, gone, `at ${at}`);
  }
});

test('BC-47: 78 bad tokens of 80 within a minute are our mistake: none is dead, the provider is stopped', async () => {
  for (const goodAt of [
    [0, 1],
    [30, 60],
    [78, 79],
  ]) {
    const clock = new VirtualClock();
    const watch = new DoubtWatch(clock);
    const outcomes: Promise<Outcome>[] = [];
    for (let i = 0; i < 80; i++) {
      if (goodAt.includes(i)) watch.note('p');
      else outcomes.push(Promise.resolve(watch.judge('p', gone)));
    }
    clock.advance(limits.doubtfulWaitMs);
    assert.deepEqual(kinds(await Promise.all(outcomes)), ['blocked']);
  }
});

test('BC-47: with nothing to compare it with, a bad token stays, and only that push is refused', async () => {
  const clock = new VirtualClock();
  const watch = new DoubtWatch(clock);
  const outcome = watch.judge('p', gone);
  clock.advance(limits.doubtfulWaitMs);
  assert.deepEqual(await outcome, { kind: 'refused', code: 'BadDeviceToken' });
});

test('V11: bad tokens that one person registers stop nobody else', async () => {
  const clock = new VirtualClock();
  const watch = new DoubtWatch(clock);
  const all = Array.from({ length: limits.devicesMax }, () => Promise.resolve(watch.judge('p', gone)));
  clock.advance(limits.doubtfulWaitMs);
  assert.deepEqual(kinds(await Promise.all(all)), ['refused']);
});

test('projects are apart, and old answers are forgotten', async () => {
  const clock = new VirtualClock();
  const watch = new DoubtWatch(clock);
  for (let i = 0; i < 100; i++) watch.note('other');
  for (let i = 0; i < 100; i++) watch.note('p');
  assert.deepEqual(watch.judge('p', gone), gone);
  clock.advance(limits.doubtfulWindowMs + 60_000);
  const later = watch.judge('p', gone);
  clock.advance(limits.doubtfulWaitMs);
  assert.equal((await later).kind, 'refused');
});
