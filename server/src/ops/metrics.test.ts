/** The text that Prometheus reads: complete, well-formed, and true to the numbers (M1). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { metricList } from '../base/metric-list.ts';
import { series, Telemetry } from '../base/telemetry.ts';
import { processUse, renderMetrics } from './metrics.ts';

const use = { cpuSeconds: 1.5, residentBytes: 1000, heapBytes: 500, upSeconds: 10 };

test('every line is a comment or a sample of a metric that was announced', () => {
  const text = renderMetrics([new Telemetry().snapshot()], use);
  assert.ok(text.endsWith('\n'));
  const announced = new Set<string>();
  for (const line of text.trimEnd().split('\n')) {
    const type = /^# TYPE (carillon_\w+) (counter|gauge|histogram)$/.exec(line);
    if (type) announced.add(type[1] as string);
    else if (!line.startsWith('# HELP ')) {
      const name = /^(carillon_\w+?)(_bucket|_sum|_count)?(\{\w+="[^"]+"(,\w+="[^"]+")*\})? -?[\d.e+-]+$/.exec(line);
      assert.ok(name, line);
      assert.ok(announced.has(name[1] as string), line);
    }
  }
  for (const name of Object.keys(metricList)) assert.ok(announced.has(name), name);
});

test('the samples of all threads are added up', () => {
  const [main, worker] = [new Telemetry(), new Telemetry()];
  main.add(series('carillon_events_accepted_total', { lane: 'social' }), 2);
  worker.add(series('carillon_events_accepted_total', { lane: 'social' }), 3);
  const text = renderMetrics([main.snapshot(), worker.snapshot()], use);
  assert.match(text, /^carillon_events_accepted_total\{lane="social"\} 5$/m);
  assert.match(text, /^carillon_events_accepted_total\{lane="direct"\} 0$/m);
  assert.match(text, /^carillon_process_cpu_seconds_total 1\.5$/m);
});

test('buckets are cumulative and end in the count', () => {
  const telemetry = new Telemetry();
  const place = series('carillon_apply_seconds', {});
  telemetry.observe(place, 0.001);
  telemetry.observe(place, 0.3);
  telemetry.observe(place, 60);
  const text = renderMetrics([telemetry.snapshot()], use);
  assert.match(text, /^carillon_apply_seconds_bucket\{le="0.001"\} 1$/m);
  assert.match(text, /^carillon_apply_seconds_bucket\{le="0.5"\} 2$/m);
  assert.match(text, /^carillon_apply_seconds_bucket\{le="30"\} 2$/m);
  assert.match(text, /^carillon_apply_seconds_bucket\{le="\+Inf"\} 3$/m);
  assert.match(text, /^carillon_apply_seconds_count 3$/m);
});

test('the process knows what it uses', () => {
  const { cpuSeconds, residentBytes } = processUse();
  assert.ok(cpuSeconds > 0 && residentBytes > 1e6);
});
