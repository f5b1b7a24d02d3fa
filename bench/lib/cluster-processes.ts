/** The cluster engine as an operator would start it: schema and topics made, then processes by role, each with its port. */
import { execFile } from 'node:child_process';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { OwnServices, ServiceUsed } from './own-services.ts';
import { type CpuReading, readCpu } from './process-cpu.ts';
import { ServerProcess } from './server-process.ts';

/** Whatever costs something, by name. */
export type Part = 'intake' | 'shard' | 'gateway' | ServiceUsed;

const root = fileURLToPath(new URL('../../', import.meta.url));
const secret = 'only-for-the-bench-and-nothing-else-at-all';
const roleOf = { intake: 'intake', shard: 'shard', gateway: 'gateway,api' } as const;

export interface ClusterOptions {
  /** Path of the `main.ts` to run. */
  readonly module: string;
  readonly shardProcesses: number;
  /** Of our processes, for profiles. */
  readonly nodeOptions?: readonly string[];
}

export class ClusterProcesses {
  readonly #services: OwnServices;
  readonly #processes: { readonly part: Part; readonly process: ServerProcess }[] = [];

  private constructor(services: OwnServices) {
    this.#services = services;
  }

  static async start(
    services: OwnServices,
    { module, shardProcesses, nodeOptions = [] }: ClusterOptions,
  ): Promise<ClusterProcesses> {
    const cluster = new ClusterProcesses(services);
    const environment = {
      ...services.environment,
      CARILLON_ENGINE: 'cluster',
      CARILLON_TOKEN_SECRET: secret,
      CARILLON_CURSOR_SECRET: secret,
      CARILLON_LOG_LEVEL: 'warn',
    };
    const env = { ...process.env, ...environment };
    await promisify(execFile)(process.execPath, [path.resolve(root, module), 'migrate'], { cwd: root, env });
    const parts = [...new Array<'shard'>(shardProcesses).fill('shard'), 'intake', 'gateway'] as const;
    try {
      for (const part of parts) {
        const command = { module, arguments: ['start', '--roles', roleOf[part]], nodeOptions };
        const options = { ...command, environment, readyPath: '/readyz' };
        cluster.#processes.push({ part, process: await ServerProcess.start(options) });
      }
      return cluster;
    } catch (error) {
      await cluster.stop();
      throw error;
    }
  }

  port(part: 'intake' | 'gateway'): number {
    return this.#of(part)[0]?.port ?? 0;
  }

  /** Of all parts, the services among them; the threads of the reading are the parts. */
  cpu(): CpuReading {
    const threads = Object.fromEntries(this.#pids().map(([part, pids]) => [part, readCpu(pids).seconds]));
    return { threads, seconds: Object.values(threads).reduce((sum, seconds) => sum + seconds, 0) };
  }

  /** A metric of our processes of this part, summed over them and over its series. */
  async metric(part: 'intake' | 'shard' | 'gateway', name: string): Promise<number> {
    let sum = 0;
    for (const { port } of this.#of(part)) {
      const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
      for (const [, value] of text.matchAll(new RegExp(`^${name}(?:\\{.*\\})? (\\S+)$`, 'gm'))) sum += Number(value);
    }
    return sum;
  }

  residentBytes(part: Part, residentOf: (pid: number) => number): number {
    const pids = this.#pids().find(([name]) => name === part)?.[1] ?? [];
    return pids.reduce((sum, pid) => sum + residentOf(pid), 0);
  }

  async stop(): Promise<void> {
    for (const { process } of this.#processes.toReversed()) await process.stop();
  }

  #pids(): [Part, number[]][] {
    const ours = (['intake', 'shard', 'gateway'] as const).map((part): [Part, number[]] => [
      part,
      this.#of(part).map(({ pid }) => pid),
    ]);
    const services = (['kafka', 'cassandra', 'redis'] as const).map((name): [Part, number[]] => [
      name,
      this.#services.pids(name),
    ]);
    return [...ours, ...services];
  }

  #of(part: Part): ServerProcess[] {
    return this.#processes.filter((each) => each.part === part).map(({ process }) => process);
  }
}
