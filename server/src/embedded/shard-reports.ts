/** What is counted and told of shards as they work, on either engine (M1, M3, N3a). Problems that last are told of once. */
import { type Reason, reasons } from '@carillon/contract/reasons.ts';
import { CarillonError } from '../base/carillon-error.ts';
import type { LogFields } from '../base/log.ts';
import type { LogEvent } from '../base/log-events.ts';
import { type Series, series, telemetry } from '../base/telemetry.ts';
import type { Person } from '../shard/person.ts';
import type { UnusableRecord } from '../shard/shard-listener.ts';

const metrics = {
  decisions: Object.fromEntries(
    reasons.map((reason) => [reason, series('carillon_decisions_total', { reason })]),
  ) as Record<Reason, Series>,
  apply: series('carillon_apply_seconds', {}),
  rows: series('carillon_inbox_rows_total', {}),
  unusable: series('carillon_records_unusable_total', {}),
  timersFailed: series('carillon_timers_failed_total', {}),
  writeErrors: series('carillon_inbox_write_errors_total', {}),
  trimmed: series('carillon_inbox_trimmed_total', {}),
  append: series('carillon_log_append_seconds', {}),
  delivery: series('carillon_delivery_seconds', {}),
};

/** Something an operator should see: an event of the log list with its fields. */
export interface Problem {
  readonly event: LogEvent;
  readonly fields: LogFields;
  /** Where it is known and need not cross to another thread. */
  readonly error?: unknown;
}

export class ShardReports {
  readonly #onProblem: (problem: Problem) => void;
  /** The last append failed. */
  #isRefusing = false;
  /** The last write of inboxes failed. */
  #isWriteFailing = false;
  #isChannelFailing = false;

  constructor(onProblem: (problem: Problem) => void) {
    this.#onProblem = onProblem;
  }

  decided(reason: Reason): void {
    telemetry.add(metrics.decisions[reason]);
  }

  /** A micro-batch is written. */
  applied(tookMs: number): void {
    this.#isWriteFailing = false;
    this.#isChannelFailing = false;
    telemetry.observe(metrics.apply, tookMs / 1000);
  }

  rowsWritten(count: number): void {
    telemetry.add(metrics.rows, count);
  }

  /** A person with a stream has changes, and their frames leave now. */
  delivered(person: Person, nowMs: number): void {
    const acceptedMs = person.changedItems().reduce((newest, item) => Math.max(newest, item.acceptedAtMs), 0);
    telemetry.observe(metrics.delivery, Math.max(0, nowMs - acceptedMs) / 1000);
  }

  unusable({ bytes, ...where }: UnusableRecord): void {
    telemetry.add(metrics.unusable);
    this.#onProblem({ event: 'recordUnusable', fields: { ...where, bytes: bytes.length } });
  }

  writeFailed(error: unknown): void {
    telemetry.add(metrics.writeErrors);
    // Told of once: it is tried several times a second until the store lets it.
    if (!this.#isWriteFailing) this.report('inboxWriteFailed', error);
    this.#isWriteFailing = true;
  }

  /** Told of once, until a micro-batch is applied again: it is tried several times a second. */
  channelFailed(error: unknown): void {
    if (!this.#isChannelFailing) this.report('channelFailed', error);
    this.#isChannelFailing = true;
  }

  timerFailed(error: unknown): void {
    telemetry.add(metrics.timersFailed);
    this.report('timerFailed', error);
  }

  trimmed(rows: number): void {
    telemetry.add(metrics.trimmed, rows);
  }

  appended(tookMs: number): void {
    this.#isRefusing = false;
    telemetry.observe(metrics.append, tookMs / 1000);
  }

  /** Told of once, until an append succeeds again: a full disk refuses thousands a second. */
  appendFailed(error: unknown): void {
    if (this.#isRefusing) return;
    this.#isRefusing = true;
    const isFull = error instanceof CarillonError && error.code === 'CARILLON_STORAGE_FULL';
    this.report(isFull ? 'storageFull' : 'logWriteFailed', error);
  }

  /** Tells operators of a failure, by its code only: messages may quote what somebody sent. */
  report(event: LogEvent, error: unknown): void {
    const code = (error as { code?: unknown } | null)?.code;
    this.#onProblem({ event, fields: { code: typeof code === 'string' ? code : 'unknown' } });
  }
}
