/** Renders the Prometheus text format (version 0.0.4) from snapshots of all threads, with what the process itself uses. */
import { type MetricReading, mergeSnapshots, readSnapshot, type Snapshot } from '../base/telemetry.ts';

/** What the operating system says of the process. */
export interface ProcessUse {
  readonly cpuSeconds: number;
  readonly residentBytes: number;
  readonly heapBytes: number;
  readonly upSeconds: number;
}

export function processUse(): ProcessUse {
  const { user, system } = process.cpuUsage();
  const { rss, heapUsed } = process.memoryUsage();
  return { cpuSeconds: (user + system) / 1e6, residentBytes: rss, heapBytes: heapUsed, upSeconds: process.uptime() };
}

/** The whole text, one line per series, ended by a newline. */
export function renderMetrics(snapshots: readonly Snapshot[], use: ProcessUse): string {
  const lines: string[] = [];
  for (const reading of readSnapshot(mergeSnapshots(snapshots))) {
    const { name, metric } = reading;
    lines.push(`# HELP ${name} ${metric.help}`, `# TYPE ${name} ${metric.kind}`);
    lines.push(...(metric.kind === 'histogram' ? histogramLines(reading) : plainLines(reading)));
  }
  lines.push(...processLines(use));
  return `${lines.join('\n')}\n`;
}

function plainLines({ name, series }: MetricReading): string[] {
  return series.map(({ labels, values }) => `${name}${labelText(labels)} ${values[0]}`);
}

/** Buckets of the format are cumulative; ours are not. */
function histogramLines({ name, metric, series }: MetricReading): string[] {
  return series.flatMap(({ labels, values }) => {
    let count = 0;
    const bounds = [...metric.buckets.map(String), '+Inf'];
    const lines = bounds.map((bound, index) => {
      count += values[index] as number;
      return `${name}_bucket${labelText({ ...labels, le: bound })} ${count}`;
    });
    return [...lines, `${name}_sum${labelText(labels)} ${values.at(-1)}`, `${name}_count${labelText(labels)} ${count}`];
  });
}

function processLines(use: ProcessUse): string[] {
  const rows: readonly (readonly [name: string, kind: string, help: string, value: number])[] = [
    ['carillon_process_cpu_seconds_total', 'counter', 'CPU time of the process, user and system.', use.cpuSeconds],
    ['carillon_process_resident_bytes', 'gauge', 'Memory of the process that is in use.', use.residentBytes],
    ['carillon_process_heap_bytes', 'gauge', 'Heap of the main thread that is in use.', use.heapBytes],
    ['carillon_process_up_seconds', 'gauge', 'Time since the process started.', use.upSeconds],
  ];
  return rows.flatMap(([name, kind, help, value]) => [
    `# HELP ${name} ${help}`,
    `# TYPE ${name} ${kind}`,
    `${name} ${value}`,
  ]);
}

/** Label values come from closed lists of plain words: none needs escaping. */
function labelText(labels: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${value}"`);
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}
