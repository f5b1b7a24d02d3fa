/** What every DeviceStore must do, beside the ProfileStore that counts its devices. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { type PersonKey, personKey, type TenantId } from '../base/ids.ts';
import { limits } from '../base/limits.ts';
import type { VirtualClock } from '../base/virtual-clock.ts';
import type { DeviceAddress, DeviceRegistration } from './device.ts';
import type { DevicePlace, DeviceStore } from './device-store.ts';
import type { ProfileStore } from './profile-store.ts';
import type { Resealable, Resealed } from './resealing.ts';

export interface DeviceStores {
  readonly devices: DeviceStore;
  readonly profiles: ProfileStore;
  readonly clock: VirtualClock;
}

export interface RotatedDevices {
  readonly stores: Omit<DeviceStores, 'devices'> & { readonly devices: DeviceStore & Resealable };
  stored(): Promise<string>;
  readonly oldKey: string;
}

export interface DeviceStoreUnderTest {
  readonly name: string;
  /** Fresh, empty stores. */
  open(): Promise<DeviceStores>;
  /** The same data as another process sees them, or this one after a restart; null where nothing outlives the process. */
  reopen: (() => Promise<DeviceStores>) | null;
  /** Lets that time pass by which watchers must have heard. */
  heard(): Promise<void>;
  /** The same data by new keys, of which the old one is still known; and everything stored as one text. */
  rotate: (() => Promise<RotatedDevices>) | null;
}

const [t1, t2] = ['t1', 't2'] as TenantId[] as [TenantId, TenantId];
const [ana, bo] = [personKey(t1, 'ana'), personKey(t1, 'bo')];
const token = (value: string): DeviceAddress => ({ kind: 'token', value });
const endpoint = (name: string, keys = 'k'): DeviceAddress => ({
  kind: 'subscription',
  endpoint: `https://push.example/${name}`,
  p256dh: `p256dh-${keys}`,
  auth: `auth-${keys}`,
  vapidKey: 'vapid',
});

function registration(person: PersonKey, address: DeviceAddress, more: Partial<DeviceRegistration> = {}) {
  return {
    person,
    provider: address.kind === 'subscription' ? 'webpush' : 'fcm',
    address,
    app: 'app.example',
    appVersion: null,
    environment: 'production',
    locale: null,
    timeZone: null,
    session: null,
    ...more,
  } as DeviceRegistration;
}

