import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { Admin } from '@platformatic/kafka';
import { Client } from 'cassandra-driver';
import { Redis } from 'ioredis';
import pg from 'pg';
import { killServer, portAnswers, startServer, stopServer } from '../../scripts/services/run-server.ts';
import { runningPid } from '../../scripts/services/server-files.ts';
import { type Server, ServiceError } from '../../scripts/services/service.ts';
import { createServices, placementFrom } from '../../scripts/services/service-list.ts';

const folder = mkdtempSync(join(tmpdir(), 'carillon-services-'));
after(() => rmSync(folder, { recursive: true }));

const addressOf = (variable: string): string => process.env[variable] ?? '';

test('Kafka answers at its address', async () => {
  const admin = new Admin({ clientId: 'services', bootstrapBrokers: addressOf('KAFKA_BROKERS').split(',') });
  assert.ok(Array.isArray(await admin.listTopics()));
  await admin.close();
});

test('Cassandra 5 answers at its address', async () => {
  const [host, port] = addressOf('CASSANDRA_CONTACT_POINTS').split(':');
  const client = new Client({
    contactPoints: [host as string],
    protocolOptions: { port: Number(port) },
    localDataCenter: 'datacenter1',
  });
  const { rows } = await client.execute('SELECT release_version FROM system.local');
  assert.match(rows[0]?.release_version, /^5\./);
  await client.shutdown();
});

test('Redis answers at its address', async () => {
  const client = new Redis(addressOf('REDIS_URL'));
  assert.equal(await client.ping(), 'PONG');
  await client.quit();
});

test('PostgreSQL answers at its address', async () => {
  const client = new pg.Client(addressOf('POSTGRES_URL'));
  await client.connect();
  assert.deepEqual((await client.query('SHOW wal_level')).rows, [{ wal_level: 'logical' }]);
  await client.end();
});

async function redisOf(name: string): Promise<Server> {
  const env = { SERVICES_DIR: join(folder, name), REDIS_PORT: String(await freePort()) };
  return createServices(placementFrom(env)).redis.servers[0] as Server;
}

test('a server is killed, comes back, and stops', async () => {
  const server = await redisOf('killed');
  assert.equal(await startServer(server), true);
  const first = runningPid(server);
  assert.equal(await startServer(server), false, 'it runs already');
  assert.equal(runningPid(server), first);

  await killServer(server);
  assert.equal(runningPid(server), null);
  assert.equal(await portAnswers(server.port), false);
  await assert.rejects(killServer(server), ServiceError);

  assert.equal(await startServer(server), true);
  assert.notEqual(runningPid(server), first);
  assert.equal(await stopServer(server), true);
  assert.equal(await stopServer(server), false);
});

test('a server whose port is taken says so and is not started', async () => {
  const server = await redisOf('taken');
  const other = createServer().listen(server.port, '127.0.0.1');
  await assert.rejects(startServer(server), /port \d+ is taken/);
  assert.equal(runningPid(server), null);
  other.close();
});

test('a server that ends instead of serving says why', async () => {
  const server = await redisOf('wrong');
  const wrong: Server = {
    ...server,
    prepare: async () => ({ program: 'redis-server', args: ['--no-such-setting', 'x'] }),
  };
  await assert.rejects(startServer(wrong), /redis-1 ended[\s\S]*no-such-setting/);
  const missing: Server = { ...server, prepare: async () => ({ program: 'no-such-program', args: [] }) };
  await assert.rejects(startServer(missing), ServiceError);
});

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}
