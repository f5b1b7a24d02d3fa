/** From an event to a mail server and a push service, over stops and kills, on real sockets (V1, V3, V10, V20). */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { DeliveriesAnswer } from '@carillon/contract/deliveries.ts';
import type { Event } from '@carillon/contract/event.ts';
import type { WhyAnswer } from '@carillon/contract/inbox-requests.ts';
import { messageOfNow } from './events.ts';
import { eventually } from './eventually.ts';
import { operatorsKey } from './flow-config.ts';
import { MailSink } from './mail-sink.ts';
import { okay, Person } from './person.ts';
import { PushSink } from './push-sink.ts';
import { World } from './world.ts';

let alerts = 0;

function alert(user: string): Event {
  return {
    id: `alert${++alerts}`,
    source: 'posts',
    type: 'security.alert',
    time: new Date().toISOString(),
    object: { kind: 'login', id: `l${alerts}`, owner: user, title: `Login ${alerts}` },
    to: { user },
  };
}

describe('what leaves by mail', () => {
  let world: World;
  let sink: MailSink;
  before(async () => {
    sink = await MailSink.open();
    world = await World.start({ where: 'process', config: { email: sink.config } });
  });
  after(async () => {
    await world.close();
    await sink.close();
  });

  const withAddress = async (user: string): Promise<string> => {
    const email = `${user}@people.test`;
    okay(await world.producer().ask('PUT', `/v1/users/${user}`, { email, emailVerified: true }));
    return email;
  };

  test('an event that asks for a mail makes one, and no more over a kill', async () => {
    const address = await withAddress('dl1');
    await world.send([alert('dl1')]);
    await eventually(async () => sink.to(address).length === 1);
    await world.crash();
    const other = await withAddress('dl2');
    await world.send([alert('dl2')]);
    await eventually(async () => sink.to(other).length === 1);
    assert.equal(sink.to(address).length, 1);
  });

  test('V3: a mail that could not be taken just then comes by itself, also over a stop', async () => {
    const address = await withAddress('dl3');
    sink.answer = (to) => (to === address ? [451, '4.3.2 not now'] : null);
    const before = await failures();
    await world.send([alert('dl3')]);
    await eventually(async () => (await failures()) > before);
    await world.restart();
    sink.answer = () => null;
    await eventually(async () => sink.to(address).length === 1);
  });

  test('BC-60: an address that nobody has is suppressed, and spoils nobody else’s mail', async () => {
    const [gone, other] = [await withAddress('dl4'), await withAddress('dl5')];
    sink.answer = (to) => (to === gone ? [550, '5.1.1 no such user'] : null);
    await world.send([alert('dl4'), alert('dl5')]);
    await eventually(async () => sink.to(other).length === 1);
    const operator = new Person(world, operatorsKey);
    const known = `/v1/admin/suppressions/${encodeURIComponent(gone)}`;
    await eventually(async () => (await operator.ask('GET', known)).status === 200);
    sink.answer = () => null;
    await world.send([alert('dl4')]);
    await eventually(async () => (await suppressed()) > 0);
    assert.deepEqual(sink.to(gone), []);
  });

  /** All series of a metric whose labels say so. */
  const sum = async (name: string, labels = '.*'): Promise<number> => {
    return (await world.metric(`${name}\\{${labels}\\}`)).reduce((all, each) => all + each, 0);
  };
  const failures = (): Promise<number> => sum('carillon_delivery_attempts_total', '.*outcome="retry".*');
  const suppressed = (): Promise<number> => sum('carillon_deliveries_total', '.*suppressed.*');
});

