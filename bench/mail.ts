/** P2: mails to a local sink by the SMTP provider, words and composing included, beside a bare loop of nodemailer. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { duration } from './lib/load-plan.ts';
import type { Bench, BenchContext, Figure } from './lib/result.ts';
import { ServerProcess } from './lib/server-process.ts';

const sender = fileURLToPath(new URL('probes/mail-sender.ts', import.meta.url));
const underWay = 50;
const connections = 5;
const goalPerSecond = 2000;

type Way = 'ours' | 'bare';

interface Sent {
  readonly perSecond: number;
  readonly cpuUs: number;
  readonly failed: number;
}

export const mail: Bench = {
  name: 'mail',
  title: 'Email: SMTP to a local sink',
  how: `Closed loop of ${underWay} mails under way over ${connections} connections to \`smtp-server\` in another process, without TLS and DKIM. Each mail is rendered, composed (HTML, plain part, sealed links, headers) and sent by the SMTP provider. CPU is that of the sending process.
Limit: one ready mail of the same parts, again and again, by \`nodemailer\`'s own pool in a process of its own, in the same run. Sink and sender share the machine.`,
  async run(context) {
    const sink = await ServerProcess.start({ module: 'bench/probes/mail-sink.ts', readyPath: '/' });
    try {
      const port = await (await fetch(`http://127.0.0.1:${sink.port}/`)).text();
      const { ours, bare } = await alternate(context, port);
      return {
        figures: [
          {
            ...rate(ours),
            goal: { atLeast: goalPerSecond },
            limit: { label: 'bare nodemailer', values: bare.map(({ perSecond }) => perSecond) },
          },
          {
            label: 'CPU of a mail',
            unit: 'µs',
            values: ours.map(({ cpuUs }) => cpuUs),
            limit: { label: 'bare nodemailer', values: bare.map(({ cpuUs }) => cpuUs) },
          },
        ],
        notes: [...ours, ...bare].some(({ failed }) => failed > 0) ? ['**Some mails failed.**'] : [],
      };
    } finally {
      await sink.stop();
    }
  },
};

const rate = (rounds: readonly Sent[]): Figure => ({
  label: 'mails by the SMTP provider',
  unit: 'mails/s',
  values: rounds.map(({ perSecond }) => perSecond),
});

/** In turn, so that whatever else the machine does meets both. */
async function alternate(context: BenchContext, port: string): Promise<Record<Way, Sent[]>> {
  const rounds: Record<Way, Sent[]> = { ours: [], bare: [] };
  for (let round = 0; round < (context.quick ? 1 : 5); round++) {
    for (const way of ['ours', 'bare'] as const) {
      const sent = await send(way, port, duration(context, 8000, 2000));
      rounds[way].push(sent);
      context.say(`${way}: ${Math.round(sent.perSecond)}/s, ${sent.cpuUs.toFixed(0)} µs of CPU each`);
    }
  }
  return rounds;
}

async function send(way: Way, port: string, durationMs: number): Promise<Sent> {
  const settings = {
    WAY: way,
    SMTP_PORT: port,
    DURATION_MS: durationMs,
    UNDER_WAY: underWay,
    CONNECTIONS: connections,
  };
  const texts = Object.fromEntries(Object.entries(settings).map(([name, value]) => [name, String(value)]));
  const { stdout } = await promisify(execFile)(process.execPath, [sender], { env: { ...process.env, ...texts } });
  const { mails, failed, ms, cpuUs } = JSON.parse(stdout) as Record<string, number>;
  const count = Math.max(1, mails ?? 0);
  return { perSecond: (count * 1000) / (ms ?? 1), cpuUs: (cpuUs ?? 0) / count, failed: failed ?? 0 };
}
