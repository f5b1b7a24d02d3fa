/** The service as one process on a data folder: within this process, which starts faster, or in one that can be killed. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { startApp } from '../../server/src/app.ts';
import { systemClock } from '../../server/src/base/clock.ts';
import { loadConfig } from '../../server/src/base/config.ts';
import { derivedConfig } from '../../server/src/base/derived-config.ts';
import type { Log } from '../../server/src/base/log.ts';
import { systemRandom } from '../../server/src/base/random.ts';
import type { InboxStore } from '../../server/src/inbox/inbox-store.ts';
import { InboxStoreLevel } from '../../server/src/inbox/inbox-store-level.ts';
import { openLevel } from '../../server/src/inbox/open-level.ts';
import type { EventLog } from '../../server/src/log/event-log.ts';
import { EventLogSegments } from '../../server/src/log/event-log-segments.ts';
import { eventually } from './eventually.ts';
import { readMetric } from './read-metric.ts';
import { type Exit, type LogEntry, ServerProcess } from './server-process.ts';
import type { ServiceRun } from './service-run.ts';

interface Running {
  readonly url: string;
  readonly logged: readonly LogEntry[];
  stop(): Promise<Exit>;
}

export class EmbeddedRun implements ServiceRun {
  readonly shards: number;
  readonly #file: string;
  readonly #dataDir: string;
  readonly #where: 'here' | 'process';
  /** The last one, while it does not run: its address stays known. */
  #running: Running | null = null;

  constructor(file: string, where: 'here' | 'process') {
    const config = loadConfig({ env: {}, file });
    this.shards = derivedConfig(config).shards;
    this.#file = file;
    this.#dataDir = config.dataDir;
    this.#where = where;
  }

  get url(): string {
    return this.#now().url;
  }

  get logged(): readonly LogEntry[] {
    return this.#now().logged;
  }

  async start(): Promise<void> {
    this.#running = this.#where === 'process' ? await ServerProcess.start(this.#file) : await startHere(this.#file);
  }

  stop(): Promise<Exit> {
    return this.#now().stop();
  }

  async kill(): Promise<void> {
    const running = this.#now();
    assert.ok(running instanceof ServerProcess);
    await running.kill();
  }

  metric(name: string): Promise<number[]> {
    return readMetric(this.url, name);
  }

  async settled(): Promise<void> {
    await eventually(async () => {
      const lags = await this.metric('carillon_lag_bytes');
      const fanouts = await this.metric('carillon_fanouts_waiting');
      return lags.length === 3 && [...lags, ...fanouts].every((left) => left === 0);
    });
  }

  async withLog(work: (log: EventLog) => Promise<unknown>): Promise<void> {
    const log = EventLogSegments.open(join(this.#dataDir, 'log'));
    await work(log);
    await log.close();
  }

  async withStore(work: (store: InboxStore) => Promise<unknown>): Promise<void> {
    const db = await openLevel(join(this.#dataDir, 'store'));
    const store = new InboxStoreLevel(db);
    await work(store);
    await store.close();
    await db.close();
  }

  async close(): Promise<void> {}

  #now(): Running {
    assert.ok(this.#running !== null, 'the service was never started');
    return this.#running;
  }
}

async function startHere(file: string): Promise<Running> {
  const logged: LogEntry[] = [];
  const log: Log = { write: (event, fields = {}) => void logged.push({ event, ...fields }) };
  const config = loadConfig({ env: {}, file });
  const app = await startApp({ config, clock: systemClock, random: systemRandom, log });
  app.failed.catch((error: unknown) => assert.fail(error as Error));
  const stop = async (): Promise<Exit> => {
    const began = systemClock.monotonic();
    await app.stop();
    return { code: 0, tookMs: systemClock.monotonic() - began };
  };
  return { url: app.url, logged, stop };
}
