/** The service as a process that is killed at random moments and started again on the same data, as often as asked. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { systemClock } from '../../server/src/base/clock.ts';

const main = fileURLToPath(new URL('../../server/src/main.ts', import.meta.url));
const readyWithinMs = 30_000;

export class CrashingServer {
  readonly url: string;
  readonly #environment: NodeJS.ProcessEnv;
  #child: ChildProcess | null = null;

  constructor(port: number, environment: NodeJS.ProcessEnv) {
    this.url = `http://127.0.0.1:${port}`;
    this.#environment = { ...process.env, ...environment, PORT: String(port), CARILLON_LOG_LEVEL: 'warn' };
  }

  /** Resolves when it is ready. Answers how long that took, in ms. */
  async start(): Promise<number> {
    const began = systemClock.monotonic();
    const child = spawn(process.execPath, [main], { env: this.#environment, stdio: ['ignore', 'ignore', 'inherit'] });
    this.#child = child;
    while (!(await this.#isReady())) {
      if (child.exitCode !== null) throw new Error(`the server ended with ${child.exitCode} instead of starting`);
      if (systemClock.monotonic() - began > readyWithinMs) throw new Error('the server did not get ready');
      await pause(20);
    }
    return systemClock.monotonic() - began;
  }

  /** Resolves when everything acknowledged has been taken out of the log. */
  async caughtUp(): Promise<void> {
    for (;;) {
      const text = await (await fetch(`${this.url}/metrics`)).text();
      const lags = [...text.matchAll(/^carillon_lag_bytes\{.*\} (\d+)$/gm)].map((match) => Number(match[1]));
      if (lags.length === 3 && lags.every((bytes) => bytes === 0)) return;
      await pause(50);
    }
  }

  /** SIGKILL: no chance to write or answer anything. */
  async kill(): Promise<void> {
    await this.#end('SIGKILL');
  }

  /** As an operator stops it. Throws if it does not end well. */
  async stop(): Promise<void> {
    const code = await this.#end('SIGTERM');
    if (code !== 0) throw new Error(`the server stopped with ${code}`);
  }

  async #end(signal: NodeJS.Signals): Promise<number | null> {
    const child = this.#child;
    if (child === null) return null;
    const exit = once(child, 'exit') as Promise<[number | null]>;
    child.kill(signal);
    this.#child = null;
    return (await exit)[0];
  }

  async #isReady(): Promise<boolean> {
    try {
      return (await fetch(`${this.url}/readyz`)).ok;
    } catch {
      return false;
    }
  }
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}
