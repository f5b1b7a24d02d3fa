/**
 * A PostgreSQL that is killed and comes back: what was answered is there, what was not says when to come again, and who
 * follows the changes goes on. The server is the test's own.
 */
import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { killServer, startServer, stopServer } from '../../../scripts/services/run-server.ts';
import type { Server } from '../../../scripts/services/service.ts';
import { createServices, placementFrom } from '../../../scripts/services/service-list.ts';
import { CarillonError } from '../../../server/src/base/carillon-error.ts';
import { personKey } from '../../../server/src/base/ids.ts';
import { limits } from '../../../server/src/base/limits.ts';
import { drawKeys, SecretBox } from '../../../server/src/base/secret-box.ts';
import { VirtualClock } from '../../../server/src/base/virtual-clock.ts';
import { PostgresDatabase } from '../../../server/src/cluster/postgres-database.ts';
import { migratePostgres } from '../../../server/src/cluster/postgres-schema.ts';
import { ProfileCache } from '../../../server/src/profile/profile-cache.ts';
import { ProfileStorePostgres } from '../../../server/src/profile/profile-store-postgres.ts';
import { freePort } from '../../crash/free-port.ts';

const box = new SecretBox(drawKeys('test'));
const ana = personKey('t', 'ana');
const mute = (id: string) =>
  [{ person: ana, change: { kind: 'mute', mute: { kind: 'actor', id, untilMs: null } } }] as const;

test('N3, D3: what was answered outlives a kill, and nothing old is taken for true meanwhile', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'carillon-postgres-'));
  t.after(() => rmSync(folder, { recursive: true }));
  chmodSync(folder, 0o755);
  const env = { SERVICES_DIR: folder, POSTGRES_PORT: String(await freePort()) };
  const { servers, address } = createServices(placementFrom(env)).postgres;
  const [server] = servers as [Server];
  await startServer(server);
  t.after(() => stopServer(server));

  const database = new PostgresDatabase({ url: address, schema: 'own', poolSize: 4, name: 'test' });
  t.after(() => database.close());
  await migratePostgres(database);
  const clock = new VirtualClock();
  const store = new ProfileStorePostgres(database, { clock, box });
  t.after(() => store.close());
  const cache = new ProfileCache(store);
  await store.change(mute('a1'));
  await store.feed.read();
  await cache.load([ana]);

  await killServer(server);
  await cache.load([ana]);
  assert.equal(cache.get(ana)?.mutes.length, 1, 'known well enough for a while');
  for (let ms = 0; ms < limits.profileStaleMs; ms += limits.profileWatchMs) {
    clock.advance(limits.profileWatchMs);
    await store.feed.read();
  }
  const isUnavailable = (error: unknown): boolean =>
    error instanceof CarillonError && error.code === 'CARILLON_STORE_UNAVAILABLE';
  await assert.rejects(cache.load([ana]), isUnavailable);
  await assert.rejects(store.change(mute('a2')), isUnavailable);

  await startServer(server);
  await store.change(mute('a3'));
  await store.feed.read();
  await cache.load([ana]);
  assert.deepEqual(
    cache.get(ana)?.mutes.map(({ id }) => id),
    ['a1', 'a3'],
  );
});
