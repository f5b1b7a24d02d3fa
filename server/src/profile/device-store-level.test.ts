import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { ClassicLevel } from 'classic-level';
import { personKey } from '../base/ids.ts';
import { drawKeys, type EncryptionKeys, SecretBox } from '../base/secret-box.ts';
import { VirtualClock } from '../base/virtual-clock.ts';
import { deviceStoreContract } from './device-store.contract.ts';
import { DeviceStoreLevel } from './device-store-level.ts';
import { ProfileStoreLevel } from './profile-store-level.ts';

const folder = await mkdtemp(join(tmpdir(), 'carillon-devices-'));
let db = new ClassicLevel<string, string>(folder);
await db.open();
after(async () => {
  await db.close();
  await rm(folder, { recursive: true });
});

const keys = drawKeys('old-key');
let stores = 0;

function newest(used: EncryptionKeys = keys) {
  const clock = new VirtualClock();
  const box = new SecretBox(used);
  const profiles = new ProfileStoreLevel(db, `${stores}profile/`, { clock, box });
  return { devices: new DeviceStoreLevel({ db, prefix: `${stores}device/`, profiles, clock, box }), profiles, clock };
}

const stored = async (): Promise<string> =>
  JSON.stringify(await db.iterator({ gte: `${stores}device/`, lt: `${stores}device0` }).all());

deviceStoreContract({
  name: 'LevelDB',
  async open() {
    stores++;
    return newest();
  },
  async reopen() {
    await db.close();
    db = new ClassicLevel<string, string>(folder);
    await db.open();
    return newest();
  },
  heard: async () => {},
  async rotate() {
    const rotated = newest({ ...keys, masters: [...drawKeys('new-key').masters, ...keys.masters] });
    return { stores: rotated, stored, oldKey: 'old-key' };
  },
});

test('a device that is gone leaves no key behind', async () => {
  stores++;
  const { devices, clock } = newest();
  const [ana, bo] = [personKey('t', 'ana'), personKey('t', 'bo')];
  const said = { provider: 'fcm', app: 'a', appVersion: null, environment: 'production' } as const;
  const address = { kind: 'token', value: 'k' } as const;
  const registration = { ...said, address, locale: null, timeZone: null, session: 't\u0001s' };
  await devices.register({ ...registration, person: ana });
  clock.advance(10);
  await devices.register({ ...registration, person: ana, session: null });
  const { id } = await devices.register({ ...registration, person: bo });
  assert.equal(await devices.remove(bo, id), true);
  assert.equal(await stored(), '[]');
});

test('a device in a format of a later release is refused, not misread', async () => {
  stores++;
  const { devices } = newest();
  await db.put(`${stores}device/p/t\u0001ana\u0000d_x`, '2{}');
  await assert.rejects(devices.list(personKey('t', 'ana')), /format 2/);
});
