/**
 * SIGKILL at random moments under load (R2): 100,000 trace events at full speed, the service killed and started again
 * 20 times. Every acknowledged event must be in exactly one row, with the trace's distinct people, and counts equal rows.
 *
 * `npm run test:crash -- [--kills 20] [--events 100000] [--seed N]`
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { seededRandom } from '../../server/src/base/random.ts';
import { checkInboxes } from './check-inboxes.ts';
import { CrashingServer, pause } from './crashing-server.ts';
import { ExpectedInboxes } from './expected-inboxes.ts';
import { freePort } from './free-port.ts';
import { sendStream } from './send-stream.ts';
import { traceStreams } from './trace-streams.ts';

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
  const streams = await traceStreams({ events: eventsMax, senders: 4 }, expected);
  await server.start();
  const progress = { sent: 0, repeated: 0 };
  const ports = { url: server.url, fetch, random, progress, next: async () => {} };
  const sending = Promise.all(streams.map((events) => sendStream(events, ports)));
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
