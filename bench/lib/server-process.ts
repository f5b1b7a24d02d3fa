/** A server as a user would start it: a child process with its port and a fresh data folder, stopped by SIGTERM. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { type CpuReading, readCpu, residentBytes } from './process-cpu.ts';

export interface ServerOptions {
  /** Path of the module to run, from the repository's root, or absolute. */
  readonly module: string;
  readonly arguments?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly nodeOptions?: readonly string[];
  /** Asked until it answers 200. */
  readonly readyPath: string;
}

const root = fileURLToPath(new URL('../../', import.meta.url));
const readyWithinMs = 60_000;
const stopWithinMs = 20_000;

export class ServerProcess {
  readonly #child: ChildProcess;
  readonly #folder: string;
  #isStopping = false;
  readonly port: number;
  /** From spawn to the first good answer. */
  readonly readyMs: number;

  private constructor(child: ChildProcess, folder: string, port: number, readyMs: number) {
    this.#child = child;
    this.#folder = folder;
    this.port = port;
    this.readyMs = readyMs;
  }

  static async start(options: ServerOptions): Promise<ServerProcess> {
    const folder = mkdtempSync(path.join(os.tmpdir(), 'carillon-bench-'));
    const port = await freePort();
    const began = performance.now();
    const command = [...(options.nodeOptions ?? []), path.resolve(root, options.module), ...(options.arguments ?? [])];
    const child = spawn(process.execPath, command, {
      cwd: root,
      env: { ...process.env, PORT: String(port), HOST: '127.0.0.1', CARILLON_DATA: folder, ...options.environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let said = '';
    const listen = (chunk: Buffer): void => {
      said = (said + chunk.toString()).slice(-4000);
    };
    child.stdout.on('data', listen);
    child.stderr.on('data', listen);
    try {
      await untilReady(child, `http://127.0.0.1:${port}${options.readyPath}`, () => said);
    } catch (error) {
      child.kill('SIGKILL');
      rmSync(folder, { recursive: true, force: true });
      throw error;
    }
    const server = new ServerProcess(child, folder, port, performance.now() - began);
    child.on('close', (code, signal) => server.#ended(code, signal ?? said));
    return server;
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  get dataFolder(): string {
    return this.#folder;
  }

  cpu(): CpuReading {
    return readCpu([this.pid]);
  }

  residentBytes(): number {
    return residentBytes(this.pid);
  }

  /** A server that ends by itself is the news, not the broken connections that follow. A stop it was asked for ends with 0. */
  #ended(code: number | null, said: string): void {
    const wasAsked = this.#isStopping && (code === 0 || code === null);
    if (!wasAsked) process.stderr.write(`the server ended by itself (${code}):\n${said}\n`);
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    if (this.#child.exitCode === null && this.#child.signalCode === null) {
      const ended = new Promise((resolve) => this.#child.once('exit', resolve));
      this.#child.kill('SIGTERM');
      const timer = setTimeout(() => this.#child.kill('SIGKILL'), stopWithinMs);
      await ended;
      clearTimeout(timer);
    }
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

async function untilReady(child: ChildProcess, url: string, said: () => string): Promise<void> {
  const deadline = performance.now() + readyWithinMs;
  while (performance.now() < deadline) {
    if (child.exitCode !== null) throw new Error(`the server ended with ${child.exitCode}:\n${said()}`);
    try {
      const answer = await fetch(url);
      await answer.arrayBuffer();
      if (answer.ok) return;
    } catch {
      // not listening yet
    }
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error(`the server is not ready after ${readyWithinMs} ms:\n${said()}`);
}

/** A port nobody listens on, of the range the system itself hands out. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = net.createServer();
    server.on('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as net.AddressInfo;
      server.close(() => resolve(port));
    });
  });
}
