/**
 * A broker that is killed in the middle of appends and comes back: every acknowledged event is read exactly once, and each
 * key's in the order of its appends; what was refused may be there, once. The broker is the test's own.
 */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { killServer, startServer, stopServer } from '../../../scripts/services/run-server.ts';
import type { Server } from '../../../scripts/services/service.ts';
import { createServices, placementFrom } from '../../../scripts/services/service-list.ts';
import { CarillonError } from '../../../server/src/base/carillon-error.ts';
import { systemRandom } from '../../../server/src/base/random.ts';
import type { EventLog } from '../../../server/src/log/event-log.ts';
import { idsOf, sampleBatch } from '../../../server/src/log/sample-records.ts';
import { eventually } from '../../flow/eventually.ts';
import { KafkaWorld } from './kafka-world.ts';

const keys = 4;

function ownBroker(folder: string): { server: Server; address: string } {
  // Below the ports that connections get: one to a broker that is gone could else meet itself.
  const port = 11_000 + 2 * systemRandom.below(2000);
  const placement = placementFrom({
    ...process.env,
    SERVICES_DIR: folder,
    KAFKA_PORT: `${port}`,
    KAFKA_BROKER_COUNT: '1',
  });
  const { servers, address } = createServices(placement).kafka;
  return { server: servers[0] as Server, address };
}

/** A producer that sends what was refused again, as producers do, until it is told to stop. */
class Sender {
  readonly sent: string[] = [];
  refusals = 0;
  readonly #log: EventLog;
  readonly #key: number;
  #isStopping = false;
  #isAbandoned = false;
  readonly #running: Promise<void>;

  constructor(log: EventLog, key: number) {
    this.#log = log;
    this.#key = key;
    this.#running = this.#run();
  }

  /** Ends once what is under way is acknowledged. */
  stop(): Promise<void> {
    this.#isStopping = true;
    return this.#running;
  }

  /** Ends whatever is under way, for a test that has failed. */
  abandon(): Promise<void> {
    this.#isAbandoned = true;
    return this.stop();
  }

  async #run(): Promise<void> {
    while (!this.#isStopping) {
      const ids = Array.from({ length: 10 }, (_, at) => `${this.#key}:${this.sent.length + at}`);
      await this.#send(ids);
      this.sent.push(...ids);
    }
  }

  async #send(ids: readonly string[]): Promise<void> {
    while (!this.#isAbandoned) {
      try {
        await this.#log.append(sampleBatch(ids.map((id) => ({ id, shard: this.#key, recipients: [`r${this.#key}`] }))));
        return;
      } catch (error) {
        assert.ok(error instanceof CarillonError && error.code === 'CARILLON_LOG_UNAVAILABLE', String(error));
        this.refusals++;
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    }
  }
}

/** Starting a broker twice takes its time where others use the machine. */
const timeout = 300_000;

test('N3: a broker killed in the middle of appends loses nothing that was acknowledged, and readers go on', {
  timeout,
}, async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'carillon-broker-'));
  const { server, address } = ownBroker(folder);
  await startServer(server);
  let world: KafkaWorld | null = null;
  const senders: Sender[] = [];
  t.after(async () => {
    await Promise.all(senders.map((sender) => sender.abandon()));
    try {
      await world?.dispose();
    } finally {
      await stopServer(server);
      rmSync(folder, { recursive: true });
    }
  });
  world = await KafkaWorld.open(keys, [address]);
  const log = world.log();
  const live: string[][] = [];
  const readers = await Promise.all(Array.from({ length: keys }, (_, shard) => log.open(shard, 'social', 0)));
  const read = async (): Promise<void> => {
    for (const [shard, reader] of readers.entries()) {
      const batch = await reader.pull(1 << 20);
      if (batch !== null) live[shard] = [...(live[shard] ?? []), ...idsOf(batch)];
    }
  };
  for (const key of readers.keys()) senders.push(new Sender(log, key));
  const reached = (count: number) => async () => {
    await read();
    return senders.every(({ sent }) => sent.length >= count);
  };
  await eventually(reached(300));
  await killServer(server);
  const atKill = Math.max(...senders.map(({ sent }) => sent.length));
  await startServer(server);
  await eventually(reached(atKill + 300));
  await Promise.all(senders.map((sender) => sender.stop()));
  await eventually(async () => {
    await read();
    return senders.every(({ sent }, key) => (live[key]?.length ?? 0) >= sent.length);
  });
  for (const [key, { sent }] of senders.entries()) {
    assert.deepEqual(live[key], sent, 'the reader that was open all the time');
    const again: string[] = [];
    const reader = await world.log().open(key, 'social', 0);
    for (let batch = await reader.pull(1 << 20); batch !== null; batch = await reader.pull(1 << 20)) {
      again.push(...idsOf(batch));
    }
    assert.deepEqual(again, sent, 'a reader of another process');
  }
  t.diagnostic(
    `${senders.reduce((sum, { sent }) => sum + sent.length, 0)} events, refused ${senders.map(({ refusals }) => refusals)} times`,
  );
});
