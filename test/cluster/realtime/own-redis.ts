/** A Redis of a test's own, which it may kill: other tests run beside it on the shared one. */
import { randomInt } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Redis } from 'ioredis';
import { redis } from '../../../scripts/services/redis.ts';
import { killServer, startServer, stopServer } from '../../../scripts/services/run-server.ts';
import { runningPid } from '../../../scripts/services/server-files.ts';
import type { Server } from '../../../scripts/services/service.ts';
import { redisClient } from '../../../server/src/cluster/redis-client.ts';

export class OwnRedis {
  readonly url: string;
  readonly #server: Server;
  readonly #folder: string;
  readonly #clients: Redis[] = [];

  private constructor(server: Server, url: string, folder: string) {
    this.#server = server;
    this.url = url;
    this.#folder = folder;
  }

  static async start(): Promise<OwnRedis> {
    const folder = mkdtempSync(join(tmpdir(), 'carillon-redis-'));
    const ports = { kafka: 0, cassandra: 0, postgres: 0, redis: await freePort() };
    const { servers, address } = redis({ dataDir: folder, cacheDir: folder, ports, brokers: 1 });
    const own = new OwnRedis(servers[0] as Server, address, folder);
    await startServer(own.#server);
    return own;
  }

  /** A client that is connected. */
  async client(name: string): Promise<Redis> {
    const client = this.clientNow(name);
    await new Promise((resolve) => client.once('ready', resolve));
    return client;
  }

  clientNow(name: string): Redis {
    const client = redisClient(this.url, name);
    this.#clients.push(client);
    return client;
  }

  /** SIGKILL. */
  kill(): Promise<void> {
    return killServer(this.#server);
  }

  /** Empty, since it keeps nothing on disk. */
  async restart(): Promise<void> {
    await startServer(this.#server);
  }

  /** It keeps its connections, and answers nothing. */
  freeze(): void {
    process.kill(runningPid(this.#server) as number, 'SIGSTOP');
  }

  thaw(): void {
    process.kill(runningPid(this.#server) as number, 'SIGCONT');
  }

  async stop(): Promise<void> {
    for (const client of this.#clients) client.disconnect();
    await stopServer(this.#server);
    rmSync(this.#folder, { recursive: true });
  }
}

/**
 * Below the ports that systems give to clients: while the server is away, a client that reconnects could be given that
 * very port, and be connected with itself.
 */
async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(20_000, 30_000);
    const server = createServer();
    const isFree = await new Promise((resolve) => {
      server.once('error', () => resolve(false));
      server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
    });
    if (isFree) return port;
  }
}
