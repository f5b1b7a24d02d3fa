/**
 * Latencies in microseconds in log-linear buckets (64 per power of two: under 1.6 % error), as HdrHistogram keeps them.
 * Percentiles are read from the buckets; the maximum is exact.
 */
const subBuckets = 64;
const subBits = 6;

export class Histogram {
  readonly #counts = new Float64Array(subBuckets * 32);
  #total = 0;
  #max = 0;
  #sum = 0;

  record(us: number, times = 1): void {
    const value = us > 0 ? Math.min(Math.floor(us), 0x7fffffff) : 0;
    const bucket = bucketOf(value);
    this.#counts[bucket] = (this.#counts[bucket] ?? 0) + times;
    this.#total += times;
    this.#sum += value * times;
    if (value > this.#max) this.#max = value;
  }

  get total(): number {
    return this.#total;
  }

  /** The value below which the share `p` (0–1) of all records lies, in microseconds; 0 when empty. */
  percentile(p: number): number {
    let left = Math.ceil(this.#total * p);
    if (left <= 0) return 0;
    for (let i = 0; i < this.#counts.length; i++) {
      left -= this.#counts[i] ?? 0;
      if (left <= 0) return Math.min(upperEdge(i), this.#max);
    }
    return this.#max;
  }

  summary(): LatencySummary {
    return {
      count: this.#total,
      meanMs: this.#total === 0 ? 0 : round(this.#sum / this.#total / 1000),
      p50Ms: round(this.percentile(0.5) / 1000),
      p95Ms: round(this.percentile(0.95) / 1000),
      p99Ms: round(this.percentile(0.99) / 1000),
      p999Ms: round(this.percentile(0.999) / 1000),
      maxMs: round(this.#max / 1000),
    };
  }
}

export interface LatencySummary {
  readonly count: number;
  readonly meanMs: number;
  readonly p50Ms: number;
  readonly p95Ms: number;
  readonly p99Ms: number;
  readonly p999Ms: number;
  readonly maxMs: number;
}

function bucketOf(value: number): number {
  if (value < subBuckets) return value;
  const shift = 31 - Math.clz32(value) - subBits;
  return (shift + 1) * subBuckets + ((value >>> shift) - subBuckets);
}

function upperEdge(bucket: number): number {
  if (bucket < subBuckets) return bucket;
  const shift = Math.floor(bucket / subBuckets) - 1;
  return ((bucket % subBuckets) + subBuckets + 1) * 2 ** shift - 1;
}

const round = (ms: number): number => Math.round(ms * 100) / 100;
