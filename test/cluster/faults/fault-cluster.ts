/**
 * A whole cluster for fault tests: services of its own, two processes for intake, three for shards and two for gateways and
 * the API, and a proxy on every link between a process and a service, and between clients and a process.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { killServer, startServer, stopServer } from '../../../scripts/services/run-server.ts';
import type { Placement, Server } from '../../../scripts/services/service.ts';
import { createServices } from '../../../scripts/services/service-list.ts';
import { root } from '../../../scripts/setup.mjs';
import { freePort } from '../../crash/free-port.ts';
import { SupervisedProcess } from './supervised-process.ts';
import { TcpProxy } from './tcp-proxy.ts';

export const serviceKinds = ['kafka', 'cassandra', 'redis'] as const;
export type ServiceKind = (typeof serviceKinds)[number];

/** `clients`: between producers or apps and the process. */
export type LinkKind = ServiceKind | 'clients';

export interface Member {
  readonly process: SupervisedProcess;
  readonly links: Readonly<Record<LinkKind, TcpProxy>>;
  /** Where clients find it: behind its link. */
  readonly url: string;
}

export const roleSets = [
  ['intake', 2],
  ['shard', 3],
  ['gateway,api', 2],
] as const;

export type RoleSet = (typeof roleSets)[number][0];

/** Away from those of `npm run services`, which may run beside. */
const ports = { kafka: 23_092, cassandra: 23_042, redis: 23_379, postgres: 23_432 } as const;
const firstKafkaLink = 23_100;
const names = roleSets.flatMap(([roles, count]) => Array.from({ length: count }, () => roles));

export const shards = 12;
export const topicPrefix = 'faults';
export const keyspace = 'faults';

export class FaultCluster {
  readonly folder: string;
  readonly members: readonly Member[];
  readonly #servers: Readonly<Record<ServiceKind | 'postgres', Server>>;

  private constructor(
    folder: string,
    members: readonly Member[],
    servers: Readonly<Record<ServiceKind | 'postgres', Server>>,
  ) {
    this.folder = folder;
    this.members = members;
    this.#servers = servers;
  }

  /** Resolves when every process is ready. Leaves nothing running when it rejects. */
  static async start(folder: string): Promise<FaultCluster> {
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    const links = await Promise.all(names.map((_, index) => openLinks(index)));
    const services = createServices(placement(folder, links));
    const servers = Object.fromEntries(
      [...serviceKinds, 'postgres' as const].map((kind) => [kind, services[kind].servers[0]]),
    ) as Record<ServiceKind | 'postgres', Server>;
    const members = links.map((own, index) => memberOf(folder, index, own));
    const cluster = new FaultCluster(folder, members, servers);
    try {
      await Promise.all(Object.values(servers).map(startServer));
      await runCommand(['migrate', '--config', configPath(folder, 0)], join(folder, 'migrate.log'));
      // One after the other: started all at once on few cores, none would be answered in time.
      for (const { process } of members) {
        process.start();
        await process.ready();
      }
    } catch (error) {
      await cluster.close();
      throw error;
    }
    return cluster;
  }

  /** The processes with these roles. */
  of(roles: RoleSet): readonly Member[] {
    return this.members.filter((_, index) => names[index] === roles);
  }

  killService(kind: ServiceKind): Promise<void> {
    return killServer(this.#servers[kind]);
  }

  async restartService(kind: ServiceKind): Promise<void> {
    await startServer(this.#servers[kind]);
  }

  /** Stops the processes in good order; the services stay, for whoever looks at what they hold. */
  async stopProcesses(): Promise<void> {
    await Promise.all(this.members.map(({ process }) => process.stop()));
  }

  async close(): Promise<void> {
    await this.stopProcesses();
    await Promise.all(this.members.flatMap(({ links }) => Object.values(links)).map((link) => link.close()));
    await Promise.all(Object.values(this.#servers).map(stopServer));
  }
}

/** Where the services are without a proxy in between. */
export const direct = {
  brokers: [`127.0.0.1:${ports.kafka}`],
  contactPoints: [`127.0.0.1:${ports.cassandra}`],
} as const;

interface OpenLinks {
  readonly links: Record<LinkKind, TcpProxy>;
  readonly port: number;
}

async function openLinks(index: number): Promise<OpenLinks> {
  const port = await freePort();
  const links = {
    kafka: await TcpProxy.open(firstKafkaLink + index),
    cassandra: await TcpProxy.open(ports.cassandra),
    redis: await TcpProxy.open(ports.redis),
    clients: await TcpProxy.open(port),
  };
  return { links, port };
}

function placement(folder: string, links: readonly OpenLinks[]): Placement {
  return {
    dataDir: join(folder, 'services'),
    cacheDir: join(root, 'var', 'cache'),
    ports,
    brokers: 1,
    kafkaLinks: links.map(({ links: { kafka } }, index) => ({
      port: firstKafkaLink + index,
      advertised: kafka.port,
    })),
  };
}

function memberOf(folder: string, index: number, { links, port }: OpenLinks): Member {
  const roles = names[index] as RoleSet;
  const name = `${roles.split(',')[0]}-${names.slice(0, index).filter((each) => each === roles).length + 1}`;
  const config = configPath(folder, index);
  writeFileSync(config, JSON.stringify(configOf(folder, roles, links)));
  return {
    process: new SupervisedProcess({ name, port, config, logFile: join(folder, `${name}.log`) }),
    links,
    url: `http://127.0.0.1:${links.clients.port}`,
  };
}

const configPath = (folder: string, index: number): string => join(folder, `process-${index}.yaml`);

/** Development mode, for its tokens; the secret is shared, so that any process knows those of any other. */
function configOf(folder: string, roles: RoleSet, { kafka, cassandra, redis }: Record<LinkKind, TcpProxy>): object {
  const secret = 'shared by all processes of this cluster';
  return {
    engine: 'cluster',
    roles: roles.split(','),
    shards,
    dataDir: join(folder, 'data'),
    logLevel: 'warn',
    inbox: { rowsPerPersonMax: 100_000 },
    auth: { cursorSecret: secret, tokenSecret: secret },
    kafka: { brokers: [`127.0.0.1:${kafka.port}`], topicPrefix },
    cassandra: { contactPoints: [`127.0.0.1:${cassandra.port}`], keyspace },
    redis: { url: `redis://127.0.0.1:${redis.port}` },
    postgres: { url: `postgres://postgres@127.0.0.1:${ports.postgres}/postgres` },
  };
}

async function runCommand(args: readonly string[], logFile: string): Promise<void> {
  const log = openSync(logFile, 'a');
  const main = fileURLToPath(new URL('../../../server/src/main.ts', import.meta.url));
  const child = spawn(process.execPath, [main, ...args], { stdio: ['ignore', log, log] });
  const [code] = (await once(child, 'exit')) as [number | null];
  if (code !== 0) throw new Error(`carillon ${args[0]} ended with ${code}; see ${logFile}`);
}
