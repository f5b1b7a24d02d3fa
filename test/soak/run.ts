/**
 * `npm run test:soak`: a soak of outward delivery on the real service (R2, V1–V5). Providers fail by plan, the service is
 * killed every few seconds, and at the end every delivery must have ended once, with nothing sent again that was taken,
 * no live device forgotten and every dead one gone.
 *
 * `-- [--pushes 200000] [--mails 50000] [--kills 60] [--seed N] [--outage-seconds 30] [--block-seconds 5] [--keep]`;
 * `--short` is for the run with all other checks: a few minutes, most of them waiting for what fails to be given up. In the
 * long form Apple's 503 is among the failures, which is tried again after a quarter of an hour.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { systemClock } from '../../server/src/base/clock.ts';
import { seededRandom } from '../../server/src/base/random.ts';
import { CrashingServer } from '../crash/crashing-server.ts';
import { freePort } from '../crash/free-port.ts';
import { type Judged, judge } from './judge.ts';
import { ownCertificate } from './own-certificate.ts';
import { ProviderProcess } from './provider-process.ts';
import { ServiceUnderKill } from './service-under-kill.ts';
import { Soak } from './soak.ts';
import { soakConfig } from './soak-config.ts';
import { planSoak } from './soak-plan.ts';

const { values } = parseArgs({
  options: {
    pushes: { type: 'string' },
    mails: { type: 'string' },
    kills: { type: 'string' },
    'kill-every-seconds': { type: 'string', default: '6' },
    'outage-seconds': { type: 'string' },
    'block-seconds': { type: 'string', default: '5' },
    'goaway-every': { type: 'string', default: '1000' },
    seed: { type: 'string', default: '1' },
    short: { type: 'boolean', default: false },
    keep: { type: 'boolean', default: false },
  },
});
const { short: isShort } = values;
const size = {
  pushes: Number(values.pushes ?? (isShort ? 5000 : 200_000)),
  mails: Number(values.mails ?? (isShort ? 1000 : 50_000)),
};
const troubles = {
  kills: Number(values.kills ?? (isShort ? 3 : 60)),
  killEveryMsMax: Number(values['kill-every-seconds']) * 1000,
  outageMs: Number(values['outage-seconds'] ?? (isShort ? 5 : 30)) * 1000,
  blockMs: Number(values['block-seconds']) * 1000,
};
const seed = Number(values.seed);
process.exit((await main()) ? 0 : 1);

async function main(): Promise<boolean> {
  const folder = mkdtempSync(join(tmpdir(), 'carillon-soak-'));
  const began = systemClock.monotonic();
  const say = (line: string): void => console.log(`${seconds(began)} s: ${line}`);
  say(`seed ${seed}: ${size.pushes} pushes, ${size.mails} mails, ${troubles.kills} kills`);
  let faults: readonly string[] = ['it did not come to its end'];
  try {
    const { service, judged } = await soak(folder, say);
    faults = report(judged, service);
  } catch (error) {
    console.error(error);
  }
  for (const fault of faults.slice(0, 30)) console.log(`  ${fault}`);
  console.log(`${faults.length} faults in ${seconds(began)} s`);
  if (faults.length > 0 || values.keep) console.log(`Data: ${folder}`);
  else rmSync(folder, { recursive: true, force: true });
  console.log(faults.length === 0 ? '1 passed, 0 failed' : '0 passed, 1 failed');
  return faults.length === 0;
}

async function soak(folder: string, say: (line: string) => void) {
  const random = seededRandom(seed);
  const plan = planSoak(size, random, systemClock.now());
  const { key, certificate, certificateFile } = ownCertificate(folder);
  const settings = {
    seed,
    hasWeather: true,
    goawayEvery: Number(values['goaway-every']),
    isPatient: !isShort,
    key,
    certificate,
  };
  const of = (channel: string) =>
    plan.endpoints.filter((each) => each.channel === channel).map(({ name, kind }) => [name, kind] as const);
  const push = await ProviderProcess.start('push', folder, { ...settings, endpoints: of('push') });
  const mail = await ProviderProcess.start('mail', folder, { ...settings, endpoints: of('email') });
  const dataDir = join(folder, 'data');
  const configFile = join(folder, 'config.yaml');
  writeFileSync(configFile, soakConfig({ push: push.port, mail: mail.port }));
  const environment = { CARILLON_DATA: dataDir, CARILLON_CONFIG: configFile, NODE_EXTRA_CA_CERTS: certificateFile };
  const service = new ServiceUnderKill(new CrashingServer(await freePort(), environment));
  try {
    return { service, judged: await new Soak({ plan, troubles, service, push, mail, dataDir, random, say }).run() };
  } finally {
    await service.server.kill();
    await Promise.all([push.stop(), mail.stop()]);
  }
}

/** Says in numbers what happened; answers the faults. */
function report(judged: Judged, service: ServiceUnderKill): readonly string[] {
  const { faults, ends, dropped, interrupted } = judge(judged);
  const sends = new Map<string, number>();
  for (const { channel, did } of judged.seen) sends.set(`${channel} ${did}`, (sends.get(`${channel} ${did}`) ?? 0) + 1);
  console.log(`${judged.events.length} events acknowledged; slowest start ${Math.round(service.slowestStartMs)} ms`);
  console.log(`deliveries: ${text(ends)}; ${judged.deadLetters.length} dead letters`);
  console.log(`what providers did: ${text(sends)}`);
  console.log(`unknown: ${dropped} never answered, ${interrupted} interrupted`);
  return faults;
}

function text(counts: ReadonlyMap<string, number>): string {
  const parts = [...counts].sort().map(([name, count]) => `${name} ${count}`);
  return parts.join(', ');
}

function seconds(beganMs: number): string {
  return ((systemClock.monotonic() - beganMs) / 1000).toFixed(1);
}
