/**
 * The real Kafka, Cassandra, Redis and PostgreSQL of the cluster tests: `npm run test:cluster` starts them, and tests that need one to
 * fail kill and restart it. Where an address is set in the environment, that server is used and none is started.
 */
import { killServer, startServer, stopServer } from '../../scripts/services/run-server.ts';
import { runningPid } from '../../scripts/services/server-files.ts';
import type { Server, ServiceName } from '../../scripts/services/service.ts';
import { createServices, placementFrom } from '../../scripts/services/service-list.ts';

/** What the cluster engine needs. */
export type ClusterService = ServiceName;

const needed: readonly ClusterService[] = ['kafka', 'cassandra', 'redis', 'postgres'];
const services = createServices(placementFrom(process.env));

/** Starts what is needed, has no address and does not run. Sets the addresses. Answers what `stopServices` shall stop. */
export async function startServices(): Promise<readonly ClusterService[]> {
  const missing = needed.filter((name) => !process.env[services[name].variable]);
  const fresh = missing.filter((name) => services[name].servers.some((server) => runningPid(server) === null));
  await Promise.all(missing.flatMap((name) => services[name].servers).map(startServer));
  for (const name of missing) process.env[services[name].variable] = services[name].address;
  return fresh;
}

export async function stopServices(names: readonly ClusterService[]): Promise<void> {
  await Promise.all(names.flatMap((name) => services[name].servers).map(stopServer));
}

/** SIGKILL. `number`: which one of several, from 1. Rejects when it was not started from here. */
export async function kill(name: ClusterService, number = 1): Promise<void> {
  await killServer(serverOf(name, number));
}

/** Resolves when it serves again, with the data it had. */
export async function restart(name: ClusterService, number = 1): Promise<void> {
  await startServer(serverOf(name, number));
}

function serverOf(name: ClusterService, number: number): Server {
  const server = services[name].servers[number - 1];
  if (server === undefined) throw new Error(`There is no ${name} ${number}.`);
  return server;
}
