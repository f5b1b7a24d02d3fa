/**
 * P6, F3: one post to a large audience, written to every inbox, while somebody gets direct messages; and one more, kept once
 * since the audience is above the threshold by then, until members who open their inboxes have it.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { ListeningSocket } from './driver/listening-socket.ts';
import { devTokens } from './driver/target-carillon.ts';
import { Histogram } from './lib/histogram.ts';
import { untilApplied } from './lib/inbox-client.ts';
import { type CpuPer, cpuPer } from './lib/process-cpu.ts';
import type { Bench, BenchContext } from './lib/result.ts';
import { type ServerOptions, ServerProcess } from './lib/server-process.ts';
import { levelPutRate } from './probes/level-puts.ts';

const membersFull = 1_000_000;
const membersQuick = 20_000;
const linesPerImport = 10_000;
/** A direct message is sent this often while the fan-out runs. */
const messageEveryMs = 20;
/** Members who open their inbox, one after another. */
const openingsFull = 2000;
/** As large as the rows that the fan-out writes. */
const rowBytes = 330;
const audience = 'topic:bench';

interface Round {
  readonly perSecond: number;
  readonly answeredMs: number;
  readonly direct: Histogram;
  readonly cpu: CpuPer;
}

export const fanout: Bench = {
  name: 'fanout',
  title: 'Fan-out: one post to many inboxes',
  how: `One post to an audience of ${membersFull} members, whose inboxes get a row each, since the threshold is raised; timed from the post until the last row is written. Every ${messageEveryMs} ms meanwhile a direct message to one person with a socket, timed from its scheduled sending to the frame.
Limit: unsynced LevelDB batches of rows as large, with nothing else around them. CPU is per member.
Then one member more makes the audience a large one: the next post is kept once. ${openingsFull} members open their inbox, each timed from the request to the page, which must have the post.`,
  async run(context) {
    const members = context.quick ? membersQuick : membersFull;
    // So many are not above it; one more is.
    const folder = mkdtempSync(path.join(os.tmpdir(), 'carillon-bench-'));
    const server = await ServerProcess.start(withThreshold(context.server, folder, members));
    const limits: number[] = [];
    const rounds: Round[] = [];
    try {
      const importedPerSecond = await importMembers(server.port, members);
      context.say(`${members} members imported at ${Math.round(importedPerSecond)}/s`);
      for (let round = 0; round < (context.quick ? 1 : 3); round++) {
        limits.push(await levelPutRate(rowBytes, context.quick ? 500 : 5000));
        rounds.push(await measure(server, members, round));
        say(context, rounds.at(-1) as Round, limits.at(-1) as number);
      }
      const kept = await measureKept(server, context.quick ? 100 : openingsFull);
      context.say(`kept once: ${kept.writes} write, on opening p99 ${kept.opening.summary().p99Ms} ms`);
      const [first] = rounds as [Round];
      return {
        figures: [
          {
            label: 'written to inboxes',
            unit: 'members/s',
            values: rounds.map(({ perSecond }) => perSecond),
            goal: { atLeast: 100_000 },
            limit: { label: 'bare LevelDB puts', values: limits },
            cpu: first.cpu,
            note: `members were imported at ${Math.round(importedPerSecond)}/s`,
          },
          {
            label: 'direct messages meanwhile: p99',
            unit: 'ms',
            values: rounds.map(({ direct }) => direct.summary().p99Ms),
            goal: { atMost: 200 },
            note: `p50 ${first.direct.summary().p50Ms} ms, of ${first.direct.total} messages`,
          },
          {
            label: 'answer to the author',
            unit: 'ms',
            values: rounds.map(({ answeredMs }) => answeredMs),
            goal: { atMost: 300 },
          },
          {
            label: 'kept once: writes for a post',
            unit: 'writes',
            values: [kept.writes],
            goal: { atMost: 1 },
            note: `${members + 1} members; kept ${round(kept.keptMs)} ms after the post`,
          },
          {
            label: 'kept once: in the inbox on opening, p99',
            unit: 'ms',
            values: [kept.opening.summary().p99Ms],
            goal: { atMost: 50 },
            note: `p50 ${kept.opening.summary().p50Ms} ms, of ${kept.opening.total} members who open for the first time since`,
          },
        ],
        notes: [],
      };
    } finally {
      await server.stop();
      rmSync(folder, { recursive: true });
    }
  },
};

