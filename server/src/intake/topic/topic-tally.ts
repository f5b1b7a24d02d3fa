/** What the events topic counts and logs (M1, M3): what became of its messages, why it waits, how far it is behind. */
import { type ErrorCode, errorCodes } from '@carillon/contract/error-codes.ts';
import type { Log, LogFields } from '../../base/log.ts';
import { type Series, series, type Telemetry } from '../../base/telemetry.ts';
import type { DeadLetter } from './dead-letter.ts';

export type WaitReason = 'overloaded' | 'rateLimited' | 'storageFull' | 'logFailed' | 'deadLettersFailed';

const settled = {
  taken: series('carillon_topic_messages_total', { result: 'taken' }),
  empty: series('carillon_topic_messages_total', { result: 'empty' }),
};
const waits: Readonly<Record<WaitReason, Series>> = {
  overloaded: series('carillon_topic_waits_total', { reason: 'overloaded' }),
  rateLimited: series('carillon_topic_waits_total', { reason: 'rateLimited' }),
  storageFull: series('carillon_topic_waits_total', { reason: 'storageFull' }),
  logFailed: series('carillon_topic_waits_total', { reason: 'logFailed' }),
  deadLettersFailed: series('carillon_topic_waits_total', { reason: 'deadLettersFailed' }),
};
const dead = new Map(
  (Object.keys(errorCodes) as ErrorCode[]).map((code) => [code, series('carillon_topic_dead_total', { code })]),
);
const skipped = series('carillon_topic_skipped_total', {});
const lag = series('carillon_topic_lag_messages', {});
const oldest = series('carillon_topic_oldest_seconds', {});

export class TopicTally {
  readonly #log: Log;
  readonly #telemetry: Telemetry;
  /** Why it waits, as last logged: said once until something has been taken again. */
  #waitsFor: WaitReason | null = null;
  /** Letters that no line of the log has told of yet. */
  #untold = 0;
  #hasTold = false;

  constructor(log: Log, telemetry: Telemetry) {
    this.#log = log;
    this.#telemetry = telemetry;
  }

  settled(kind: 'taken' | 'empty', messages: number): void {
    if (messages === 0) return;
    this.#telemetry.add(settled[kind], messages);
    this.#waitsFor = null;
  }

  /** The first is logged at once, the others together at the next tick: a producer gone wrong must not flood the log. */
  buried(letters: readonly DeadLetter[]): void {
    for (const { refusal } of letters) this.#telemetry.add(dead.get(refusal.code) as Series);
    this.#untold += letters.length;
    const first = letters[0];
    if (first === undefined || this.#hasTold) return;
    const { partition, offset } = first.message;
    this.#tellBuried({ code: first.refusal.code, partition, offset });
  }

  /** To be called every `topicLagEveryMs`. */
  tick(): void {
    this.#hasTold = false;
    if (this.#untold > 0) this.#tellBuried({});
  }

  waited(reason: WaitReason, error?: unknown): void {
    this.#telemetry.add(waits[reason]);
    if (this.#waitsFor === reason) return;
    this.#waitsFor = reason;
    this.#log.write('topicWaits', { reason }, error);
  }

  skipped(partition: number, from: number, messages: number): void {
    this.#telemetry.add(skipped, messages);
    this.#log.write('topicSkipped', { partition, position: from, count: messages });
  }

  behind(messages: number, oldestMs: number): void {
    this.#telemetry.set(lag, messages);
    this.#telemetry.set(oldest, oldestMs / 1000);
  }

  #tellBuried(example: LogFields): void {
    this.#log.write('eventsBuried', { count: this.#untold, ...example });
    this.#untold = 0;
    this.#hasTold = true;
  }
}
