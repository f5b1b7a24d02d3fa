/** The loop's delay reaches the gauges of its thread, and watching it keeps no process alive (M1). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { watchLoopDelay } from './loop-delay.ts';
import { readSnapshot, Telemetry } from './telemetry.ts';

test('a reading sets the gauges of its own thread, in order of the quantiles', async () => {
  const telemetry = new Telemetry();
  const watch = watchLoopDelay(telemetry, 'worker');
  const seen = () => {
    watch.read();
    const reading = readSnapshot(telemetry.snapshot()).find(({ name }) => name === 'carillon_loop_delay_seconds');
    return (reading?.series ?? []).map(({ labels, values }) => ({ labels, value: values[0] as number }));
  };
  for (let blocks = 0; blocks < 5; blocks++) {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 60);
    await new Promise((resolve) => setTimeout(resolve)); // lets the monitor's timer fire
  }
  const rows = seen();
  watch.stop();
  const worst = rows.find((row) => row.labels.thread === 'worker' && row.labels.quantile === '1')?.value ?? 0;
  assert.ok(worst > 0 && worst < 60, `${worst} must be seconds`);
  assert.ok(rows.every((row) => row.labels.thread === 'worker' || row.value === 0));
});