/** The same server with audiences of so many members written to each of them, and larger ones not. */
function withThreshold(server: ServerOptions, folder: string, broadcastAbove: number): ServerOptions {
  const file = path.join(folder, 'carillon.yaml');
  writeFileSync(file, JSON.stringify({ audiences: { broadcastAbove } }));
  return { ...server, environment: { ...server.environment, CARILLON_CONFIG: file } };
}

interface Kept {
  /** Broadcasts, rows, and people in records of the log. */
  readonly writes: number;
  readonly keptMs: number;
  readonly opening: Histogram;
}

async function measureKept({ port }: ServerProcess, openings: number): Promise<Kept> {
  const [producer = ''] = await devTokens(port, [{ source: 'bench' }]);
  await importLines(port, producer, [{ audience, user: 'one-more' }]);
  const counters = ['carillon_broadcasts_total', 'carillon_inbox_rows_total', 'carillon_fanout_recipients_total'];
  const written = async (): Promise<number> => {
    const counts = await Promise.all(counters.map((name) => counterOf(port, name)));
    return counts.reduce((sum, count) => sum + count, 0);
  };
  const before = await written();
  const began = performance.now();
  await post(port, producer, postOf('kept'));
  await untilDone(port, producer, 'kept');
  const keptMs = performance.now() - began;
  await untilApplied(port);
  const writes = (await written()) - before;
  const opening = new Histogram();
  for (let at = 0; at < openings; at++) {
    const [token = ''] = await devTokens(port, [{ user: `member-${at * 7}` }]);
    const asked = performance.now();
    const answer = await fetch(`http://127.0.0.1:${port}/v1/notifications?limit=100`, {
      headers: { authorization: `Bearer ${token}` },
    });
    const page = await answer.text();
    opening.record((performance.now() - asked) * 1000);
    if (!page.includes('"pkept"')) throw new Error(`the post is not in the inbox: ${page.slice(0, 500)}`);
  }
  return { writes, keptMs, opening };
}

/** The sum over all series. */
async function counterOf(port: number, name: string): Promise<number> {
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  const lines = text.split('\n').filter((line) => line.startsWith(`${name} `) || line.startsWith(`${name}{`));
  if (lines.length === 0) throw new Error(`the server has no ${name}`);
  return lines.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))), 0);
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

/** Members per second. */
async function importMembers(port: number, members: number): Promise<number> {
  const [token = ''] = await devTokens(port, [{ source: 'bench' }]);
  const began = performance.now();
  for (let at = 0; at < members; at += linesPerImport) {
    const length = Math.min(linesPerImport, members - at);
    await importLines(
      port,
      token,
      Array.from({ length }, (_, n) => ({ audience, user: `member-${at + n}` })),
    );
  }
  return (members * 1000) / (performance.now() - began);
}

async function importLines(port: number, token: string, lines: readonly object[]): Promise<void> {
  const answer = await fetch(`http://127.0.0.1:${port}/v1/subscriptions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/x-ndjson' },
    body: lines.map((line) => JSON.stringify(line)).join('\n'),
  });
  const { taken } = (await answer.json()) as { taken: number };
  if (taken !== lines.length) throw new Error(`only ${taken} of ${lines.length} members were taken`);
}

function postOf(name: string | number): { id: string; [field: string]: unknown } {
  return {
    id: typeof name === 'number' ? `post-${name}` : name,
    source: 'bench',
    type: 'post.published',
    time: new Date(performance.timeOrigin + performance.now()).toISOString(),
    actor: { id: 'author', name: 'Ana Example', avatar: 'https://app.example/a/1.png' },
    object: { kind: 'post', id: `p${name}`, title: 'What we saw when the two beams met', url: `/p/p${name}` },
    to: { audience },
  };
}

async function measure(server: ServerProcess, members: number, round: number): Promise<Round> {
  const { port } = server;
  const [producer = '', person = ''] = await devTokens(port, [{ source: 'bench' }, { user: 'reader' }]);
  const messages = new DirectMessages(port, producer, round);
  await messages.listen(person);
  const before = server.cpu();
  const began = performance.now();
  await post(port, producer, postOf(round));
  const answeredMs = performance.now() - began;
  const stop = messages.start();
  await untilDone(port, producer, `post-${round}`);
  await untilApplied(port);
  const tookMs = performance.now() - began;
  const cpu = cpuPer(before, server.cpu(), members);
  await stop();
  return { perSecond: (members * 1000) / tookMs, answeredMs, direct: messages.latency, cpu };
}

async function post(port: number, token: string, event: object): Promise<void> {
  const answer = await fetch(`http://127.0.0.1:${port}/v1/events`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(event),
  });
  const text = await answer.text();
  if (!text.includes('"accepted"')) throw new Error(`an event was not taken: ${answer.status} ${text}`);
}

