/** Devices of the whole service, over restarts and by whichever process (V11, A2, S4). */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { eventually } from './eventually.ts';
import { operatorsKey } from './flow-config.ts';
import { okay, Person } from './person.ts';
import { World } from './world.ts';

const device = (token: string) => ({ provider: 'fcm', token: `${token}:APA91b-of-the-flow-test`, app: 'org.example' });

describe('devices of the whole service', () => {
  let world: World;
  before(async () => {
    world = await World.start({ where: 'process' });
  });
  after(() => world.close());

  const register = async (person: Person, token: string): Promise<string> =>
    okay<{ id: string }>(await person.ask('POST', '/v1/devices', device(token))).id;
  const idsOf = async (person: Person): Promise<string[]> =>
    (await person.get<{ items: { id: string }[] }>('/v1/devices')).items.map(({ id }) => id);

  test('V11: a device outlives a kill, and its address is found again under the next owner', async () => {
    const [ana, bo] = [await world.person('dv1'), await world.person('dv2')];
    const id = await register(ana, 'k1');
    await world.crash();
    assert.deepEqual(await idsOf(ana), [id]);
    assert.equal(await register(ana, 'k1'), id);
    const moved = await register(bo, 'k1');
    assert.deepEqual([await idsOf(ana), await idsOf(bo)], [[], [moved]]);
  });

  test('BC-66: one who goes to another tenant with the same phone leaves the first', async () => {
    const [there, here] = [await world.person('dv3'), await world.person('dv3', 't2')];
    await register(there, 'k2');
    const id = await register(here, 'k2');
    assert.deepEqual([await idsOf(there), await idsOf(here)], [[], [id]]);
    const operator = new Person(world, operatorsKey);
    const found = await operator.ask('POST', '/v1/admin/devices/find', {
      provider: 'fcm',
      token: device('k2').token,
    });
    assert.deepEqual(okay(found), { user: null, device: null });
  });

  test('BC-52, BC-70: devices go with the session they were registered in', async () => {
    const [phone, laptop] = [await world.person('dv4', 't1', { sid: 'sp' }), await world.person('dv4')];
    await register(phone, 'k3');
    const id = await register(laptop, 'k4');
    assert.equal((await world.producer().ask('DELETE', '/v1/sessions/sp')).status, 204);
    assert.deepEqual(await idsOf(laptop), [id]);
    // Another process may not have heard of it yet, and takes back what it took meanwhile.
    await eventually(async () => (await phone.ask('POST', '/v1/devices', device('k3'))).status === 401);
    await eventually(async () => (await idsOf(laptop)).join() === id);
  });

  test('BC-71: who is erased has none, and is found by no token', async () => {
    const ana = await world.person('dv5');
    await register(ana, 'k5');
    assert.equal((await world.producer().ask('DELETE', '/v1/users/dv5')).status, 204);
    assert.deepEqual(await idsOf(ana), []);
    const operator = new Person(world, operatorsKey);
    const asked = { provider: 'fcm', token: device('k5').token };
    assert.deepEqual(okay(await operator.ask('POST', '/v1/admin/devices/find', asked)), { user: null, device: null });
  });
});
