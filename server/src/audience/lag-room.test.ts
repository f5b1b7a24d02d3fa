import assert from 'node:assert/strict';
import { test } from 'node:test';
import { limits } from '../base/limits.ts';
import { VirtualClock } from '../base/virtual-clock.ts';
import { LagRoom } from './lag-room.ts';

const chunksAhead = 4;

async function turn(): Promise<void> {
  for (let times = 0; times < 5; times++) await new Promise((resolve) => setImmediate(resolve));
}

function scene() {
  const clock = new VirtualClock();
  const lag = { records: 0, asked: 0, isAway: false };
  const behind = async (): Promise<number> => {
    lag.asked++;
    if (lag.isAway) throw new Error('away');
    return lag.records;
  };
  const room = new LagRoom({ behind, recordsMax: 10, chunksAhead, clock });
  let passed = 0;
  const ask = async (): Promise<void> => {
    void room.room().then(() => passed++);
    await turn();
  };
  const pass = async (ms: number): Promise<void> => {
    clock.advance(ms);
    await turn();
  };
  return { lag, room, ask, pass, passed: () => passed };
}

test('F4: few waiting records let some chunks through before it is asked again', async () => {
  const { lag, ask, passed } = scene();
  for (let chunk = 0; chunk < chunksAhead; chunk++) await ask();
  assert.equal(passed(), chunksAhead);
  assert.equal(lag.asked, 1);
  await ask();
  assert.equal(lag.asked, 2);
});

test('many let one through now and then, and more once they have been worked off', async () => {
  const { lag, ask, pass, passed } = scene();
  lag.records = 11;
  await ask();
  await pass(limits.fanoutLookMs);
  assert.equal(passed(), 0);
  for (let at = 0; at < limits.fanoutWaitMs; at += limits.fanoutLookMs) await pass(limits.fanoutLookMs);
  assert.equal(passed(), 1);
  await ask();
  assert.equal(passed(), 1);
  lag.records = 10;
  await pass(limits.fanoutLookMs);
  assert.equal(passed(), 2);
});

test('while nobody can say, it is as if many waited; closing ends that', async () => {
  const { lag, room, ask, passed } = scene();
  lag.isAway = true;
  await ask();
  assert.equal(passed(), 0);
  room.close();
  await turn();
  assert.equal(passed(), 1);
});
