/** The parent's handle on a driver process: generator and listening clients never share the loop of what they measure. */
import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { OpenOptions, OpenReport, RunReport } from '../driver/driver.ts';
import type { DriverRequest, TargetName } from '../driver/main.ts';
import type { ReadReport, ReadRequest } from '../driver/reader.ts';
import type { Pace } from '../driver/sender.ts';

const entry = fileURLToPath(new URL('../driver/main.ts', import.meta.url));

export class DriverProcess {
  readonly #child: ChildProcess;
  readonly opened: OpenReport;

  private constructor(child: ChildProcess, opened: OpenReport) {
    this.#child = child;
    this.opened = opened;
  }

  /** Builds the load and connects every recipient; rejects with the driver's own error. */
  static async open(target: TargetName, options: OpenOptions): Promise<DriverProcess> {
    const child = fork(entry, { execArgv: ['--max-semi-space-size=32'] });
    try {
      const opened = (await ask(child, { kind: 'open', target, options })) as OpenReport;
      return new DriverProcess(child, opened);
    } catch (error) {
      child.kill();
      throw error;
    }
  }

  async run(pace: Pace): Promise<RunReport> {
    return (await ask(this.#child, { kind: 'run', pace })) as RunReport;
  }

  async close(): Promise<void> {
    if (this.#child.exitCode !== null) return;
    const ended = new Promise((resolve) => this.#child.once('exit', resolve));
    this.#child.disconnect();
    await ended;
  }
}

/** Reads pages from a process of its own, which ends with the answer. */
export async function readPages(port: number, requests: readonly ReadRequest[], pace: Pace): Promise<ReadReport> {
  const child = fork(entry);
  try {
    return (await ask(child, { kind: 'read', port, requests, pace })) as ReadReport;
  } finally {
    child.disconnect();
  }
}

function ask(child: ChildProcess, request: DriverRequest): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const onExit = (code: number | null): void => reject(new Error(`the driver ended with ${code}`));
    child.once('exit', onExit);
    child.once('message', (answer: { value?: unknown; error?: string }) => {
      child.off('exit', onExit);
      if (answer.error !== undefined) reject(new Error(answer.error));
      else resolve(answer.value);
    });
    child.send(request);
  });
}
