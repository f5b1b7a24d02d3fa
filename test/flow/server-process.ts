/** The service as a process of its own, to be killed and stopped as an operator would. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { systemClock } from '../../server/src/base/clock.ts';
import type { LogFields } from '../../server/src/base/log.ts';

const main = fileURLToPath(new URL('../../server/src/main.ts', import.meta.url));

/** A line of its log. */
export type LogEntry = LogFields & { readonly event: string };

export interface Exit {
  /** Null when a signal ended it. */
  readonly code: number | null;
  readonly tookMs: number;
}

export class StartFailed extends Error {
  readonly code: number | null;
  readonly stderr: string;

  constructor(code: number | null, stderr: string) {
    super(`The service ended with ${code} instead of starting: ${stderr}`);
    this.code = code;
    this.stderr = stderr;
  }
}

export class ServerProcess {
  readonly #child: ChildProcess;
  readonly #exited: Promise<number | null>;
  readonly url: string;
  /** Its log so far. */
  readonly logged: readonly LogEntry[];
  /** Everything it has written so far, also what is no line of the log. */
  readonly written: () => string;

  private constructor(
    child: ChildProcess,
    url: string,
    { logged, written }: Pick<ServerProcess, 'logged' | 'written'>,
  ) {
    this.#child = child;
    this.#exited = exitOf(child);
    this.url = url;
    this.logged = logged;
    this.written = written;
  }

  /** Rejects with StartFailed when it ends instead of listening. */
  static async start(config: string, args: readonly string[] = []): Promise<ServerProcess> {
    const env = { ...process.env, CARILLON_CONFIG: config };
    const child = spawn(process.execPath, [main, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] });
    const logged: LogEntry[] = [];
    let [stdout, stderr] = ['', ''];
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
    });
    const exited = exitOf(child);
    const url = await new Promise<string>((resolve, reject) => {
      createInterface({ input: child.stdout as NodeJS.ReadableStream }).on('line', (line) => {
        stdout += `${line}\n`;
        const entry = JSON.parse(line) as LogEntry;
        logged.push(entry);
        if (entry.event === 'listening') resolve(`http://${entry.host}:${entry.port}`);
      });
      exited.then((code) => reject(new StartFailed(code, stderr)));
    });
    return new ServerProcess(child, url, { logged, written: () => stdout + stderr });
  }

  /** SIGTERM, as a supervisor sends it. */
  async stop(): Promise<Exit> {
    return this.#end('SIGTERM');
  }

  /** SIGKILL: no chance to write or answer anything. */
  async kill(): Promise<Exit> {
    return this.#end('SIGKILL');
  }

  async #end(signal: NodeJS.Signals): Promise<Exit> {
    const began = systemClock.monotonic();
    this.#child.kill(signal);
    const code = await this.#exited;
    return { code, tookMs: systemClock.monotonic() - began };
  }
}

async function exitOf(child: ChildProcess): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
  return ((await once(child, 'exit')) as [number | null])[0];
}
