import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { ClassicLevel } from 'classic-level';
import { personKey } from '../base/ids.ts';
import { drawKeys, SecretBox } from '../base/secret-box.ts';
import { VirtualClock } from '../base/virtual-clock.ts';
import { openLevel } from '../inbox/open-level.ts';
import { profileStoreContract } from './profile-store.contract.ts';
import { ProfileStoreLevel } from './profile-store-level.ts';

const box = new SecretBox(drawKeys('test'));
const folder = await mkdtemp(join(tmpdir(), 'carillon-profiles-'));
let db = new ClassicLevel<string, string>(folder);
await db.open();
after(async () => {
  await db.close();
  await rm(folder, { recursive: true });
});

let stores = 0;
const newest = (nowMs = 0): ProfileStoreLevel =>
  new ProfileStoreLevel(db, `profile${stores}/`, { clock: new VirtualClock(nowMs), box });

profileStoreContract({
  name: 'LevelDB',
  open: async (nowMs) => {
    stores++;
    return newest(nowMs);
  },
  reopen: async () => {
    await db.close();
    db = new ClassicLevel<string, string>(folder);
    await db.open();
    return newest();
  },
  heard: async () => {},
});

const ana = personKey('t', 'ana');
const mute = { kind: 'mute', mute: { kind: 'actor', id: 'a', untilMs: null } } as const;

test('LevelDB leaves its neighbours alone', async () => {
  await db.batch().put('profila/x', 'no profile').put('profilf', 'no profile').write();
  const store = new ProfileStoreLevel(db, 'profile/', { clock: new VirtualClock(), box });
  assert.deepEqual(await store.read([ana]), [null]);
  assert.deepEqual(await store.page(null, 10), []);
});

test('a read that began before the first write does not forget that there are profiles now', async () => {
  const store = new ProfileStoreLevel(db, 'first/', { clock: new VirtualClock(), box });
  const [, outcomes] = await Promise.all([store.read([ana]), store.change([{ person: ana, change: mute }])]);
  assert.deepEqual(await store.read([ana]), [outcomes[0]?.profile]);
});

test('after a write that failed the next change is tried on what is stored', async () => {
  const other = new ClassicLevel<string, string>(`${folder}-closed`);
  await other.open();
  const store = new ProfileStoreLevel(other, 'profile/', { clock: new VirtualClock(), box });
  await other.close();
  await assert.rejects(store.change([{ person: ana, change: mute }]));
  await other.open();
  assert.equal((await store.change([{ person: ana, change: mute }]))[0]?.profile?.mutes.length, 1);
  await other.close();
  await rm(`${folder}-closed`, { recursive: true });
});

test('a database that takes no more writes is mended, and the change is stored', async () => {
  const guarded = await openLevel(`${folder}-guarded`);
  guarded.isBroken = true;
  await assert.rejects(guarded.batch().put('x', '').write());
  const store = new ProfileStoreLevel(guarded, 'profile/', { clock: new VirtualClock(), box });
  assert.equal((await store.change([{ person: ana, change: mute }]))[0]?.kind, 'changed');
  assert.equal((await store.read([ana]))[0]?.mutes.length, 1);
  await guarded.close();
  await rm(`${folder}-guarded`, { recursive: true });
});

test('a profile in a format of a later release is refused, not misread', async () => {
  await db.batch().put(`later/${ana}`, '3{}').write();
  await assert.rejects(new ProfileStoreLevel(db, 'later/', { clock: new VirtualClock(), box }).read([ana]), /format 3/);
});

test('a profile of the first format is read as it was; written again, its email address is encrypted (R4, S4)', async () => {
  const facts = {
    ...{ locale: null, timeZone: null, email: 'ana@example.org' },
    emailVerified: true,
    createdAtMs: null,
  };
  const old = { revision: 5, version: 0, choices: {}, facts: { ...facts, suspended: false }, mutes: [] };
  const key = `first-format/${ana}`;
  await db.put(key, `1${JSON.stringify(old)}`);
  const store = new ProfileStoreLevel(db, 'first-format/', { clock: new VirtualClock(), box });
  assert.deepEqual(await store.read([ana]), [{ ...old, devices: 0 }]);
  await store.change([{ person: ana, change: mute }]);
  assert.ok(!(await db.get(key))?.includes('example.org'));
  assert.deepEqual((await store.read([ana]))[0]?.facts, old.facts);
});
