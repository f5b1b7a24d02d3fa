import assert from 'node:assert/strict';
import { test } from 'node:test';
import { InFlight } from './in-flight.ts';

test('never more at once than allowed, in order, and failures give their place on', async () => {
  const inFlight = new InFlight(2);
  const began: number[] = [];
  const ends: (() => void)[] = [];
  const work = (index: number) => () =>
    new Promise<number>((resolve, reject) => {
      began.push(index);
      ends.push(() => (index === 1 ? reject(new Error('failed')) : resolve(index)));
    });
  const runs = [0, 1, 2, 3].map((index) => inFlight.run(work(index)));
  assert.deepEqual(began, [0, 1]);
  ends[1]?.();
  await assert.rejects(runs[1] as Promise<number>);
  assert.deepEqual(began, [0, 1, 2]);
  ends[0]?.();
  assert.equal(await runs[0], 0);
  assert.deepEqual(began, [0, 1, 2, 3]);
  ends[2]?.();
  ends[3]?.();
  assert.deepEqual(await Promise.all(runs.slice(2)), [2, 3]);
  await inFlight.run(async () => {});
});
