/**
 * One process of the service as a supervisor keeps it: whenever it ends without having been asked to, it is started again.
 * It can be killed, stopped in good order, and frozen, as a machine that stands still would freeze it.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const main = fileURLToPath(new URL('../../../server/src/main.ts', import.meta.url));
const againAfterMs = 300;
const readyWithinMs = 300_000;

export interface ProcessPlan {
  readonly name: string;
  readonly port: number;
  readonly config: string;
  /** Standard output and error of all its lives. */
  readonly logFile: string;
}

export class SupervisedProcess {
  readonly name: string;
  readonly url: string;
  /** How often it ended without having been asked to, by exit code. */
  readonly ownEnds: string[] = [];
  readonly #plan: ProcessPlan;
  #child: ChildProcess | null = null;
  #isWanted = false;

  constructor(plan: ProcessPlan) {
    this.#plan = plan;
    this.name = plan.name;
    this.url = `http://127.0.0.1:${plan.port}`;
  }

  start(): void {
    this.#isWanted = true;
    this.#spawn();
  }

  /** Rejects when it does not get ready in time. */
  async ready(): Promise<void> {
    for (const endMs = performance.now() + readyWithinMs; !(await this.#isReady()); await pause(50)) {
      if (performance.now() > endMs) throw new Error(`${this.name} does not get ready; see ${this.#plan.logFile}`);
    }
  }

  /** SIGKILL. It comes back by itself. */
  async kill(): Promise<void> {
    await this.#end('SIGKILL');
    if (this.#isWanted) this.#spawn();
  }

  /** SIGTERM. It stays away until it is started. Answers its exit code. */
  async stop(): Promise<number | null> {
    this.#isWanted = false;
    return this.#end('SIGTERM');
  }

  /** It stands still: no answer, no heartbeat, but its connections stay open. */
  freeze(): void {
    this.#child?.kill('SIGSTOP');
  }

  thaw(): void {
    this.#child?.kill('SIGCONT');
  }

  #spawn(): void {
    const { name, port, config, logFile } = this.#plan;
    const log = openSync(logFile, 'a');
    const args = [main, 'start', '--config', config, '--port', String(port)];
    const child = spawn(process.execPath, args, { stdio: ['ignore', log, log] });
    this.#child = child;
    child.once('exit', (code, signal) => {
      if (this.#child !== child) return;
      this.#child = null;
      this.ownEnds.push(`${name} ${code ?? signal}`);
      setTimeout(() => {
        if (this.#isWanted && this.#child === null) this.#spawn();
      }, againAfterMs);
    });
  }

  async #end(signal: NodeJS.Signals): Promise<number | null> {
    const child = this.#child;
    this.#child = null;
    if (child === null) return null;
    const exit = once(child, 'exit') as Promise<[number | null]>;
    // A frozen one could not end.
    child.kill('SIGCONT');
    child.kill(signal);
    return (await exit)[0];
  }

  async #isReady(): Promise<boolean> {
    try {
      return (await fetch(`${this.url}/readyz`, { signal: AbortSignal.timeout(5000) })).ok;
    } catch {
      return false;
    }
  }
}
