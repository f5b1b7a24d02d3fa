/** A foreign program the peers need: started on a loopback port, watched for its end, stopped by its own process id. */
import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import net from 'node:net';

const readyWithinMs = 30_000;
const killAfterMs = 10_000;

export class ServiceProcess {
  readonly #child: ChildProcess;
  readonly name: string;

  private constructor(name: string, child: ChildProcess) {
    this.name = name;
    this.#child = child;
  }

  /** Resolves once the port takes connections. */
  static async start(
    name: string,
    command: readonly string[],
    port: number,
    options: SpawnOptions = {},
  ): Promise<ServiceProcess> {
    const [program = '', ...rest] = command;
    const child = spawn(program, rest, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
    let said = '';
    const listen = (chunk: Buffer): void => {
      said = (said + chunk.toString()).slice(-2000);
    };
    child.stdout?.on('data', listen);
    child.stderr?.on('data', listen);
    let failure: Error | null = null;
    child.on('error', (error) => {
      failure = error;
    });
    const deadline = performance.now() + readyWithinMs;
    while (!(await accepts(port))) {
      const hasEnded = child.exitCode !== null || failure !== null;
      if (hasEnded || performance.now() > deadline) {
        child.kill('SIGKILL');
        throw new Error(`${name} does not start: ${failure ?? said}`);
      }
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    return new ServiceProcess(name, child);
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const ended = new Promise((resolve) => this.#child.once('exit', resolve));
    this.#child.kill(signal);
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), killAfterMs);
    await ended;
    clearTimeout(timer);
  }
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = net.connect({ port, host: '127.0.0.1' });
    socket.on('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.on('error', () => resolve(false));
  });
}
