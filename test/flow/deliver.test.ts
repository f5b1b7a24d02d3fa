/** From an event to a mail server, over stops and kills, on real sockets (V1, V3, V20). */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Event } from '@carillon/contract/event.ts';
import { eventually } from './eventually.ts';
import { MailSink } from './mail-sink.ts';
import { okay } from './person.ts';
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
