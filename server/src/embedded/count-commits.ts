/** What is counted and told of the event log: commits as they happen, and what a start found on the disk (M1, N3a). */
import type { Clock } from '../base/clock.ts';
import { series, telemetry } from '../base/telemetry.ts';
import type { CommitWatch } from '../log/event-log-segments.ts';
import type { Recovery } from '../log/segments/segment-recovery.ts';
import type { Problem } from './shard-reports.ts';

const metrics = {
  bytes: series('carillon_log_bytes_total', {}),
  syncs: series('carillon_log_syncs_total', {}),
  sync: series('carillon_log_sync_seconds', {}),
};

export function countCommits(clock: Clock): CommitWatch {
  return {
    clock,
    committed(bytes, tookMs) {
      telemetry.add(metrics.bytes, bytes);
      telemetry.add(metrics.syncs);
      telemetry.observe(metrics.sync, tookMs / 1000);
    },
  };
}

/** What an operator should know of a start; nothing where the log is new. */
export function recoveryProblems({ segments, truncatedBytes, holes }: Recovery): Problem[] {
  const problems: Problem[] = [];
  if (segments > 0) problems.push({ event: 'logRecovered', fields: { count: segments } });
  if (truncatedBytes > 0) problems.push({ event: 'logTailCut', fields: { bytes: truncatedBytes } });
  if (holes > 0) problems.push({ event: 'logDamaged', fields: { count: holes } });
  return problems;
}