export function deviceStoreContract(under: DeviceStoreUnderTest): void {
  describe(`DeviceStore: ${under.name}`, () => {
    let stores: DeviceStores;
    const opened: DeviceStores[] = [];
    const open = async (made: Promise<DeviceStores>): Promise<DeviceStores> => {
      opened.push(await made);
      return made;
    };
    beforeEach(async () => {
      stores = await open(under.open());
    });
    afterEach(async () => {
      for (const each of opened.splice(0)) await each.profiles.close();
    });

    const register = (person: PersonKey, address: DeviceAddress, more: Partial<DeviceRegistration> = {}) =>
      stores.devices.register(registration(person, address, more));
    const counted = async (person: PersonKey): Promise<number> =>
      (await stores.profiles.read([person]))[0]?.devices ?? 0;
    const listed = async (person: PersonKey): Promise<DeviceAddress[]> => {
      const devices = await stores.devices.list(person);
      assert.equal(await counted(person), devices.length, 'the profile counts what is listed');
      return devices.map(({ address }) => address);
    };

    test('keeps what is said of a device, and lists those seen last first', async () => {
      const said = {
        provider: 'apns',
        appVersion: '7.1',
        environment: 'sandbox',
        locale: 'de-AT',
        timeZone: 'Asia/Kolkata',
        session: 't1\u0001s1',
      } as const;
      const first = await register(ana, token('ab12'), said);
      stores.clock.advance(5);
      const second = await register(ana, endpoint('x'));
      assert.match(first.id, /^d_[A-Za-z0-9_-]{22}$/);
      const { session: _, ...visible } = said;
      const nowMs = stores.clock.now();
      const times = { registeredAtMs: nowMs - 5, seenAtMs: nowMs - 5 };
      const expected = { id: first.id, person: ana, address: token('ab12'), app: 'app.example', ...visible, ...times };
      assert.deepEqual(first, expected);
      assert.deepEqual(await stores.devices.list(ana), [second, first]);
      assert.deepEqual(await listed(bo), []);
    });

    test('the same address again is the same device, with what holds now', async () => {
      const first = await register(ana, token('k'), { locale: 'de' });
      stores.clock.advance(1000);
      const again = await register(ana, token('k'), { locale: null, app: 'other' });
      assert.deepEqual(again, {
        ...first,
        locale: null,
        app: 'other',
        registeredAtMs: first.registeredAtMs + 1000,
        seenAtMs: first.seenAtMs + 1000,
      });
      assert.deepEqual(await stores.devices.list(ana), [again]);
      assert.equal(await counted(ana), 1);
    });

    test('tokens, installation ids and providers are apart', async () => {
      const same = 'x'.repeat(40);
      await register(ana, token(same));
      await register(ana, { kind: 'fid', value: same });
      await register(ana, token(same), { provider: 'apns' });
      assert.equal((await listed(ana)).length, 3);
    });

    test('an address has one owner: registered on another account it moves (BC-52)', async () => {
      const before = await register(ana, token('k'));
      const after = await register(bo, token('k'));
      assert.deepEqual(await listed(ana), []);
      assert.deepEqual(await listed(bo), [token('k')]);
      assert.notEqual(after.id, before.id);
      assert.equal(await stores.devices.remove(ana, after.id), false);
      assert.equal(await stores.devices.remove(ana, before.id), false);
      assert.deepEqual(await listed(bo), [token('k')]);
    });

    test('also over tenants, where the same name is another person (BC-66)', async () => {
      const [one, two] = [personKey(t1, '42'), personKey(t2, '42')];
      await register(one, token('k'));
      await register(two, token('other'));
      await register(two, token('k'));
      assert.deepEqual(await listed(one), []);
      assert.equal((await listed(two)).length, 2);
      assert.equal(await stores.devices.find(t1, 'fcm', token('k')), null);
      assert.equal((await stores.devices.find(t2, 'fcm', token('k')))?.person, two);
    });

    test('one endpoint subscribed 300 times is one device with the latest keys (BC-52)', async () => {
      for (let n = 0; n < 300; n++) await register(bo, endpoint('same', String(n)));
      assert.deepEqual(await listed(bo), [endpoint('same', '299')]);
    });

    test('many accounts that register one address at once: one has it, and the counts agree', async () => {
      const people = Array.from({ length: 8 }, (_, n) => personKey(n % 2 === 0 ? t1 : t2, `p${n}`));
      await Promise.all(people.flatMap((person) => [register(person, token('k')), register(person, token(person))]));
      const all = await Promise.all(people.map((person) => listed(person)));
      assert.equal(all.flat().filter((address) => address.kind === 'token' && address.value === 'k').length, 1);
      assert.equal(all.flat().length, 9);
    });

    test('a device is removed by its id, once', async () => {
      const { id } = await register(ana, token('k'));
      await register(ana, token('l'));
      assert.equal(await stores.devices.remove(ana, id), true);
      assert.equal(await stores.devices.remove(ana, id), false);
      assert.deepEqual(await listed(ana), [token('l')]);
      assert.equal(await stores.devices.find(t1, 'fcm', token('k')), null);
    });

    test('a proof of death older than the registration counts for nothing, a later one does (BC-46)', async () => {
      const { id } = await register(ana, token('k'));
      stores.clock.advance(60_000);
      const again = await register(ana, token('k'));
      assert.equal(await stores.devices.removeDead(ana, id, again.registeredAtMs), false);
      assert.deepEqual(await listed(ana), [token('k')]);
      // A time in seconds lies before every registration.
      assert.equal(await stores.devices.removeDead(ana, id, Math.floor((again.registeredAtMs + 5000) / 1000)), false);
      assert.equal(await stores.devices.removeDead(bo, id, again.registeredAtMs + 1), false);
      assert.equal(await stores.devices.removeDead(ana, id, again.registeredAtMs + 1), true);
      assert.deepEqual(await listed(ana), []);
    });

    test('beyond the limit the one not seen for the longest time goes', async () => {
      for (let n = 0; n < limits.devicesMax; n++) {
        await register(ana, token(`k${n}`));
        stores.clock.advance(1);
      }
      await register(ana, token('k0'));
      stores.clock.advance(1);
      await register(ana, token('one more'));
      const kept = await listed(ana);
      assert.equal(kept.length, limits.devicesMax);
      assert.deepEqual(kept.slice(0, 2), [token('one more'), token('k0')]);
      assert.ok(!kept.some((address) => address.kind === 'token' && address.value === 'k1'));
    });

    test('what was registered in a session goes with it, unless it was registered anew in another (BC-70)', async () => {
      const [one, two] = ['t1\u0001s', 't1\u0001s2'];
      await register(ana, token('a'), { session: one });
      await register(ana, token('b'), { session: two });
      await register(ana, token('c'), { session: one });
      await register(ana, token('c'), { session: two });
      await register(bo, token('d'), { session: one });
      await register(bo, token('e'));
      assert.equal(await stores.devices.removeSession(one), 2);
      assert.equal(await stores.devices.removeSession(one), 0);
      assert.equal((await listed(ana)).length, 2);
      assert.deepEqual(await listed(bo), [token('e')]);
    });

    test('what is idle goes, by provider, some at a time', async () => {
      const many = limits.devicesPerStep + 5;
      const people = Array.from({ length: many }, (_, n) => personKey(t1, `p${n}`));
      for (const person of people) await register(person, token(`of ${person}`));
      await register(ana, endpoint('x'));
      stores.clock.advance(1000);
      const beforeMs = stores.clock.now();
      await register(people[0] as PersonKey, token(`of ${people[0]}`));
      await register(bo, token('new'));
      const removed: number[] = [];
      do removed.push(await stores.devices.removeIdle('fcm', beforeMs));
      while (removed.at(-1) !== 0);
      assert.equal(
        removed.reduce((sum, count) => sum + count, 0),
        many - 1,
      );
      assert.ok(Math.max(...removed) <= limits.devicesPerStep);
      assert.deepEqual(await Promise.all([listed(people[0] as PersonKey), listed(people[1] as PersonKey)]), [
        [token(`of ${people[0]}`)],
        [],
      ]);
      assert.deepEqual([(await listed(ana)).length, (await listed(bo)).length], [1, 1]);
    });

    test('an erased person has neither devices nor a profile (BC-71)', async () => {
      await stores.profiles.change([
        { person: ana, change: { kind: 'mute', mute: { kind: 'actor', id: 'x', untilMs: null } } },
      ]);
      await register(ana, token('k'), { session: 't1\u0001s' });
      await register(ana, endpoint('x'));
      await register(bo, token('l'));
      await stores.devices.erase(ana);
      await stores.devices.erase(ana);
      assert.deepEqual(await stores.profiles.read([ana]), [null]);
      assert.deepEqual(await listed(ana), []);
      assert.equal(await stores.devices.find(t1, 'fcm', token('k')), null);
      assert.equal(await stores.devices.removeSession('t1\u0001s'), 0);
      assert.deepEqual(await listed(bo), [token('l')]);
    });

    test('whoever watches profiles hears of devices that come and go, and of both owners when one moves', async () => {
      const heard: PersonKey[] = [];
      stores.profiles.watch({ changed: (people) => heard.push(...people), missed() {} });
      await under.heard();
      const revision = async (person: PersonKey) => (await stores.profiles.read([person]))[0]?.revision ?? 0;
      const { id } = await register(ana, token('k'));
      const first = await revision(ana);
      await register(bo, token('k'));
      await under.heard();
      assert.deepEqual(new Set(heard), new Set([ana, bo]));
      assert.ok((await revision(ana)) > first);
      heard.length = 0;
      await stores.devices.remove(ana, id);
      await under.heard();
      assert.deepEqual(heard, []);
    });

    test('pages through every device once, and takes copies as they are', async () => {
      const people = Array.from({ length: 12 }, (_, n) => personKey(n % 2 === 0 ? t1 : t2, `p${n}`));
      for (const person of people) {
        await register(person, token(`1 of ${person}`), { session: 't1\u0001s' });
        await register(person, endpoint(person));
      }
      const all = [];
      for (let after: DevicePlace | null = null; ; ) {
        const page: Awaited<ReturnType<DeviceStore['page']>> = await stores.devices.page(after, 7);
        if (page.length === 0) break;
        assert.ok(page.length <= 7);
        all.push(...page);
        after = page.at(-1) ?? null;
      }
      assert.equal(new Set(all.map(({ id }) => id)).size, 24);
      assert.equal(all.length, 24);
      stores = await open(under.open());
      await stores.devices.restore(all);
      await stores.devices.restore(all);
      assert.deepEqual(await stores.devices.page(null, 100), all);
      assert.equal(await stores.devices.removeSession('t1\u0001s'), 12);
    });

    test('another process, or the next one, sees what was registered', {
      skip: !under.reopen && 'in memory',
    }, async () => {
      const device = await register(ana, endpoint('x'));
      const other = await open((under.reopen as () => Promise<DeviceStores>)());
      assert.deepEqual(await other.devices.list(ana), [device]);
      assert.equal((await other.profiles.read([ana]))[0]?.devices, 1);
      assert.deepEqual(await other.devices.find(t1, 'webpush', endpoint('x', 'other keys')), device);
    });

    test('after a rotation nothing needs the old key, and all is found as before', {
      skip: !under.rotate && 'in memory',
    }, async () => {
      for (let n = 0; n < 25; n++) await register(personKey(t1, `p${n}`), token(`secret-${n}`));
      const rotated = await (under.rotate as NonNullable<typeof under.rotate>)();
      stores = await open(Promise.resolve(rotated.stores));
      const { devices } = rotated.stores;
      const before = await rotated.stored();
      assert.ok(before.includes(rotated.oldKey) && !before.includes('secret-'), 'nothing in the clear');
      const changed: number[] = [];
      for (let after: string | null = null; ; ) {
        const step: Resealed = await devices.reseal(after, 10);
        changed.push(step.changed);
        after = step.next;
        if (after === null) break;
      }
      assert.deepEqual(changed, [10, 10, 5, 0]);
      assert.equal((await devices.reseal(null, 10)).changed, 0);
      assert.ok(!(await rotated.stored()).includes(rotated.oldKey));
      assert.equal((await devices.find(t1, 'fcm', token('secret-7')))?.person, personKey(t1, 'p7'));
      assert.deepEqual(await listed(personKey(t1, 'p24')), [token('secret-24')]);
    });
  });
}