async function untilDone(port: number, token: string, event: string): Promise<void> {
  for (;;) {
    const answer = await fetch(`http://127.0.0.1:${port}/v1/subscriptions/${audience}`, {
      headers: { authorization: `Bearer ${token}` },
    });
    const { fanouts } = (await answer.json()) as { fanouts: { event: string; doneAt: string | null }[] };
    if (fanouts.some((each) => each.event === event && each.doneAt !== null)) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** Sends messages to one person at a steady pace, whatever becomes of them, and listens for each. */
class DirectMessages {
  readonly latency = new Histogram();
  readonly #port: number;
  readonly #token: string;
  readonly #round: number;
  readonly #sent = new Map<string, number>();
  #socket: ListeningSocket | null = null;

  constructor(port: number, token: string, round: number) {
    this.#port = port;
    this.#token = token;
    this.#round = round;
  }

  async listen(token: string): Promise<void> {
    const headers = { 'sec-websocket-protocol': `carillon.v1, bearer.${token}` };
    const opening = { path: '/v1/stream', headers, first: null };
    await new Promise<void>((resolve, reject) => {
      this.#socket = new ListeningSocket(this.#port, opening, {
        beforeRead: () => {},
        message: (payload, reply) => {
          const frame = JSON.parse(payload.toString('utf8')) as { kind: string; items?: { object: { id: string } }[] };
          if (frame.kind === 'hello') resolve();
          if (frame.kind === 'ping') reply('{"kind":"pong"}');
          for (const { object } of frame.items ?? []) this.#arrived(object.id);
        },
        closed: (why) => reject(new Error(`the stream was closed: ${why}`)),
      });
    });
  }

  /** Answers how to stop, which resolves when all that was sent has arrived. */
  start(): () => Promise<void> {
    const began = performance.now();
    let sent = 0;
    const timer = setInterval(() => {
      while (sent * messageEveryMs <= performance.now() - began) {
        const id = `m-${this.#round}-${sent}`;
        this.#sent.set(id, began + sent++ * messageEveryMs);
        void this.#send(id);
      }
    }, 1);
    return async () => {
      clearInterval(timer);
      const deadline = performance.now() + 30_000;
      while (this.#sent.size > 0) {
        if (performance.now() > deadline) throw new Error(`${this.#sent.size} direct messages never arrived`);
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
      this.#socket?.destroy();
    };
  }

  #send(id: string): Promise<void> {
    return post(this.#port, this.#token, {
      id,
      source: 'bench',
      type: 'message.sent',
      time: new Date(performance.timeOrigin + performance.now()).toISOString(),
      actor: { id: 'bo', name: 'Bo' },
      object: { kind: 'message', id },
      to: { user: 'reader' },
    });
  }

  #arrived(id: string): void {
    const scheduled = this.#sent.get(id);
    if (scheduled === undefined) return;
    this.#sent.delete(id);
    this.latency.record((performance.now() - scheduled) * 1000);
  }
}

function say(context: BenchContext, { perSecond, direct }: Round, limit: number): void {
  const { p99Ms } = direct.summary();
  context.say(`${Math.round(perSecond)} members/s beside ${Math.round(limit)} bare puts/s, direct p99 ${p99Ms} ms`);
}
