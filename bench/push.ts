/** P2: pushes to a stand-in for Apple's service, beside the same requests by node:http2 alone; and encryption for browsers. */
import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { makeCertificate } from '../scripts/make-certificate.ts';
import { duration } from './lib/load-plan.ts';
import type { Bench, BenchContext, Figure } from './lib/result.ts';
import { ServerProcess } from './lib/server-process.ts';

const sender = fileURLToPath(new URL('probes/push-sender.ts', import.meta.url));
const underWay = 200;
const connections = 2;
const goalShare = 0.7;
const goalCpuUs = 50;

type Way = 'ours' | 'bare' | 'webpush' | 'encryption';

interface Sent {
  readonly perSecond: number;
  readonly cpuUs: number;
  readonly failed: number;
}

export const push: Bench = {
  name: 'push',
  title: 'Push: HTTP/2 to a stand-in, and encryption for browsers',
  how: `Closed loop of ${underWay} pushes under way over ${connections} connections to a \`node:http2\` server in another process, without TLS, each rendered and sent by the APNs provider. CPU is that of the sending process.
Limit: the same requests, ready made, by \`node:http2\` alone in a process of its own, in the same run. Browsers: encrypted, signed and sent to a \`node:http2\` server with TLS; limit: encryption alone, one after the other.`,
  async run(context) {
    const { key, cert } = certificate();
    const sink = await ServerProcess.start({
      module: 'bench/probes/push-sink.ts',
      readyPath: '/',
      environment: { KEY: key, CERT: cert },
    });
    try {
      const [plain, secure] = (await (await fetch(`http://127.0.0.1:${sink.port}/`)).text()).split(' ');
      const [apple, browsers] = [
        { ORIGIN: `http://127.0.0.1:${plain}` },
        { ORIGIN: `https://localhost:${secure}`, CA: cert },
      ];
      const apns = await alternate(context, ['ours', 'bare'], apple);
      const web = await alternate(context, ['webpush', 'encryption'], browsers);
      const [ours, bare, webpush] = [apns.ours, apns.bare, web.webpush];
      const share = best(ours).perSecond / best(bare).perSecond;
      context.say(`${Math.round(share * 100)} % of node:http2 alone`);
      const reference = h2load(context, apple.ORIGIN);
      return {
        figures: [
          {
            ...rate('pushes by the APNs provider', ours),
            limit: { label: 'bare node:http2', values: bare.map(({ perSecond }) => perSecond) },
            note: `CPU of bare node:http2: ${best(bare).cpuUs.toFixed(1)} µs${reference}`,
          },
          {
            label: 'of bare node:http2, best rounds',
            unit: '%',
            values: [share * 100],
            goal: { atLeast: goalShare * 100 },
          },
          {
            label: 'CPU of a push',
            unit: 'µs',
            values: ours.map(({ cpuUs }) => cpuUs),
            goal: { atMost: goalCpuUs },
            limit: { label: 'bare node:http2', values: bare.map(({ cpuUs }) => cpuUs) },
          },
          {
            ...rate('web pushes', webpush),
            limit: { label: 'encryption alone', values: web.encryption.map(({ perSecond }) => perSecond) },
            note: `CPU ${best(webpush).cpuUs.toFixed(0)} µs each, encryption ${best(web.encryption).cpuUs.toFixed(0)} µs`,
          },
        ],
        notes: [...ours, ...bare, ...webpush].some(({ failed }) => failed > 0) ? ['**Some pushes failed.**'] : [],
      };
    } finally {
      await sink.stop();
    }
  },
};

const rate = (label: string, rounds: readonly Sent[]): Figure => ({
  label,
  unit: 'pushes/s',
  values: rounds.map(({ perSecond }) => perSecond),
});

const best = (rounds: readonly Sent[]): Sent =>
  rounds.toSorted((a, b) => b.perSecond - a.perSecond)[0] ?? { perSecond: 0, cpuUs: 0, failed: 0 };

/** In turn, so that whatever else the machine does meets both. */
async function alternate<const W extends Way>(
  context: BenchContext,
  ways: readonly W[],
  to: Readonly<Record<string, string>>,
) {
  const rounds = Object.fromEntries(ways.map((way) => [way, [] as Sent[]])) as Record<W, Sent[]>;
  for (let round = 0; round < (context.quick ? 1 : 5); round++) {
    for (const way of ways) {
      const sent = await send(way, to, duration(context, 8000, 1000));
      rounds[way].push(sent);
      context.say(`${way}: ${Math.round(sent.perSecond)}/s, ${sent.cpuUs.toFixed(1)} µs of CPU each`);
    }
  }
  return rounds;
}

async function send(way: Way, to: Readonly<Record<string, string>>, durationMs: number): Promise<Sent> {
  const settings = { WAY: way, DURATION_MS: `${durationMs}`, UNDER_WAY: `${underWay}`, CONNECTIONS: `${connections}` };
  const env = { ...process.env, ...to, ...settings };
  const { stdout } = await promisify(execFile)(process.execPath, [sender], { env });
  const { pushes, failed, ms, cpuUs } = JSON.parse(stdout) as Record<string, number>;
  const count = Math.max(1, pushes ?? 0);
  return { perSecond: (count * 1000) / (ms ?? 1), cpuUs: (cpuUs ?? 0) / count, failed: failed ?? 0 };
}

function certificate(): { key: string; cert: string } {
  const folder = mkdtempSync(join(tmpdir(), 'carillon-push-'));
  try {
    makeCertificate(folder);
    const [key = '', cert = ''] = ['server.key', 'server.pem'].map((name) => readFileSync(join(folder, name), 'utf8'));
    return { key, cert };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** What the stand-in can take of a client in C, where that is installed; a remark, not a limit. */
function h2load(context: BenchContext, origin: string): string {
  const body = join(tmpdir(), `carillon-push-${process.pid}.json`);
  writeFileSync(body, 'x'.repeat(600));
  const seconds = Math.max(1, Math.round(duration(context, 5000, 1000) / 1000));
  const args = ['-D', String(seconds), '-c', String(connections), '-m', '100', '-d', body];
  const { stdout } = spawnSync('h2load', [...args, `${origin}/3/device/x`], { encoding: 'utf8' });
  const found = /finished in [\d.]+s, ([\d.]+) req\/s/.exec(stdout ?? '')?.[1];
  return found === undefined ? '' : `; h2load to the same server: ${Math.round(Number(found))}/s`;
}