describe('what leaves by push', () => {
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

  const tokenOf = (user: string, device = 1): string => `ExponentPushToken[${user}-${device}-of-the-flow-test]`;
  const withDevices = async (user: string, count = 1): Promise<void> => {
    const person = await world.person(user);
    for (let device = 1; device <= count; device++) {
      const body = { provider: 'expo', token: tokenOf(user, device), app: 'org.example' };
      okay(await person.ask('POST', '/v1/devices', body));
    }
  };

  test('a message reaches each device of its person once, over a kill, and with the count of what is unread', async () => {
    await withDevices('dp1', 2);
    await world.send([messageOfNow('dp1')]);
    await eventually(() => sink.to(tokenOf('dp1', 1)).length + sink.to(tokenOf('dp1', 2)).length === 2);
    await world.crash();
    await world.send([messageOfNow('dp1')]);
    await eventually(() => sink.pushes.length >= 4);
    for (const device of [1, 2]) {
      const pushes = sink.to(tokenOf('dp1', device));
      assert.deepEqual(
        pushes.map(({ badge }) => badge),
        [1, 2],
      );
      assert.match(pushes[0]?.body ?? '', /Ana/);
    }
  });

  test('BC-54: a device that fails keeps nothing from the other, nor from anybody else', async () => {
    await withDevices('dp2', 2);
    await withDevices('dp3');
    sink.answer = (to, nth) => (to === tokenOf('dp2', 2) && nth < 2 ? 503 : 'ok');
    await world.send([messageOfNow('dp2'), messageOfNow('dp3')]);
    await eventually(() => sink.to(tokenOf('dp2', 2)).length === 3);
    assert.equal(sink.to(tokenOf('dp2', 1)).length, 1);
    assert.equal(sink.to(tokenOf('dp3')).length, 1);
  });

  test('V11: a device that is gone is forgotten', async () => {
    await withDevices('dp4');
    sink.answer = () => 'DeviceNotRegistered';
    await world.send([messageOfNow('dp4')]);
    const person = await world.person('dp4');
    await eventually(async () => (await person.get<{ items: [] }>('/v1/devices')).items.length === 0);
    sink.answer = () => 'ok';
  });

  test('V5: what a provider refuses is a dead letter, and goes once an operator sends it again', async () => {
    await withDevices('dp5');
    const operator = new Person(world, operatorsKey);
    const filter = { user: 'dp5' };
    const count = async (): Promise<number> =>
      (await operator.get<{ count: number }>('/v1/admin/dead-letters?user=dp5')).count;
    sink.answer = (to) => (to === tokenOf('dp5') ? 'MessageTooBig' : 'ok');
    await world.send([messageOfNow('dp5')]);
    await eventually(async () => (await count()) === 1);
    sink.answer = () => 'ok';
    const redrive = async (dryRun: boolean): Promise<object> =>
      okay(await operator.ask('POST', '/v1/admin/dead-letters/redrive', { filter, dryRun }));
    assert.deepEqual(await redrive(true), { sent: 1, skipped: {}, nextCursor: null });
    const sent = await Promise.all([redrive(false), redrive(false)]);
    assert.deepEqual(sent[0], { sent: 1, skipped: {}, nextCursor: null });
    await eventually(async () => (await count()) === 0);
    assert.equal(sink.to(tokenOf('dp5')).length, 2, 'one refused, and one more for both');
  });

  test('V1: operators see what became of each device, over a stop, and never a token', async () => {
    await withDevices('dp6', 2);
    const operator = new Person(world, operatorsKey);
    const deliveries = (query: string) => operator.get<DeliveriesAnswer>(`/v1/admin/deliveries?${query}`);
    sink.answer = (to) => (to === tokenOf('dp6', 2) ? 'MessageTooBig' : 'ok');
    await world.send([messageOfNow('dp6')]);
    await world.settled();
    const person = await world.person('dp6');
    const { id } = (await person.page()).items[0] ?? {};
    const query = `user=dp6&notification=${id}`;
    const ends = async () => (await deliveries(query)).items.flatMap((job) => job.deliveries);
    await eventually(async () => (await ends()).filter(({ attempts }) => attempts.length === 1).length === 2);
    sink.answer = () => 'ok';
    await world.restart();
    const taken = (await ends()).find(({ state }) => state === 'accepted');
    assert.deepEqual((await ends()).map(({ state, code }) => `${state} ${code}`).sort(), [
      'accepted null',
      'failed MessageTooBig',
    ]);
    assert.deepEqual(await deliveries(`provider=expo&providerId=${taken?.providerId}`), await deliveries(query));
    const why = await person.get<WhyAnswer>(`/v1/notifications/${id}/why`);
    assert.deepEqual(why.deliveries.map(({ state }) => state).sort(), ['failed', 'handedOver']);
    assert.doesNotMatch(JSON.stringify([await deliveries(query), why]), /ExponentPushToken/);
  });

  test('BC-79: what is under way at a stop, and what waits behind it, comes once', async () => {
    for (let user = 0; user < 10; user++) await withDevices(`ds${user}`);
    const sent = Array.from({ length: 10 }, (_, user) => messageOfNow(`ds${user}`));
    await world.send(sent);
    const { code, tookMs } = await world.pause();
    assert.equal(code, 0);
    assert.ok(tookMs < 10_000, `took ${tookMs} ms`);
    await world.resume();
    const counts = (): number[] => sent.map((_, user) => sink.to(tokenOf(`ds${user}`)).length);
    await eventually(() => counts().every((count) => count > 0));
    await world.send([messageOfNow('ds0')]);
    await eventually(() => sink.to(tokenOf('ds0')).length === 2);
    assert.deepEqual(counts().slice(1), counts().slice(1).fill(1));
  });
});
