/** A node that is killed in the middle of writes and comes back has everything that was acknowledged (N3). */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { killServer, startServer } from '../../../scripts/services/run-server.ts';
import type { Server } from '../../../scripts/services/service.ts';
import { createServices, placementFrom } from '../../../scripts/services/service-list.ts';
import { personKey } from '../../../server/src/base/ids.ts';
import { VirtualClock } from '../../../server/src/base/virtual-clock.ts';
import { connectCassandra } from '../../../server/src/cluster/cassandra-client.ts';
import { migrateCassandra } from '../../../server/src/cluster/cassandra-schema.ts';
import { InboxStoreCassandra } from '../../../server/src/inbox/inbox-store-cassandra.ts';
import { noonMs, personWrite, testItem, testMember } from '../../../server/src/inbox/test-items.ts';
import { eventually } from '../../flow/eventually.ts';

const folder = mkdtempSync(join(tmpdir(), 'carillon-cassandra-'));
// One of its own: the other tests would miss theirs.
const port = await freePort();
const env = { SERVICES_DIR: folder, CASSANDRA_PORT: String(port) };
const server = createServices(placementFrom(env)).cassandra.servers[0] as Server;
// Before the test, whose time is limited.
await startServer(server);
const connection = { contactPoints: [`127.0.0.1:${port}`], localDataCenter: 'datacenter1' };
const people = Array.from({ length: 20 }, (_, n) => personKey('t', `p${n}`));

function batch(n: number) {
  return people.map((person) => {
    const item = testItem(person, `e${n}`, noonMs + n, { revision: n + 1 });
    const members = [{ item: item.id, revision: n + 1, members: [testMember(`m${n}`)] }];
    return personWrite(person, [item], { members });
  });
}

test('nothing acknowledged is lost, and a repeated write goes on where it failed', async (t) => {
  t.after(async () => {
    // Nobody needs it any more: no time for a good end.
    await killServer(server).catch(() => {});
    rmSync(folder, { recursive: true, force: true });
  });
  const admin = await connectCassandra({ ...connection, keyspace: null });
  await migrateCassandra(admin, { keyspace: 'crash', replication: { datacenter1: 1 }, shards: 1 });
  await admin.shutdown();
  const client = await connectCassandra({ ...connection, keyspace: 'crash' });
  const store = new InboxStoreCassandra({ client, clock: new VirtualClock() });
  let acknowledged = 0;
  let failures = 0;
  let isStopping = false;
  const writing = (async () => {
    while (!isStopping) {
      try {
        await store.write(0, batch(acknowledged), [acknowledged + 1]);
        acknowledged++;
      } catch {
        failures++;
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    }
  })();
  await eventually(() => acknowledged >= 20);
  await killServer(server);
  await eventually(() => failures > 0);
  await assert.rejects(store.head(personKey('t', 'p0'), 10), { code: 'CARILLON_STORE_UNAVAILABLE' });
  const before = acknowledged;
  await startServer(server);
  await eventually(() => acknowledged >= before + 10);
  isStopping = true;
  await writing;

  const fresh = await connectCassandra({ ...connection, keyspace: 'crash' });
  const again = new InboxStoreCassandra({ client: fresh, clock: new VirtualClock() });
  assert.deepEqual(await again.positions(0), [acknowledged]);
  for (const person of people) {
    const rows = await again.rows(person, null, 10_000);
    const expected = Array.from({ length: acknowledged }, (_, n) => testItem(person, `e${n}`, noonMs + n).id);
    const found = new Set(rows.map((row) => (row.kind === 'item' ? row.item.id : '')));
    assert.deepEqual(
      expected.filter((id) => !found.has(id)),
      [],
    );
    for (const n of [0, before - 1, before]) {
      const id = testItem(person, `e${n}`, noonMs + n).id;
      assert.deepEqual(
        (await again.members(person, id)).map(({ key }) => key),
        [`m${n}`],
      );
    }
  }
  await fresh.shutdown();
  await client.shutdown();
});

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const { port: free } = probe.address() as { port: number };
      probe.close(() => resolve(free));
    });
  });
}
