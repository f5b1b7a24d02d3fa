/** A rotation over all stores of the embedded engine that keep secrets. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { ClassicLevel } from 'classic-level';
import { type PersonKey, personKey, type TenantId } from '../base/ids.ts';
import { drawKeys, type EncryptionKeys, SecretBox } from '../base/secret-box.ts';
import { VirtualClock } from '../base/virtual-clock.ts';
import { checkKeys } from './check-keys.ts';
import { DeviceStoreLevel } from './device-store-level.ts';
import { keyRegisterContract } from './key-register.contract.ts';
import { KeyRegisterLevel } from './key-register-level.ts';
import { KeyRegisterMemory } from './key-register-memory.ts';
import type { Facts } from './profile.ts';
import { ProfileStoreLevel } from './profile-store-level.ts';
import { Resealing } from './resealing.ts';
import { SuppressionStoreLevel } from './suppression-store-level.ts';

const folder = await mkdtemp(join(tmpdir(), 'carillon-rotation-'));
const db = new ClassicLevel<string, string>(folder);
await db.open();
after(async () => {
  await db.close();
  await rm(folder, { recursive: true });
});

keyRegisterContract('memory', async () => {
  const register = new KeyRegisterMemory();
  return { register, again: register };
});
let registers = 0;
keyRegisterContract('LevelDB', async () => {
  const prefix = `encryption${registers++}/`;
  return { register: new KeyRegisterLevel(db, prefix), again: new KeyRegisterLevel(db, prefix) };
});

const tenant = 't' as TenantId;
const people = Array.from({ length: 450 }, (_, n) => personKey(tenant, `p${n}`));
const emailOf = (n: number): string => `p${n}@example.org`;
const facts: Facts = {
  locale: null,
  timeZone: null,
  email: null,
  emailVerified: true,
  createdAtMs: null,
  suspended: false,
};

function stores(keys: EncryptionKeys) {
  const [clock, box] = [new VirtualClock(), new SecretBox(keys)];
  const profiles = new ProfileStoreLevel(db, 'profile/', { clock, box });
  const devices = new DeviceStoreLevel({ db, prefix: 'device/', profiles, clock, box });
  const suppressions = new SuppressionStoreLevel({ db, prefix: 'suppression/', clock, box, softBouncesMax: 5 });
  const register = new KeyRegisterLevel(db, 'encryption/');
  const rotation = new Resealing([profiles, devices, suppressions], register, box.current);
  return { profiles, devices, suppressions, register, rotation, box };
}

test('S4: after a rotation that was cut off and run again, no value needs the former key, and all are there', async () => {
  const old = drawKeys('former');
  const first = stores(old);
  await checkKeys(first.box, first.register);
  await first.profiles.change(
    people.map((person, n) => ({ person, change: { kind: 'facts', facts: { ...facts, email: emailOf(n) } } })),
  );
  const said = { provider: 'fcm', app: 'a', appVersion: null, environment: 'production', locale: null } as const;
  for (const person of people.slice(0, 10)) {
    const address = { kind: 'token', value: `of ${person}` } as const;
    await first.devices.register({ ...said, person, address, timeZone: null, session: null });
  }
  await first.suppressions.change([
    { tenant, address: emailOf(3), change: { kind: 'complaint', atMs: 1, by: 'test', code: null } },
  ]);
  const before = await first.profiles.read(people);

  const { masters: present } = drawKeys('present');
  const rotated = stores({ ...old, masters: [...present, ...old.masters] });
  await checkKeys(rotated.box, rotated.register);
  const begun = await rotated.rotation.step(null);
  assert.ok(begun.changed > 0 && begun.changed < people.length);
  let changed = begun.changed;
  for (let after: string | null = null; ; ) {
    const step = await rotated.rotation.step(after);
    changed += step.changed;
    after = step.next;
    if (after === null) break;
  }
  assert.equal(changed, people.length + 10 + 1);
  assert.deepEqual(await rotated.rotation.finish(), ['former']);
  assert.ok(!JSON.stringify(await db.iterator().all()).includes('former'));

  const last = stores({ ...old, masters: present });
  await checkKeys(last.box, last.register);
  assert.deepEqual(await last.profiles.read(people), before);
  assert.deepEqual(await last.profiles.findByEmail(tenant, emailOf(7)), [people[7]]);
  assert.equal((await last.devices.list(people[9] as PersonKey))[0]?.provider, 'fcm');
  assert.equal((await last.suppressions.find(tenant, [emailOf(3)]))[0]?.address, emailOf(3));
});
