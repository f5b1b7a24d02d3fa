/**
 * What to fuzz: a server that runs already, or one of our own on a free port with a data folder that goes afterwards.
 * Both must be in development mode, for tokens come from `POST /v1/dev/token`.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FuzzTarget } from './fuzz-api.ts';

const readyWithinMs = 20_000;

export interface StartedTarget extends FuzzTarget {
  stop(): Promise<void>;
}

/** Null `url`: starts a server. */
export async function openTarget(url: string | null): Promise<StartedTarget> {
  if (url !== null) return { ...(await prepare(url.replace(/\/$/, ''))), stop: async () => {} };
  const folder = await mkdtemp(join(tmpdir(), 'carillon-fuzz-'));
  const port = await freePort();
  const child = spawn(process.execPath, ['server/src/main.ts'], {
    cwd: join(import.meta.dirname, '../..'),
    env: { ...process.env, PORT: String(port), HOST: '127.0.0.1', CARILLON_DATA: folder },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const stop = async (): Promise<void> => {
    await ended(child);
    await rm(folder, { recursive: true, force: true });
  };
  try {
    const origin = `http://127.0.0.1:${port}`;
    await untilReady(origin, child);
    return { ...(await prepare(origin)), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Gets tokens and puts a few notifications into a person's inbox, so that requests can reach real rows. */
async function prepare(origin: string): Promise<FuzzTarget> {
  const token = async (claims: object): Promise<string> => {
    const answer = await post(`${origin}/v1/dev/token`, claims, {});
    return (answer as { token: string }).token;
  };
  const tokens = {
    user: await token({ user: 'r1' }),
    producer: await token({ source: 'posts' }),
    operator: await token({ role: 'admin' }),
  };
  const events = Array.from({ length: 30 }, (_, index) => ({
    id: `e-${index}`,
    source: 'posts',
    type: index % 3 === 0 ? 'user.followed' : 'post.liked',
    time: new Date(Date.UTC(2026, 0, 1, 0, index)).toISOString(),
    actor: { id: `a${index}`, name: `Actor ${index}` },
    object: index % 3 === 0 ? { kind: 'user', id: 'r1' } : { kind: 'post', id: `p${index}`, owner: 'r1' },
    to: { user: 'r1' },
  }));
  await post(`${origin}/v1/events`, events, { authorization: `Bearer ${tokens.producer}` });
  const ids = await untilShown(origin, tokens.user);
  return { origin, tokens, known: [...ids, 'post.liked', 'post.liked@1', 'reactions', 'r1', 'posts'] };
}

async function untilShown(origin: string, token: string): Promise<string[]> {
  for (let tries = 0; tries < 100; tries++) {
    const answer = await fetch(`${origin}/v1/notifications`, { headers: { authorization: `Bearer ${token}` } });
    const { items } = (await answer.json()) as { items: { id: string }[] };
    if (items.length > 0) return items.map((item) => item.id);
    await sleep(50);
  }
  throw new Error('The events sent first do not show in the inbox.');
}

async function post(url: string, body: object, headers: Record<string, string>): Promise<unknown> {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`POST ${url} answers ${answer.status}: ${await answer.text()}`);
  return await answer.json();
}

async function untilReady(origin: string, child: ChildProcess): Promise<void> {
  for (let waitedMs = 0; waitedMs < readyWithinMs; waitedMs += 100) {
    if (child.exitCode !== null) throw new Error(`The server ended with code ${child.exitCode}.`);
    const ready = await fetch(`${origin}/readyz`).catch(() => null);
    if (ready?.ok) return;
    await sleep(100);
  }
  throw new Error(`The server is not ready after ${readyWithinMs} ms.`);
}

function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  return new Promise((resolve) => {
    child.once('exit', () => resolve());
    child.kill('SIGTERM');
  });
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.on('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as { port: number };
      probe.close(() => resolve(port));
    });
  });
}
