/** The background work for the shards of this process: retention of their people's rows, of their part of the log, of
 * audiences and idle devices. */
import type { Clock } from '../base/clock.ts';
import { limits } from '../base/limits.ts';
import type { Service } from '../base/service.ts';
import type { AudienceWork } from '../embedded/audience-work.ts';
import type { Problem } from '../embedded/shard-reports.ts';
import type { InboxStore } from '../inbox/inbox-store.ts';
import { Retention } from '../inbox/retention.ts';
import type { EventLog } from '../log/event-log.ts';
import type { DeviceStore } from '../profile/device-store.ts';
import { type DeviceIdleDays, pruneDevices } from '../profile/prune-devices.ts';
import type { OwnedShards } from './owned-shards.ts';

export interface UpkeepOptions {
  readonly logKeptMs: number;
  readonly rowsPerPersonMax: number;
  readonly retentionMs: number;
  readonly deviceIdleDays: DeviceIdleDays;
}

export interface ShardUpkeepParts {
  readonly shards: OwnedShards;
  readonly log: EventLog;
  readonly store: InboxStore;
  readonly clock: Clock;
  readonly devices: DeviceStore;
  readonly audiences: Pick<AudienceWork, 'prune'>;
  readonly onProblem: (problem: Problem) => void;
  readonly options: UpkeepOptions;
}

export class ShardUpkeep implements Service {
  readonly #parts: ShardUpkeepParts;
  readonly #retention: Retention;
  readonly #cancel: () => void;
  #running: Promise<void> = Promise.resolve();

  constructor(parts: ShardUpkeepParts) {
    this.#parts = parts;
    const { shards, store, clock, options, onProblem } = parts;
    this.#retention = new Retention({
      store,
      clock,
      rowsPerPersonMax: options.rowsPerPersonMax,
      retentionMs: options.retentionMs,
      concerns: (person) => shards.owns(person),
      remove: (person, items) => shards.removeRows(person, items),
      trimmed: (count) => onProblem({ event: 'inboxTrimmed', fields: { count } }),
      failed: (error) => onProblem({ event: 'inboxTrimFailed', fields: {}, error }),
    });
    this.#cancel = clock.every(limits.retentionEveryMs, () => {
      this.#running = this.#trimLog()
        .catch((error: unknown) => onProblem({ event: 'logTrimFailed', fields: {}, error }))
        .then(() => parts.audiences.prune(clock.now() - options.logKeptMs))
        .catch((error: unknown) => onProblem({ event: 'audiencesPruneFailed', fields: {}, error }))
        .then(() => this.#pruneDevices())
        .catch((error: unknown) => onProblem({ event: 'devicesPruneFailed', fields: {}, error }));
    });
  }

  async stop(): Promise<void> {
    this.#cancel();
    await this.#retention.stop();
    await this.#running;
  }

  /** Every process does: who comes second finds none. */
  async #pruneDevices(): Promise<void> {
    const { devices, clock, options, onProblem } = this.#parts;
    const count = await pruneDevices(devices, options.deviceIdleDays, clock.now());
    if (count > 0) onProblem({ event: 'devicesPruned', fields: { count } });
  }

  async #trimLog(): Promise<void> {
    const { log, shards, clock, options, onProblem } = this.#parts;
    const bytes = await log.trim(clock.now() - options.logKeptMs, (shard, lane) => shards.appliedPosition(shard, lane));
    if (bytes > 0) onProblem({ event: 'logTrimmed', fields: { bytes } });
  }
}
