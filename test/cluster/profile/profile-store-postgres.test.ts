import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Database } from '../../../server/src/base/database.ts';
import { type PersonKey, personKey } from '../../../server/src/base/ids.ts';
import { limits } from '../../../server/src/base/limits.ts';
import { drawKeys, SecretBox } from '../../../server/src/base/secret-box.ts';
import { VirtualClock } from '../../../server/src/base/virtual-clock.ts';
import { profileStoreContract } from '../../../server/src/profile/profile-store.contract.ts';
import type { ProfileWatcher } from '../../../server/src/profile/profile-store.ts';
import { ProfileStorePostgres } from '../../../server/src/profile/profile-store-postgres.ts';
import { TestSchema } from '../test-schema.ts';

const box = new SecretBox(drawKeys('test'));
const schema = new TestSchema();
const database = await schema.open();
after(() => schema.drop());

let newest: ProfileStorePostgres;

profileStoreContract({
  name: 'PostgreSQL',
  open: async (nowMs) => {
    await schema.empty();
    newest = new ProfileStorePostgres(database, { clock: new VirtualClock(nowMs), box });
    return newest;
  },
  reopen: async () => new ProfileStorePostgres(schema.connect(), { clock: new VirtualClock(0), box }),
  heard: () => newest.feed.read(),
});

const [ana, bo] = [personKey('t', 'ana'), personKey('t', 'bo')];
const mute = (id: string) => ({ kind: 'mute', mute: { kind: 'actor', id, untilMs: null } }) as const;

class Heard implements ProfileWatcher {
  people: PersonKey[] = [];
  misses = 0;
  changed(people: readonly PersonKey[]): void {
    this.people.push(...people);
  }
  missed(): void {
    this.misses++;
  }
}

/** A process that follows the changes, and a clock of its own. */
async function follower(db: Database = database) {
  const clock = new VirtualClock();
  const store = new ProfileStorePostgres(db, { clock, box });
  const heard = new Heard();
  store.watch(heard);
  await store.feed.read();
  heard.misses = 0;
  return { clock, store, heard };
}

test('a change reaches the watchers of another process, once', async () => {
  await schema.empty();
  const { store, heard } = await follower();
  const other = new ProfileStorePostgres(schema.connect(), { clock: new VirtualClock(), box });
  await other.change([{ person: ana, change: mute('a') }]);
  await store.feed.read();
  await store.feed.read();
  assert.deepEqual([heard.people, heard.misses], [[ana], 0]);
  await store.close();
});

test('a change whose transaction ends late is told once it can be seen, and no other twice (BC-03)', async () => {
  await schema.empty();
  const { store, heard } = await follower();
  const late = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  const slow = database.transaction(async (queries) => {
    await queries.query(`INSERT INTO ${database.schema}.profile_changes (tenant, person) VALUES ('t', 'ana')`);
    begun.resolve();
    await late.promise;
  });
  await begun.promise;
  await store.change([{ person: bo, change: mute('a') }]);
  heard.people = [];
  await store.feed.read();
  await store.feed.read();
  assert.deepEqual(heard.people, [bo]);
  late.resolve();
  await slow;
  await store.feed.read();
  assert.deepEqual(heard.people, [bo, ana]);
  await store.close();
});

test('who cannot ask any more takes everybody for changed before a change is too old, and hears the rest later', async () => {
  await schema.empty();
  let isAway = false;
  const db: Database = {
    schema: database.schema,
    query: (sql, values) => (isAway ? Promise.reject(new Error('away')) : database.query(sql, values)),
    transaction: (work) => database.transaction(work),
  };
  const { clock, store, heard } = await follower(db);
  isAway = true;
  const other = new ProfileStorePostgres(database, { clock: new VirtualClock(), box });
  await other.change([{ person: ana, change: mute('a') }]);
  for (let ms = 0; ms < limits.profileStaleMs - limits.profileWatchMs; ms += limits.profileWatchMs) {
    clock.advance(limits.profileWatchMs);
    await store.feed.read();
  }
  assert.ok(heard.misses > 0);
  isAway = false;
  const before = heard.misses;
  await store.feed.read();
  clock.advance(limits.profileWatchMs);
  await store.feed.read();
  assert.deepEqual([heard.people, heard.misses], [[ana], before]);
  await store.close();
});

test('after so long that rows may be gone, or with more of them than are taken at once, everybody is changed', async () => {
  await schema.empty();
  const { clock, store, heard } = await follower();
  clock.advance(limits.profileChangesKeptMs);
  await store.feed.read();
  assert.ok(heard.misses > 0);
  heard.misses = 0;
  await database.query(
    `INSERT INTO ${database.schema}.profile_changes (tenant, person)
     SELECT 't', 'p' || n FROM generate_series(1, $1) AS n`,
    [limits.profileChangesMax + 1],
  );
  await store.feed.read();
  assert.deepEqual([heard.people, heard.misses], [[], 1]);
  await store.change([{ person: ana, change: mute('a') }]);
  await store.feed.read();
  assert.deepEqual(new Set(heard.people), new Set([ana]));
  await store.close();
});

test('rows about changes that everybody has read go by themselves', async () => {
  await schema.empty();
  const clock = new VirtualClock();
  const store = new ProfileStorePostgres(database, { clock, box });
  const rows = () => database.query(`SELECT person FROM ${database.schema}.profile_changes`);
  await store.change([{ person: ana, change: mute('a') }]);
  await database.query(`UPDATE ${database.schema}.profile_changes SET at = now() - interval '31 seconds'`);
  clock.advance(limits.profileChangesKeptMs);
  await store.change([{ person: bo, change: mute('a') }]);
  clock.advance(limits.profileWatchMs);
  await store.trimmed();
  assert.deepEqual(await rows(), [{ person: 'bo' }]);
  await database.query(`UPDATE ${database.schema}.profile_changes SET at = now() - interval '31 seconds'`);
  clock.advance(limits.profileChangesKeptMs + limits.profileWatchMs);
  await store.trimmed();
  assert.deepEqual(await rows(), []);
  await store.close();
});

test('an import of many people is stored as a whole', async () => {
  await schema.empty();
  const store = new ProfileStorePostgres(database, { clock: new VirtualClock(), box });
  const people = Array.from({ length: 1000 }, (_, n) => personKey('t', `p${n}`));
  const outcomes = await store.change(people.map((person) => ({ person, change: mute('a') })));
  assert.equal(outcomes.length, 1000);
  assert.ok((await store.read(people)).every((profile) => profile?.mutes.length === 1));
  await store.close();
});

test('an email address of an older release is read; written again it is encrypted (R4, S4)', async () => {
  await schema.empty();
  const facts = {
    ...{ locale: null, timeZone: null, email: 'ana@example.org' },
    emailVerified: true,
    createdAtMs: null,
  };
  const row = JSON.stringify({ ...facts, suspended: false });
  await database.query(
    `INSERT INTO ${database.schema}.profiles (tenant, person, revision, version, choices, facts, mutes)
     VALUES ('t', 'ana', 1, 0, '{}', $1, '[]')`,
    [row],
  );
  const store = new ProfileStorePostgres(database, { clock: new VirtualClock(), box });
  const read = async () => (await store.read([ana]))[0]?.facts;
  assert.deepEqual(await read(), JSON.parse(row));
  await store.change([{ person: ana, change: mute('x') }]);
  const stored = await database.query(`SELECT facts::text AS facts FROM ${database.schema}.profiles`);
  assert.ok(!JSON.stringify(stored).includes('example.org'));
  assert.deepEqual(await read(), JSON.parse(row));
  await store.close();
});
