/**
 * Gathers the records of all requests that are handled in one turn of the event loop into one append: one message to the
 * log's thread per turn, not one per request. A large batch goes at once.
 */
import { limits } from '../base/limits.ts';
import type { AppendStatus } from '../log/event-log.ts';
import { RecordWriter } from '../log/record.ts';
import type { IntakeLog } from './intake-log.ts';

export class TurnBatcher {
  readonly writer = new RecordWriter();
  readonly #log: IntakeLog;
  #committed: Promise<AppendStatus[]> | null = null;
  #flush: () => void = () => {};

  constructor(log: IntakeLog) {
    this.#log = log;
  }

  /** Bytes gathered and bytes under way. */
  waitingBytes(): number {
    return this.writer.bytes + this.#log.waitingBytes();
  }

  /**
   * Statuses of all records of the batch that is being gathered, once durable. Ask after having written to `writer`, in
   * the same turn; the place of a record is `writer.count` as it was before.
   */
  committed(): Promise<AppendStatus[]> {
    if (this.#committed === null) {
      this.#committed = new Promise((resolve, reject) => {
        let sent = false;
        this.#flush = () => {
          if (sent) return;
          sent = true;
          this.#committed = null;
          this.#log.append(this.writer.take()).then(resolve, reject);
        };
      });
      setImmediate(this.#flush);
    }
    const committed = this.#committed;
    if (this.writer.bytes >= limits.commitBytesMax) this.#flush();
    return committed;
  }
}
