/**
 * SIGKILL at random moments under load (R2): 100,000 trace events at full speed, the service killed and started again
 * 20 times. Every acknowledged event must be in exactly one row, with the trace's distinct people, and counts equal rows.
 *
 * `npm run test:crash -- [--kills 20] [--events 100000] [--seed N]`
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Event } from '@carillon/contract/event.ts';
import { readTraceEvents, summarizeTrace } from '../../scripts/trace/read-trace.ts';
import { sendBatch } from '../../scripts/trace/send-batch.ts';
import { systemClock } from '../../server/src/base/clock.ts';
import { fingerprintOf } from '../../server/src/base/hash.ts';
import { seededRandom } from '../../server/src/base/random.ts';
import { checkInboxes } from './check-inboxes.ts';
import { CrashingServer, pause } from './crashing-server.ts';
import { ExpectedInboxes } from './expected-inboxes.ts';

const sample = new URL('../../examples/traces/higgs-sample.txt.gz', import.meta.url).pathname;
const senders = 4;
const batchEvents = 100;

const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '20' },
    events: { type: 'string', default: '100000' },
    seed: { type: 'string', default: '1' },
  },
});
const kills = Number(values.kills);
const eventsMax = Number(values.events);
const random = seededRandom(Number(values.seed));
process.exitCode = (await run()) ? 0 : 1;

async function run(): Promise<boolean> {
  const dataDir = await mkdtemp(join(tmpdir(), 'carillon-crash-'));
  const config = join(dataDir, 'config.yaml');
  await writeFile(config, 'inbox: { rowsPerPersonMax: 100000 }\n');
  const server = new CrashingServer(await freePort(), { CARILLON_DATA: dataDir, CARILLON_CONFIG: config });
  const expected = new ExpectedInboxes();
  const streams = await splitByRecipient(expected);
  await server.start();
  const progress = { sent: 0, repeated: 0 };
  const sending = Promise.all(streams.map((events) => send(server, events, progress)));
  const slowest = await killAgainAndAgain(server, progress);
  await sending;
  await server.caughtUp();
  await server.stop();
  const { people, rows, faults } = await checkInboxes(dataDir, expected);
  console.log(
    `${expected.events} events acknowledged, ${progress.repeated} batches sent again, ${kills} kills, ` +
      `slowest start ${Math.round(slowest)} ms; ${people} people, ${rows} rows, ${faults.length} faults`,
  );
  for (const fault of faults.slice(0, 20)) console.log(`  ${fault}`);
  await rm(dataDir, { recursive: true, force: true });
  console.log(`${faults.length === 0 ? 1 : 0} passed, ${faults.length === 0 ? 0 : 1} failed`);
  return faults.length === 0;
}

/** Events of one recipient go through one sender, so that they arrive in order, as an app's own queue would send them. */
async function splitByRecipient(expected: ExpectedInboxes): Promise<Event[][]> {
  const streams: Event[][] = Array.from({ length: senders }, () => []);
  const { firstTimeMs, lastTimeMs } = await summarizeTrace(sample);
  const nowMs = systemClock.now();
  for (let lap = 0; expected.events < eventsMax; lap++) {
    const lapsLeft = Math.ceil(eventsMax / 20_000) - lap;
    const endsMs = nowMs - (lapsLeft - 1) * (lastTimeMs - firstTimeMs + 1000);
    for await (const event of readTraceEvents(sample, { lastTimeMs, nowMs: endsMs })) {
      if (expected.events >= eventsMax) break;
      const own = event.type === 'post.reposted' ? event.object : { ...event.object, id: `${event.object?.id}-${lap}` };
      const lapEvent = { ...event, id: `${event.id}-${lap}`, object: own } as Event;
      expected.add(lapEvent);
      const user = 'user' in event.to ? event.to.user : '';
      (streams[fingerprintOf(user) % senders] as Event[]).push(lapEvent);
    }
  }
  return streams;
}

async function send(
  server: CrashingServer,
  events: readonly Event[],
  progress: { sent: number; repeated: number },
): Promise<void> {
  let token: Promise<string> | null = null;
  const ports = {
    url: server.url,
    fetch,
    random,
    token: (renew: boolean): Promise<string> => {
      if (token === null || renew) token = newToken(server.url);
      return token;
    },
    // The dead come back within a second: waiting longer would only make it easy.
    wait: (delayMs: number) => pause(Math.min(delayMs, 100)),
  };
  for (let at = 0; at < events.length; at += batchEvents) {
    const batch = events.slice(at, at + batchEvents);
    for (;;) {
      try {
        const counts = await sendBatch(batch, ports);
        if (counts.rejected > 0) throw new Error(`refused: ${counts.firstRejection}`);
        if (counts.retries > 0) progress.repeated++;
        break;
      } catch (error) {
        if ((error as Error).name !== 'SendError' && !(error instanceof TypeError)) throw error;
        progress.repeated++;
        await pause(50);
      }
    }
    progress.sent += batch.length;
  }
}

async function newToken(url: string): Promise<string> {
  const body = JSON.stringify({ source: 'trace' });
  const headers = { 'content-type': 'application/json' };
  for (;;) {
    try {
      const answer = await fetch(`${url}/v1/dev/token`, { method: 'POST', body, headers });
      if (answer.ok) return ((await answer.json()) as { token: string }).token;
    } catch {
      // Down at this moment.
    }
    await pause(50);
  }
}

/** A kill at a random moment in each of `kills` equal parts of the load. Answers the slowest start. */
async function killAgainAndAgain(server: CrashingServer, progress: { sent: number }): Promise<number> {
  let slowest = 0;
  for (let kill = 0; kill < kills; kill++) {
    const part = eventsMax / (kills + 1);
    while (progress.sent < part * kill + random.below(part)) await pause(2);
    await pause(random.below(50));
    await server.kill();
    slowest = Math.max(slowest, await server.start());
  }
  return slowest;
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}
