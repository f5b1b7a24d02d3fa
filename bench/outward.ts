/** N2: what push costs the pipeline, with a device for one recipient in three. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { ownCertificate } from '../test/soak/own-certificate.ts';
import { ProviderProcess } from '../test/soak/provider-process.ts';
import { appOf } from '../test/soak/soak-api.ts';
import { pushSettings } from '../test/soak/soak-config.ts';
import { makePlan } from './driver/plan.ts';
import { sleep } from './driver/sender.ts';
import { devTokens } from './driver/target-carillon.ts';
import { DriverProcess } from './lib/driver-process.ts';
import { HttpConnection, requestHead } from './lib/http-connection.ts';
import { untilApplied } from './lib/inbox-client.ts';
import { duration, type LoadPlan, loadPlan } from './lib/load-plan.ts';
import { faultsOf, type MeasuredRun, measuredRun, otherLoadNote } from './lib/measured-run.ts';
import type { Bench, BenchContext } from './lib/result.ts';
import { ServerProcess } from './lib/server-process.ts';

const eventsPerSecond = 10_000;
const oneIn = 3;
const connections = 32;
const quietMs = 3000;

export const outward: Bench = {
  name: 'outward',
  title: 'Push beside the pipeline',
  how: `The load of \`pipeline\` without skew, as of now, at ${eventsPerSecond} events/s in an open loop, every recipient connected and not looking; first with nobody having a
device, then with one for one recipient in ${oneIn}, half of them Apple's and half Google's. A push server on the same machine (HTTP/2 over TLS, a process of its own) accepts at once. Mentions and
replies are pushed at once, reposts at the end of a minute's window.`,
  async run(context) {
    const folder = mkdtempSync(path.join(os.tmpdir(), 'carillon-outward-'));
    const certificate = ownCertificate(folder);
    const settings = { ...certificate, seed: 1, hasWeather: false, goawayEvery: 1_000_000_000, isPatient: false };
    const push = await ProviderProcess.start('push', folder, { ...settings, endpoints: [] });
    const configFile = path.join(folder, 'config.yaml');
    writeFileSync(configFile, JSON.stringify({ push: pushSettings(push.port) }));
    const environment = { CARILLON_CONFIG: configFile, NODE_EXTRA_CA_CERTS: certificate.certificateFile };
    const server = await ServerProcess.start({ ...context.server, environment });
    try {
      return await measure(context, server, push);
    } finally {
      await server.stop();
      await push.stop();
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

async function measure(context: BenchContext, server: ServerProcess, push: ProviderProcess) {
  const plan = loadPlan(context, 'uniform');
  const driver = await DriverProcess.open('carillon-now', { ...plan, port: server.port });
  const run = (ms: number): Promise<MeasuredRun> =>
    measuredRun(driver, () => server.cpu(), { perSecond: eventsPerSecond, durationMs: ms, connections });
  await run(duration(context, 10_000, 1000));
  const without = await run(duration(context, 60_000, 3000));
  const devices = await registerDevices(plan, server.port);
  const began = performance.now();
  const withPush = await run(duration(context, 60_000, 3000));
  const sentWithin = (performance.now() - began) / 1000;
  const inTime = push.settled;
  await untilApplied(server.port);
  const pushes = await untilQuiet(push);
  await driver.close();
  const { p50Ms, p99Ms } = withPush.latency;
  context.say(`${devices} devices: p99 ${p99Ms} ms, without ${without.latency.p99Ms} ms; ${pushes} pushes`);
  return {
    figures: [
      {
        label: `p99 to the socket at ${eventsPerSecond}/s`,
        unit: 'ms',
        values: [p99Ms],
        goal: { atMost: 2000 },
        limit: { label: 'without devices', values: [without.latency.p99Ms] },
        cpu: withPush.cpu,
        note: `p50 ${p50Ms} ms; without devices ${without.cpu.totalUs} µs each`,
      },
      { label: 'pushes', unit: 'pushes/s', values: [inTime / sentWithin] },
      {
        label: 'pushes accepted by the end of the load',
        unit: '%',
        values: [(100 * inTime) / pushes],
        goal: { atLeast: 95 },
      },
      {
        label: 'p99 from decision to acceptance',
        unit: 's',
        values: [await acceptedWithin(server.port, 0.99)],
        goal: { atMost: 2 },
      },
    ],
    notes: [
      `${devices} devices; ${pushes} pushes.`,
      ...faultsOf(without, 'without devices'),
      ...faultsOf(withPush, 'with devices'),
      ...otherLoadNote([without]),
    ],
  };
}

/** Answers how many. */
async function registerDevices(plan: LoadPlan, port: number): Promise<number> {
  const users = (await makePlan(plan)).users.filter((_, at) => at % oneIn === 0);
  const tokens = await devTokens(
    port,
    users.map((user) => ({ user })),
  );
  let next = 0;
  const work = async (): Promise<void> => {
    const connection = await HttpConnection.open(port);
    while (next < users.length) {
      const at = next++;
      const provider = at % 2 === 0 ? 'apns' : 'fcm';
      const device = {
        provider,
        token: at.toString(16).padStart(64, '0'),
        app: appOf[provider],
        environment: 'production',
      };
      const headers = { 'content-type': 'application/json', authorization: `Bearer ${tokens[at]}` };
      const answer = await connection.send(
        requestHead('POST', '/v1/devices', headers),
        Buffer.from(JSON.stringify(device)),
      );
      if (answer.status >= 300) throw new Error(`POST /v1/devices answers ${answer.status}: ${answer.body.toString()}`);
    }
    connection.close();
  };
  await Promise.all(Array.from({ length: 8 }, work));
  return users.length;
}

/** Answers how many pushes there were. */
async function untilQuiet(push: ProviderProcess): Promise<number> {
  for (let last = -1; last !== push.settled; ) {
    last = push.settled;
    await sleep(quietMs);
  }
  return push.settled;
}

/** Upper end of the histogram's bucket that so many are in. */
async function acceptedWithin(port: number, share: number): Promise<number> {
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  const lines = text.matchAll(/^carillon_delivery_accepted_seconds_bucket\{([^}]*)\} (\d+)$/gm);
  const buckets = [...lines].flatMap(([, labels = '', count]) => {
    const edge = /le="([^"]+)"/.exec(labels)?.[1];
    return labels.includes('channel="push"') && edge !== undefined
      ? [{ edge: edge === '+Inf' ? Infinity : Number(edge), count: Number(count) }]
      : [];
  });
  const total = buckets.at(-1)?.count ?? 0;
  return buckets.find(({ count }) => count >= share * total)?.edge ?? Number.NaN;
}
