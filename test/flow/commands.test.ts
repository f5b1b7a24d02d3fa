/** Commands that ask a running service, as somebody types them who tries it out (O2). */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { systemClock } from '../../server/src/base/clock.ts';
import { systemRandom } from '../../server/src/base/random.ts';
import { runKeysRotate } from '../../server/src/run-keys.ts';
import { runSend, type SendRequest } from '../../server/src/run-send.ts';
import { runUser } from '../../server/src/run-user.ts';
import { operatorsKey, producerKey } from './flow-config.ts';
import { okay } from './person.ts';
import { PushSink } from './push-sink.ts';
import { World } from './world.ts';

const tools = { clock: systemClock, random: systemRandom };
const usual = {
  type: 'system.notice',
  title: 'A visible title',
  actor: null,
  source: 'cli',
  operator: undefined,
} as const;

describe('commands', () => {
  let world: World;
  before(async () => {
    world = await World.start({ config: { mode: 'development' } });
  });
  after(() => world.close());

  const send = (change: Partial<SendRequest> = {}) =>
    runSend({ ...usual, to: 'cm1', url: world.origin, token: undefined, isJson: false, ...change }, tools);

  const keys = { token: producerKey('t1'), operator: operatorsKey, source: 'posts' };

  test('send: the event goes the way of an app’s, and its row and decisions are shown', async () => {
    const [status, row, ...decisions] = await send(keys);
    assert.match(status ?? '', /^accepted: cli-[0-9a-f]{16}$/);
    assert.deepEqual(
      decisions.map((line) => line.trim().split(/\s+/)[0]),
      ['inApp', 'push', 'email'],
    );
    const { items } = await (await world.person('cm1')).page();
    assert.deepEqual([items[0]?.id, items[0]?.object?.title], [row, 'A visible title']);
    const { event, decided } = JSON.parse((await send({ ...keys, isJson: true })).join(''));
    assert.equal(decided.event.id, event.id);
  });

  test('send: what leaves no row says why', async () => {
    const person = await world.person('cm2');
    await person.ask('PUT', '/v1/mutes/actor/ana', {});
    const [, row, inApp] = await send({ ...keys, to: 'cm2', type: 'message.sent', actor: 'ana' });
    assert.equal(row, 'No row came of it.');
    assert.match(inApp ?? '', /^ +inApp +\w+ +.*muted/i);
  });

  test('send: in development mode no key is needed; with a producer’s key an operator’s shows what became of it', async () => {
    assert.match((await send())[1] ?? '', /^n_/);
    assert.match((await send({ ...keys, operator: undefined }))[1] ?? '', /--operator/);
  });

  test('send: what is refused is said in words', async () => {
    await assert.rejects(send({ type: 'message.sent' }), /CARILLON_EVENT_INVALID: .*actor/);
    await assert.rejects(send({ token: 'wrong' }), /CARILLON_AUTH_INVALID/);
    await assert.rejects(send({ url: 'http://127.0.0.1:1' }), /Is the service running\?/);
  });

  test('user: everything of a person is had, and forgotten', async () => {
    const user = { user: 'cm3', url: world.origin, token: producerKey('t1') };
    await world.producer().ask('PUT', '/v1/users/cm3', { locale: 'de' });
    const exported = async () => JSON.parse((await runUser({ ...user, what: 'export' })).join(''));
    assert.equal((await exported()).facts.locale, 'de');
    assert.match((await runUser({ ...user, what: 'erase' })).join(''), /cm3 is forgotten/);
    assert.equal((await exported()).facts, null);
  });

  test('keys rotate: a service with one key has nothing to do, and says so', async () => {
    const lines = await runKeysRotate({ url: world.origin, token: undefined }, () => assert.fail());
    assert.deepEqual(lines, ['0 values encrypted anew.', 'No former key was in use.']);
    await assert.rejects(
      runKeysRotate({ url: world.origin, token: producerKey('t1') }, () => {}),
      /AUTH_FORBIDDEN/,
    );
  });
});

describe('send, where pushes leave', () => {
  let world: World;
  let sink: PushSink;
  before(async () => {
    sink = await PushSink.open();
    world = await World.start({ config: { push: sink.config } });
  });
  after(async () => {
    await world.close();
    await sink.close();
  });

  test('V1: what became of the push is shown', async () => {
    const person = await world.person('cm4');
    const device = { provider: 'expo', token: 'ExponentPushToken[of-the-flow-test]', app: 'org.example' };
    const send = async (): Promise<string> => {
      okay(await person.ask('POST', '/v1/devices', device));
      const [url, token, operator] = [world.origin, producerKey('t1'), operatorsKey];
      const event = { to: 'cm4', type: 'message.sent', title: 'Hello', actor: 'ana', source: 'posts' };
      return (await runSend({ ...event, url, token, operator, isJson: false }, tools)).join('\n');
    };
    sink.answer = () => 'DeviceNotRegistered';
    assert.match(await send(), /^ {2}push +failed {2}d_\S+ {2}expo {2}DeviceNotRegistered {2}1 attempts$/m);
    sink.answer = () => 'ok';
    assert.match(await send(), /^ {2}push +accepted {2}d_\S+ {2}expo {2}1 attempts$/m);
  });
});
