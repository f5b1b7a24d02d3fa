/** Quotas of projects and devices together, and what of them is kept in memory (V6). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { limits } from '../base/limits.ts';
import { VirtualClock } from '../base/virtual-clock.ts';
import { type Quota, Quotas } from './quotas.ts';

const quota = (name: string, burst: number, perSecond: number): Quota => ({
  name,
  rate: { burst, perMs: perSecond / 1000, from: 1, risePerMs: 0 },
});
const project = quota('project', 10, 100);
const device = (id: number): Quota => quota(`device ${id}`, 2, 1);

test('what one quota refuses takes nothing of the other', () => {
  const clock = new VirtualClock(0);
  const quotas = new Quotas(clock);
  const slow = [project, device(1)];
  assert.deepEqual([quotas.take(slow), quotas.take(slow), quotas.take(slow)], [0, 0, 1000]);
  for (let other = 2; other < 10; other++) assert.equal(quotas.take([project, device(other)]), 0);
  assert.equal(quotas.take([project, device(99)]), 10, 'ten have gone, none for what was refused');
  clock.advance(1000);
  assert.equal(quotas.take(slow), 0);
});

test('what was not sent after all gives back its place', () => {
  const quotas = new Quotas(new VirtualClock(0));
  const [one] = [[quota('one', 1, 1)]];
  assert.equal(quotas.take(one), 0);
  assert.equal(quotas.take(one), 1000);
  quotas.giveBack(one);
  assert.equal(quotas.take(one), 0);
  quotas.giveBack(one);
  quotas.giveBack(one);
  assert.equal(quotas.take(one), 0);
  assert.equal(quotas.take(one), 1000, 'never more than there is room for');
});

test('what is put off comes back one after the other, each lane by itself', () => {
  const quotas = new Quotas(new VirtualClock(0));
  const bulk = [0, 1, 2].map(() => quotas.promise([project], 2));
  assert.deepEqual(
    bulk,
    [10, 20, 30].map((ms) => limits.quotaWaitMs + ms),
  );
  assert.equal(quotas.promise([project], 0), limits.quotaWaitMs + 10);
});

test('a wait counts what is ahead', () => {
  const quotas = new Quotas(new VirtualClock(0));
  assert.equal(quotas.waitOf([project], new Map([['project', 9]])), 0);
  assert.equal(quotas.waitOf([project], new Map([['project', 109]])), 1000);
});

test('buckets that are full again are forgotten, and there are never more than so many', () => {
  const clock = new VirtualClock(0);
  const quotas = new Quotas(clock);
  for (let id = 0; id < 1000; id++) quotas.take([device(id)]);
  assert.equal(quotas.size, 1000);
  clock.advance(1000);
  quotas.take([device(5000)]);
  assert.equal(quotas.size, 1);
  for (let id = 0; id < limits.quotaBucketsMax + 10; id++) quotas.take([device(id)]);
  assert.equal(quotas.size, limits.quotaBucketsMax);
});
