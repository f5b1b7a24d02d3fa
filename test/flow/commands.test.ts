/** Commands that ask a running service, as somebody types them who tries it out (O2). */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { systemClock } from '../../server/src/base/clock.ts';
import { systemRandom } from '../../server/src/base/random.ts';
import { runKeysRotate } from '../../server/src/run-keys.ts';
import { runSend, type SendRequest } from '../../server/src/run-send.ts';
import { runUser } from '../../server/src/run-user.ts';
import { producerKey, userToken } from './flow-config.ts';
import { World } from './world.ts';

const tools = { clock: systemClock, random: systemRandom };
const usual = { type: 'system.notice', title: 'A visible title', actor: null, source: 'cli', as: undefined } as const;

describe('commands', () => {
  let world: World;
  before(async () => {
    world = await World.start({ config: { mode: 'development' } });
  });
  after(() => world.close());

  const send = (change: Partial<SendRequest> = {}) =>
    runSend({ ...usual, to: 'cm1', url: world.origin, token: undefined, isJson: false, ...change }, tools);

  test('send: the event goes the way of an app’s, and its row and decisions are shown', async () => {
    const [status, row, ...decisions] = await send();
    assert.match(status ?? '', /^accepted: cli-[0-9a-f]{16}$/);
    assert.match(row ?? '', /^n_.*: .*A visible title/);
    assert.deepEqual(
      decisions.map((line) => line.trim().split(/\s+/)[0]),
      ['inApp', 'push', 'email'],
    );
    const { event, row: second } = JSON.parse((await send({ isJson: true })).join(''));
    assert.equal(second.object.id, event.object.id, 'the row of this event, not of the one before');
  });

  test('send: with a producer’s key the row is shown to who has a token of the person', async () => {
    const key = { token: producerKey('t1'), source: 'posts', to: 'cm2' };
    assert.match((await send(key))[1] ?? '', /--as/);
    assert.match((await send({ ...key, as: await userToken('t1', 'cm2') }))[1] ?? '', /A visible title/);
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
