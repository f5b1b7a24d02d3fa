/** The pipeline a TypeScript team would assemble (bench/peers/bullmq-socketio), with its Redis and PostgreSQL. */
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, globSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { type CpuReading, readCpu } from './process-cpu.ts';
import { freePort } from './server-process.ts';
import { ServiceProcess } from './service-process.ts';

const folder = fileURLToPath(new URL('../peers/bullmq-socketio/', import.meta.url));

export interface RunningPeer {
  readonly port: number;
  cpu(): CpuReading;
  stop(): Promise<void>;
}

/** What is not installed, in words; empty when the peer can run. */
export function missingForBullmq(): string[] {
  return [
    existsSync(path.join(folder, 'node_modules/bullmq'))
      ? ''
      : 'its packages (npm install in bench/peers/bullmq-socketio)',
    onPath('redis-server') ? '' : 'redis-server',
    postgresFolder() === null ? 'postgresql' : '',
  ].filter((name) => name !== '');
}

/** `micro`: a job per notification, as usually built; `batch`: a job per request, its best-tuned form. */
export async function startBullmq(mode: 'micro' | 'batch'): Promise<RunningPeer> {
  const data = mkdtempSync(path.join(os.tmpdir(), 'carillon-peer-'));
  chmodSync(data, 0o755);
  const running: ServiceProcess[] = [];
  const stop = async (): Promise<void> => {
    for (const service of running.toReversed()) await service.stop('SIGINT');
    rmSync(data, { recursive: true, force: true });
  };
  try {
    const [redisPort, pgPort, port] = [await freePort(), await freePort(), await freePort()];
    running.push(await startRedis(data, redisPort));
    running.push(await startPostgres(data, pgPort));
    const environment = {
      ...process.env,
      ROLE: 'all',
      MODE: mode,
      PORT: String(port),
      REDIS_URL: `redis://127.0.0.1:${redisPort}`,
      PG_URL: `postgres://postgres@127.0.0.1:${pgPort}/postgres`,
    };
    const command = [process.execPath, path.join(folder, 'server.ts')];
    running.push(await ServiceProcess.start('peer', command, port, { cwd: folder, env: environment }));
    return { port, cpu: () => readCpu(running.map((service) => service.pid)), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function startRedis(data: string, port: number): Promise<ServiceProcess> {
  const home = path.join(data, 'redis');
  mkdirSync(home);
  const durable = ['--appendonly', 'yes', '--appendfsync', 'everysec', '--save', ''];
  const command = ['redis-server', '--port', `${port}`, '--bind', '127.0.0.1', '--dir', home, ...durable];
  return ServiceProcess.start('redis', [...command, '--maxmemory-policy', 'noeviction'], port);
}

/** PostgreSQL refuses to run as root: then it runs as the `postgres` user. */
async function startPostgres(data: string, port: number): Promise<ServiceProcess> {
  const home = path.join(data, 'pg');
  const programs = postgresFolder() ?? '';
  mkdirSync(home);
  const isRoot = process.getuid?.() === 0;
  if (isRoot) execFileSync('chown', ['postgres', home]);
  const as = isRoot ? ['setpriv', '--reuid=postgres', '--regid=postgres', '--clear-groups'] : [];
  const run = (command: readonly string[]): void => {
    const [program = '', ...rest] = [...as, ...command];
    execFileSync(program, rest, { cwd: data, stdio: 'pipe' });
  };
  run([path.join(programs, 'initdb'), '-D', home, '-U', 'postgres', '-A', 'trust']);
  const settings = [
    'listen_addresses=127.0.0.1',
    'unix_socket_directories=',
    'shared_buffers=512MB',
    'max_wal_size=4GB',
    'jit=off',
  ];
  const flags = settings.flatMap((setting) => ['-c', setting]);
  const command = [...as, path.join(programs, 'postgres'), '-D', home, '-p', `${port}`, ...flags];
  const service = await ServiceProcess.start('postgres', command, port, { cwd: data });
  const psql = path.join(programs, 'psql');
  untilSchema(psql, port);
  return service;
}

/** The port opens a moment before the database takes queries. */
function untilSchema(psql: string, port: number): void {
  const command = ['-q', '-h', '127.0.0.1', '-p', `${port}`, '-U', 'postgres', '-f', path.join(folder, 'schema.sql')];
  for (let attempt = 1; ; attempt++) {
    try {
      execFileSync(psql, command, { stdio: 'pipe' });
      return;
    } catch (error) {
      if (attempt === 20) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 250);
    }
  }
}

const postgresFolder = (): string | null => globSync('/usr/lib/postgresql/*/bin').toSorted().at(-1) ?? null;

export function onPath(program: string): boolean {
  return (process.env.PATH ?? '').split(path.delimiter).some((folder) => existsSync(path.join(folder, program)));
}
