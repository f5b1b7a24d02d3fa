/** The background work of the embedded engine: retention of rows, of the log, of audiences, of idle
 * devices, and of answers kept for repeated requests. */
import type { Clock } from '../base/clock.ts';
import { limits } from '../base/limits.ts';
import type { Service } from '../base/service.ts';
import type { InboxStore } from '../inbox/inbox-store.ts';
import { Retention } from '../inbox/retention.ts';
import type { IdempotencyStore } from '../intake/idempotency-store.ts';
import type { EventLog } from '../log/event-log.ts';
import type { DeviceStore } from '../profile/device-store.ts';
import { pruneDevices } from '../profile/prune-devices.ts';
import type { AudienceWork } from './audience-work.ts';
import type { ShardHost } from './shard-host.ts';
import type { Problem } from './shard-reports.ts';
import type { ShardThreadOptions } from './shard-thread-options.ts';

export interface HousekeepingParts {
  readonly host: ShardHost;
  readonly log: EventLog;
  readonly store: InboxStore;
  readonly idempotency: IdempotencyStore;
  readonly devices: DeviceStore;
  readonly audiences: Pick<AudienceWork, 'prune'>;
  readonly clock: Clock;
  readonly onProblem: (problem: Problem) => void;
  readonly options: Pick<ShardThreadOptions, 'logKeptMs' | 'rowsPerPersonMax' | 'retentionMs' | 'deviceIdleDays'>;
}

export class Housekeeping implements Service {
  readonly #parts: HousekeepingParts;
  readonly #retention: Retention;
  readonly #cancel: () => void;
  #running: Promise<void> = Promise.resolve();

  constructor(parts: HousekeepingParts) {
    const { host, store, clock, options, onProblem } = parts;
    this.#parts = parts;
    this.#retention = new Retention({
      store,
      clock,
      rowsPerPersonMax: options.rowsPerPersonMax,
      retentionMs: options.retentionMs,
      remove: (person, items) => host.removeRows(person, items),
      trimmed: (count) => onProblem({ event: 'inboxTrimmed', fields: { count } }),
      failed: (error) => host.report('inboxTrimFailed', error),
    });
    this.#cancel = clock.every(limits.retentionEveryMs, () => {
      this.#running = this.#sweep()
        .catch((error: unknown) => host.report('logTrimFailed', error))
        .then(() => parts.audiences.prune(clock.now() - options.logKeptMs))
        .catch((error: unknown) => host.report('audiencesPruneFailed', error))
        .then(() => this.#pruneDevices())
        .catch((error: unknown) => host.report('devicesPruneFailed', error));
    });
  }

  async stop(): Promise<void> {
    this.#cancel();
    await this.#retention.stop();
    await this.#running;
  }

  async #pruneDevices(): Promise<void> {
    const { devices, clock, options, onProblem } = this.#parts;
    const count = await pruneDevices(devices, options.deviceIdleDays, clock.now());
    if (count > 0) onProblem({ event: 'devicesPruned', fields: { count } });
  }

  async #sweep(): Promise<void> {
    const { log, host, idempotency, clock, options, onProblem } = this.#parts;
    const bytes = await log.trim(clock.now() - options.logKeptMs, () => host.appliedPosition);
    if (bytes > 0) onProblem({ event: 'logTrimmed', fields: { bytes } });
    while ((await idempotency.expire(clock.now())) > 0);
  }
}
