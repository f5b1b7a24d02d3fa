/**
 * How far the shards have come, in memory that both threads see: admission and probes read it without asking.
 * One number per lane (bytes durable and not yet applied), then one that grows with every micro-batch applied.
 */
import { type Lane, lanes } from '@carillon/contract/lanes.ts';
import { series, telemetry } from '../base/telemetry.ts';

const batchesAt = lanes.length;
const lagGauges = lanes.map((lane) => series('carillon_lag_bytes', { lane }));
const ageGauges = lanes.map((lane) => series('carillon_lag_oldest_seconds', { lane }));

export function createProgress(): Float64Array {
  return new Float64Array(new SharedArrayBuffer((lanes.length + 1) * Float64Array.BYTES_PER_ELEMENT));
}

export function noteBacklog(progress: Float64Array, lane: number, bytes: number): void {
  progress[lane] = bytes;
}

export function noteApplied(progress: Float64Array): void {
  progress[batchesAt] = (progress[batchesAt] as number) + 1;
}

export function unappliedBytes(progress: Float64Array, lane: Lane): number {
  return progress[lanes.indexOf(lane)] as number;
}

export function consumptionOf(progress: Float64Array): { behindBytes: number; applied: number } {
  const behindBytes = lanes.reduce((sum, lane) => sum + unappliedBytes(progress, lane), 0);
  return { behindBytes, applied: progress[batchesAt] as number };
}

/** Brings the gauges up to date before they are read. `oldestMs`: age of the oldest unapplied event of each lane, 0 for none. */
export function noteLag(progress: Float64Array, oldestMs: readonly number[]): void {
  for (const [index, gauge] of lagGauges.entries()) telemetry.set(gauge, progress[index] as number);
  for (const [index, gauge] of ageGauges.entries()) telemetry.set(gauge, (oldestMs[index] as number) / 1000);
}
