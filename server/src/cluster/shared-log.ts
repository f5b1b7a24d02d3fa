/**
 * The log as intake uses it in a cluster: appends go to it, and how far the shards are behind is asked of it now and
 * then (E6). The log itself knows, so that a lane is refused also when no process works at its shards. Between two
 * answers a lane may take more than its limit says, by what one second brings.
 */
import { type Lane, lanes } from '@carillon/contract/lanes.ts';
import type { Clock } from '../base/clock.ts';
import { limits } from '../base/limits.ts';
import type { ShardReports } from '../embedded/shard-reports.ts';
import type { IntakeLog } from '../intake/intake-log.ts';
import type { AppendStatus, EventLog } from '../log/event-log.ts';
import type { PackedBatch } from '../log/record.ts';

export interface SharedLogParts {
  readonly log: EventLog;
  readonly shards: number;
  /** Records that are durable and not yet applied, by lane: over all shards, whoever owns them. */
  readonly behind: () => Promise<readonly number[]>;
  readonly clock: Clock;
  readonly reports: ShardReports;
}

export class SharedLog implements IntakeLog {
  readonly shards: number;
  readonly #parts: SharedLogParts;
  readonly #cancel: () => void;
  /** Records behind, by lane, when it was last asked. */
  #behind: readonly number[] = lanes.map(() => 0);
  /** What a record takes, as a mean of what has come lately. */
  #recordBytes: number = limits.recordBytesTypical;
  #waitingBytes = 0;
  #asking: Promise<void> | null = null;

  constructor(parts: SharedLogParts) {
    this.#parts = parts;
    this.shards = parts.shards;
    this.#cancel = parts.clock.every(limits.lagReadMs, () => void this.readLag());
  }

  async append(batch: PackedBatch): Promise<AppendStatus[]> {
    const { log, clock, reports } = this.#parts;
    const size = batch.bytes.byteLength;
    this.#recordBytes += (size / batch.count - this.#recordBytes) / 64;
    this.#waitingBytes += size;
    const beganMs = clock.monotonic();
    try {
      const statuses = await log.append(batch);
      reports.appended(clock.monotonic() - beganMs);
      return statuses;
    } catch (error) {
      reports.appendFailed(error);
      throw error;
    } finally {
      this.#waitingBytes -= size;
    }
  }

  waitingBytes(): number {
    return this.#waitingBytes;
  }

  unappliedBytes(lane: Lane): number {
    return (this.#behind[lanes.indexOf(lane)] as number) * this.#recordBytes;
  }

  /** While there is no answer the last one stands: a log that cannot be asked takes no events either. */
  readLag(): Promise<void> {
    this.#asking ??= this.#readLag().finally(() => {
      this.#asking = null;
    });
    return this.#asking;
  }

  async stop(): Promise<void> {
    this.#cancel();
    await this.#asking;
  }

  async #readLag(): Promise<void> {
    this.#behind = await this.#parts.behind().catch(() => this.#behind);
  }
}
