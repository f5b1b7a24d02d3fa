/** Kafka, Cassandra, Redis and PostgreSQL for one bench: on ports of their own with fresh folders, and gone with them afterwards. */
import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { startServer, stopServer } from '../../scripts/services/run-server.ts';
import { runningPid } from '../../scripts/services/server-files.ts';
import type { Server, Service, ServiceName } from '../../scripts/services/service.ts';
import { createServices, placementFrom } from '../../scripts/services/service-list.ts';

export type ServiceUsed = Extract<ServiceName, 'kafka' | 'cassandra' | 'redis'>;

/** PostgreSQL has to be there, and has no part in what is measured. */
const used: readonly ServiceName[] = ['kafka', 'cassandra', 'redis', 'postgres'];
const ports = { KAFKA_PORT: '22092', CASSANDRA_PORT: '22042', REDIS_PORT: '22379', POSTGRES_PORT: '22432' };

export class OwnServices {
  readonly #folder: string;
  readonly #services: Record<ServiceName, Service>;

  private constructor(folder: string) {
    this.#folder = folder;
    this.#services = createServices(placementFrom({ ...process.env, ...ports, SERVICES_DIR: folder }));
  }

  static async start(): Promise<OwnServices> {
    const folder = mkdtempSync(path.join(os.tmpdir(), 'carillon-bench-services-'));
    // PostgreSQL, which never runs as root, has its files there too.
    chmodSync(folder, 0o755);
    const services = new OwnServices(folder);
    // They outlive whoever starts them, so nobody may leave without them.
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      process.once(signal, () => void services.stop().finally(() => process.exit(1)));
    }
    try {
      await Promise.all(services.#servers().map(startServer));
      return services;
    } catch (error) {
      await services.stop();
      throw error;
    }
  }

  address(name: ServiceUsed): string {
    return this.#services[name].address;
  }

  pids(name: ServiceUsed): number[] {
    return this.#services[name].servers.map((server) => runningPid(server) ?? 0);
  }

  /** Variables by which the service under test finds them. */
  get environment(): Record<string, string> {
    return Object.fromEntries(used.map((name) => [this.#services[name].variable, this.#services[name].address]));
  }

  /** Bytes in files of a service whose path contains `part`. A stopped service has everything in its files. */
  bytes(name: ServiceUsed, part: string): number {
    return this.#services[name].servers.reduce((sum, { folder }) => sum + bytesIn(folder, part), 0);
  }

  async halt(name: ServiceUsed): Promise<void> {
    await Promise.all(this.#services[name].servers.map(stopServer));
  }

  async stop(): Promise<void> {
    await Promise.all(this.#servers().map(stopServer));
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #servers(): Server[] {
    return used.flatMap((name) => this.#services[name].servers);
  }
}

function bytesIn(folder: string, part: string): number {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name))
    .filter((file) => file.includes(part))
    .reduce((sum, file) => sum + statSync(file).blocks * 512, 0);
}
