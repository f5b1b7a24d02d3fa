/** Counting, snapshots across threads, and the list's own promises (M1). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { type Metric, metricList } from './metric-list.ts';
import { mergeSnapshots, readSnapshot, type Snapshot, series, Telemetry } from './telemetry.ts';

const valuesOf = (snapshot: Snapshot, name: string) => readSnapshot(snapshot).find((reading) => reading.name === name);

test('names, kinds and labels follow the rules of the format', () => {
  for (const [name, metric] of Object.entries(metricList) as [string, Metric][]) {
    assert.match(name, /^carillon_[a-z_]+$/);
    assert.equal(metric.kind === 'counter', name.endsWith('_total'), name);
    assert.equal(metric.kind === 'histogram', metric.buckets.length > 0, name);
    assert.deepEqual(
      [...metric.buckets].sort((a, b) => a - b),
      metric.buckets,
      name,
    );
    for (const values of Object.values(metric.labels)) assert.ok(values.length > 0 && values.length <= 64, name);
  }
});

test('all series are there from the start, at zero', () => {
  for (const { name, series: all } of readSnapshot(new Telemetry().snapshot())) {
    assert.ok(all.length > 0, name);
    assert.ok(
      all.every(({ values }) => values.every((value) => value === 0)),
      name,
    );
  }
});

test('each series counts on its own', () => {
  const telemetry = new Telemetry();
  telemetry.add(series('carillon_events_accepted_total', { lane: 'direct' }));
  telemetry.add(series('carillon_events_accepted_total', { lane: 'bulk' }), 5);
  telemetry.add(series('carillon_cache_reads_total', { cache: 'people', result: 'hit' }), 7);
  const snapshot = telemetry.snapshot();
  assert.deepEqual(
    valuesOf(snapshot, 'carillon_events_accepted_total')?.series.map(({ values }) => values[0]),
    [1, 0, 5],
  );
  const found = valuesOf(snapshot, 'carillon_cache_reads_total')?.series.filter(({ values }) => values[0] !== 0);
  assert.deepEqual(found, [{ labels: { cache: 'people', result: 'hit' }, values: [7] }]);
  const total = readSnapshot(snapshot).flatMap((reading) => reading.series.flatMap(({ values }) => values));
  assert.equal(
    total.reduce((sum, value) => sum + value, 0),
    13,
    'nothing else moved',
  );
});

test('labels off the list are refused', () => {
  assert.throws(() => series('carillon_events_accepted_total', { lane: 'vip' as 'bulk' }), RangeError);
});

test('a histogram puts a value in the least bucket that holds it, and adds up', () => {
  const telemetry = new Telemetry();
  const place = series('carillon_apply_seconds', {});
  telemetry.observe(place, 0.0005);
  telemetry.observe(place, 0.003, 2);
  telemetry.observe(place, 99);
  const values = valuesOf(telemetry.snapshot(), 'carillon_apply_seconds')?.series[0]?.values ?? [];
  const { buckets } = metricList.carillon_apply_seconds;
  assert.equal(values[0], 1, 'a value on the bound belongs to it');
  assert.equal(values[buckets.indexOf(0.005)], 2);
  assert.equal(values[buckets.length], 1, 'beyond all bounds');
  assert.ok(Math.abs((values.at(-1) ?? 0) - 99.0065) < 1e-9);
});

test('a snapshot of a worker thread is merged here', async () => {
  const code = `
    import { parentPort } from 'node:worker_threads';
    const { Telemetry, series } = await import(${JSON.stringify(new URL('./telemetry.ts', import.meta.url).href)});
    const telemetry = new Telemetry();
    telemetry.add(series('carillon_log_syncs_total', {}), 3);
    parentPort.postMessage(telemetry.snapshot());`;
  const worker = new Worker(new URL(`data:text/javascript,${encodeURIComponent(code)}`));
  const theirs = await new Promise<Snapshot>((resolve, reject) =>
    worker.once('message', resolve).once('error', reject),
  );
  await worker.terminate();
  const ours = new Telemetry();
  ours.add(series('carillon_log_syncs_total', {}), 1);
  ours.set(series('carillon_lag_bytes', { lane: 'bulk' }), 10);
  const merged = mergeSnapshots([ours.snapshot(), theirs]);
  assert.deepEqual(valuesOf(merged, 'carillon_log_syncs_total')?.series[0]?.values, [4]);
  assert.deepEqual(valuesOf(merged, 'carillon_lag_bytes')?.series[2]?.values, [10]);
  assert.throws(() => mergeSnapshots([new Float64Array(1)]), RangeError);
});
