import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LaneRoom } from './lane-room.ts';

async function turn(): Promise<void> {
  for (let times = 0; times < 5; times++) await new Promise((resolve) => setImmediate(resolve));
}

function scene() {
  const lane = { bytes: 0 };
  const room = new LaneRoom({ behindBytes: () => lane.bytes, bytesMax: 100, batchesMax: 3 });
  let passed = 0;
  const ask = (): void => void room.room().then(() => passed++);
  return { lane, room, ask, passed: () => passed };
}

test('F4: a chunk goes through once little enough waits', async () => {
  const { lane, room, ask, passed } = scene();
  ask();
  await turn();
  assert.equal(passed(), 1);
  lane.bytes = 101;
  ask();
  room.applied();
  await turn();
  assert.equal(passed(), 1);
  lane.bytes = 100;
  room.applied();
  await turn();
  assert.equal(passed(), 2);
});

test('where others keep the lane full, a chunk goes through after some micro-batches all the same', async () => {
  const { lane, room, ask, passed } = scene();
  lane.bytes = 1e9;
  for (let chunk = 0; chunk < 3; chunk++) {
    ask();
    for (let batch = 0; batch < 3; batch++) {
      await turn();
      assert.equal(passed(), chunk);
      room.applied();
    }
    await turn();
    assert.equal(passed(), chunk + 1);
  }
});

test('closing lets whoever waits go on', async () => {
  const { lane, room, ask, passed } = scene();
  lane.bytes = 1e9;
  ask();
  await turn();
  room.close();
  await turn();
  assert.equal(passed(), 1);
});
