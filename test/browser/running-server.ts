/** A real server for the browser tests: its own process, port and data folder, all gone afterwards. */
import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { scheduler } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const main = fileURLToPath(new URL('../../server/src/main.ts', import.meta.url));
const startMsMax = 20_000;
const probeMs = 50;

export interface RunningServer {
  readonly url: string;
  stop(): Promise<void>;
}

/** Resolves when the server is ready. Throws with what it printed when it does not get there. */
export async function startServer(): Promise<RunningServer> {
  const folder = await mkdtemp(join(tmpdir(), 'carillon-browser-'));
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const env = { ...process.env, PORT: String(port), HOST: '127.0.0.1', CARILLON_DATA: folder };
  const child = spawn(process.execPath, [main], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output = (output + text).slice(-8000);
    });
  }
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM');
    await ended;
    await rm(folder, { recursive: true, force: true });
  };
  for (let waitedMs = 0; waitedMs < startMsMax && child.exitCode === null; waitedMs += probeMs) {
    if (await isReady(url)) return { url, stop };
    await scheduler.wait(probeMs);
  }
  await stop();
  throw new Error(`The server did not become ready. It said:\n${output}`);
}

async function isReady(url: string): Promise<boolean> {
  try {
    return (await fetch(`${url}/readyz`)).ok;
  } catch {
    return false;
  }
}

/** A port that was free a moment ago: the server takes a number, not a socket. */
function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      const port = typeof address === 'object' && address !== null ? address.port : 0;
      probe.close(() => resolve(port));
    });
  });
}
