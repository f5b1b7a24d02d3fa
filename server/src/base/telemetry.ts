/**
 * Counting, cheap enough for the hot path: every series of the list has a fixed place in one array of numbers, found
 * once by `series` and then added to. Each thread has an array of its own; a snapshot is a copy that can be sent, and
 * snapshots of several threads add up, series by series (a gauge is set in one thread and zero in the others).
 *
 * A histogram takes one place per bucket, then one for the sum; its buckets count only what fell into them.
 */
import { type LabelsOf, type Metric, type MetricName, metricList } from './metric-list.ts';

/** The place of a series. Found once, when a module loads, and kept. */
export type Series = number;

/** A copy of all numbers of one thread. */
export type Snapshot = Float64Array;

interface Place {
  readonly name: MetricName;
  readonly metric: Metric;
  /** Label sets in order; each takes `width` places from `start`. */
  readonly start: number;
  readonly width: number;
}

const places: readonly Place[] = layOut();
const placeOf = new Map(places.map((place) => [place.name, place]));
const size = places.reduce((sum, { metric, width }) => sum + labelSets(metric).length * width, 0);

/** Bounds by the place of a histogram's series, for `observe`. */
const boundsAt = new Map<Series, readonly number[]>();
for (const { metric, start, width } of places) {
  if (metric.kind !== 'histogram') continue;
  for (const index of labelSets(metric).keys()) boundsAt.set(start + index * width, metric.buckets);
}

/** The place of one series. Throws a RangeError for labels that are not in the list. */
export function series<Name extends MetricName>(name: Name, labels: LabelsOf<Name>): Series {
  const { metric, start, width } = placeOf.get(name) as Place;
  const wanted = JSON.stringify(Object.keys(metric.labels).map((key) => (labels as Record<string, string>)[key]));
  const index = labelSets(metric).findIndex((set) => JSON.stringify(Object.values(set)) === wanted);
  if (index === -1) throw new RangeError(`${name} has no series ${wanted}`);
  return start + index * width;
}

export class Telemetry {
  readonly #values = new Float64Array(size);

  /** Counts up. */
  add(place: Series, by = 1): void {
    this.#values[place] = (this.#values[place] as number) + by;
  }

  /** Sets a gauge. */
  set(place: Series, value: number): void {
    this.#values[place] = value;
  }

  /** Puts `times` observations of `value` (seconds) into a histogram. */
  observe(place: Series, value: number, times = 1): void {
    const bounds = boundsAt.get(place) as readonly number[];
    let bucket = 0;
    while (bucket < bounds.length && value > (bounds[bucket] as number)) bucket++;
    this.add(place + bucket, times);
    this.add(place + bounds.length + 1, value * times);
  }

  snapshot(): Snapshot {
    return this.#values.slice();
  }
}

/** This thread's own. */
export const telemetry = new Telemetry();

export function mergeSnapshots(snapshots: readonly Snapshot[]): Snapshot {
  const merged = new Float64Array(size);
  for (const snapshot of snapshots) {
    if (snapshot.length !== size) throw new RangeError('A snapshot of another list of metrics cannot be merged.');
    for (let at = 0; at < size; at++) merged[at] = (merged[at] as number) + (snapshot[at] as number);
  }
  return merged;
}

/** One metric with the numbers of all its series, in the order of the list. */
export interface MetricReading {
  readonly name: MetricName;
  readonly metric: Metric;
  readonly series: readonly { readonly labels: Readonly<Record<string, string>>; readonly values: readonly number[] }[];
}

/** For counters and gauges one value a series; for histograms one per bucket, one beyond all bounds, and the sum. */
export function readSnapshot(snapshot: Snapshot): MetricReading[] {
  return places.map(({ name, metric, start, width }) => ({
    name,
    metric,
    series: labelSets(metric).map((labels, index) => ({
      labels,
      values: [...snapshot.subarray(start + index * width, start + (index + 1) * width)],
    })),
  }));
}

function layOut(): Place[] {
  let start = 0;
  return Object.entries(metricList).map(([name, metric]: [string, Metric]) => {
    const width = metric.kind === 'histogram' ? metric.buckets.length + 2 : 1;
    const place = { name: name as MetricName, metric, start, width };
    start += labelSets(metric).length * width;
    return place;
  });
}

/** Every combination of label values; one empty set for a metric without labels. */
function labelSets(metric: Metric): Record<string, string>[] {
  let sets: Record<string, string>[] = [{}];
  for (const [label, values] of Object.entries(metric.labels)) {
    sets = sets.flatMap((set) => values.map((value) => ({ ...set, [label]: value })));
  }
  return sets;
}
