/** Devices of the whole service, over restarts and by whichever process (V11, A2, S4). */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { messageOfNow } from './events.ts';
import { eventually } from './eventually.ts';
import { operatorsKey } from './flow-config.ts';
import { okay, Person } from './person.ts';
import { PushSink } from './push-sink.ts';
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

describe('what is pushed to devices that change hands', () => {
  let world: World;
  let sink: PushSink;
  before(async () => {
    sink = await PushSink.open();
    world = await World.start({ where: 'process', config: { push: sink.config } });
  });
  after(async () => {
    await world.close();
    await sink.close();
  });

  const tokenOf = (name: string): string => `ExponentPushToken[${name}]`;
  const register = async (person: Person, name: string): Promise<void> => {
    okay(await person.ask('POST', '/v1/devices', { provider: 'expo', token: tokenOf(name), app: 'org.example' }));
  };
  const pushed = (name: string): number => sink.to(tokenOf(name)).length;
  /** Each device of a person is pushed to at once: what this one has got, the others would have got as well. */
  const reaches = (name: string, count: number): Promise<void> => eventually(() => pushed(name) === count);

  test('BC-52: the next user of a phone hears their own messages there, once, and none of the first', async () => {
    const [first, second] = [await world.person('ph1'), await world.person('ph2')];
    await register(first, 'shared');
    await register(first, 'other-of-first');
    await register(second, 'shared');
    await world.send([messageOfNow('ph1')]);
    await reaches('other-of-first', 1);
    assert.equal(pushed('shared'), 0);
    await register(second, 'shared');
    await world.send([messageOfNow('ph2')]);
    await reaches('shared', 1);
    await world.send([messageOfNow('ph1')]);
    await reaches('other-of-first', 2);
    assert.equal(pushed('shared'), 1);
  });

  test('BC-66: a phone that went to another tenant hears nothing of the first, from people of the same name', async () => {
    const [there, here] = [await world.person('42'), await world.person('42', 't2')];
    await register(there, 'moved');
    await register(there, 'other-of-t1');
    await register(here, 'moved');
    await world.send([messageOfNow('42')]);
    await reaches('other-of-t1', 1);
    assert.equal(pushed('moved'), 0);
    await world.send([messageOfNow('42')], 't2');
    await reaches('moved', 1);
    assert.equal(pushed('other-of-t1'), 1);
  });

  test('BC-70: nothing is pushed to a device whose session is over', async () => {
    const [phone, laptop] = [await world.person('ph3', 't1', { sid: 'over' }), await world.person('ph3')];
    await register(phone, 'of-session');
    await register(laptop, 'of-other-session');
    await world.send([messageOfNow('ph3')]);
    await reaches('of-session', 1);
    await reaches('of-other-session', 1);
    assert.equal((await world.producer().ask('DELETE', '/v1/sessions/over')).status, 204);
    await world.send([messageOfNow('ph3')]);
    await reaches('of-other-session', 2);
    assert.equal(pushed('of-session'), 1);
  });

  test('BC-71: what waits for an erased person is not pushed', async () => {
    const [gone, other] = [await world.person('ph4'), await world.person('ph5')];
    await register(gone, 'of-erased');
    await register(other, 'of-other');
    sink.answer = (to) => (to === tokenOf('of-erased') ? 503 : 'ok');
    await world.send([messageOfNow('ph4')]);
    await reaches('of-erased', 1);
    assert.equal((await world.producer().ask('DELETE', '/v1/users/ph4')).status, 204);
    sink.answer = () => 'ok';
    await world.send([messageOfNow('ph4'), messageOfNow('ph5')]);
    await reaches('of-other', 1);
    await world.restart();
    await world.send([messageOfNow('ph5')]);
    await reaches('of-other', 2);
    assert.equal(pushed('of-erased'), 1);
  });
});
