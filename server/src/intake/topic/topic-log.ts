/** The log as the topic's intake uses it: its failures can be told from everything else that goes wrong on the way. */
import type { Lane } from '@carillon/contract/lanes.ts';
import type { AppendStatus } from '../../log/event-log.ts';
import type { PackedBatch } from '../../log/record.ts';
import type { IntakeLog } from '../intake-log.ts';

/** An append failed. That says nothing about the events in it. */
export class LogFailure extends Error {
  constructor(cause: unknown) {
    super('the log could not be written', { cause });
    this.name = 'LogFailure';
  }
}

export class TopicLog implements IntakeLog {
  readonly shards: number;
  readonly #log: IntakeLog;

  constructor(log: IntakeLog) {
    this.shards = log.shards;
    this.#log = log;
  }

  async append(batch: PackedBatch): Promise<AppendStatus[]> {
    try {
      return await this.#log.append(batch);
    } catch (error) {
      throw new LogFailure(error);
    }
  }

  waitingBytes(): number {
    return this.#log.waitingBytes();
  }

  unappliedBytes(lane: Lane): number {
    return this.#log.unappliedBytes(lane);
  }
}
