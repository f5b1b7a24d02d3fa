/** Broadcasts of operators: written, approved, started, halted and resumed, over crashes (A4). */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import type { BroadcastTarget, BroadcastView } from '@carillon/contract/broadcasts.ts';
import { systemClock } from '../../server/src/base/clock.ts';
import { personKey } from '../../server/src/base/ids.ts';
import { eventually } from './eventually.ts';
import { operatorsKey, otherOperatorsKey, supportersKey } from './flow-config.ts';
import { okay, Person, rows } from './person.ts';
import { World } from './world.ts';

const content = {
  type: 'system.notice',
  object: { kind: 'notice', id: 'n1', title: 'Back at 09:00' },
};

describe('broadcasts of operators', () => {
  let world: World;
  beforeEach(async () => {
    world = await World.start({ where: 'process', config: { broadcasts: { staleAfterSeconds: 1 } } });
  });
  afterEach(() => world.close());

  const ask = (key: string, method: string, path: string, body?: object) =>
    new Person(world, key).ask(method, `/v1/admin/broadcasts${path}`, body);
  const act = async (id: string, action: string, { key = operatorsKey, body }: { key?: string; body?: object } = {}) =>
    okay<BroadcastView>(await ask(key, 'POST', `/${id}/${action}`, body));
  const get = async (id: string) => okay<BroadcastView>(await ask(operatorsKey, 'GET', `/${id}`));
  const write = async (to: BroadcastTarget) => {
    const { id } = okay<BroadcastView>(await ask(operatorsKey, 'POST', '', { name: 'Maintenance', content, to }));
    return id;
  };
  const approved = async (to: BroadcastTarget) => {
    const id = await write(to);
    await act(id, 'approve', { key: otherOperatorsKey });
    return id;
  };
  const until = (id: string, status: string) => eventually(async () => (await get(id)).status === status);
  const refusedAs = async (key: string, path: string, body?: object) =>
    (JSON.parse((await ask(key, 'POST', path, body)).text) as { code: string }).code;

  async function subscribeAll(audience: string, users: readonly string[]): Promise<void> {
    for (let at = 0; at < users.length; at += 10_000) {
      const lines = users.slice(at, at + 10_000).map((user) => JSON.stringify({ audience, user }));
      const headers = { authorization: `Bearer ${world.producer().token}`, 'content-type': 'application/x-ndjson' };
      const answer = await fetch(`${world.origin}/v1/subscriptions`, {
        method: 'POST',
        headers,
        body: lines.join('\n'),
      });
      assert.equal(((await answer.json()) as { taken: number }).taken, lines.length);
    }
  }

  async function know(user: string, facts: object): Promise<void> {
    assert.ok((await world.producer().ask('PUT', `/v1/users/${user}`, facts)).status < 300);
  }

  test('BC-62: halted, killed, resumed and killed again, everybody has it once, and it is finished then', async () => {
    const users = Array.from({ length: 20_000 }, (_, n) => `u${n}`);
    await subscribeAll('topic:all', users);
    const id = await approved({ audience: 'topic:all' });
    const startTwice = () => Promise.all([act(id, 'start', { body: {} }), act(id, 'start', { body: {} })]);
    await startTwice();
    await until(id, 'running');
    await eventually(async () => (await get(id)).recipients > 0);
    await act(id, 'pause');
    const halted = await get(id);
    assert.equal(halted.status, 'paused');
    assert.ok(halted.recipients < users.length, 'half-way');
    await world.crash();
    const still = await get(id);
    assert.equal(still.status, 'paused');
    // A chunk that was at hand was finished.
    assert.ok(still.recipients < users.length && still.recipients >= halted.recipients);
    await act(id, 'resume', { key: otherOperatorsKey });
    await eventually(async () => (await get(id)).recipients > still.recipients);
    await world.crash();
    const { status, recipients } = await get(id);
    assert.ok(status === 'finished' || recipients < users.length);
    await until(id, 'finished');
    await startTwice();
    await world.settled();
    const end = await get(id);
    assert.equal(end.recipients, users.length);
    assert.deepEqual(
      end.history.map(({ action, by }) => `${by} ${action}`).filter((line) => !line.endsWith('start')),
      ['key:op create', 'key:op2 approve', 'carillon begin', 'key:op pause', 'key:op2 resume', 'carillon finish'],
    );
    await world.pause();
    await world.withStore(async (store) => {
      for (const user of users) {
        const { items } = await store.head(personKey('t1', user), 10);
        assert.deepEqual(
          items.map(({ type, object, openedBy }) => `${type} ${object.id} ${openedBy.id}`),
          [`system.notice n1 ${id}`],
          user,
        );
      }
    });
  });

  test('BC-62: a schedule that passed while the service was down waits to be confirmed', async () => {
    await know('u1', { locale: 'de' });
    const id = await approved({ all: true });
    const at = new Date(systemClock.now() + 1000).toISOString();
    assert.equal((await act(id, 'start', { body: { at } })).status, 'scheduled');
    await world.pause();
    await eventually(() => systemClock.now() > Date.parse(at) + 1500);
    await world.resume();
    await until(id, 'stale');
    assert.deepEqual(await (await world.person('u1')).inbox(), []);
    await act(id, 'confirm');
    await until(id, 'finished');
    await world.settled();
    assert.deepEqual(rows(await (await world.person('u1')).inbox()), ['system.notice notice:n1 ']);
  });

  test('A4: a second operator approves; roles, states and unknown ids are told apart', async () => {
    const id = await write({ all: true });
    assert.equal(await refusedAs(operatorsKey, `/${id}/approve`), 'CARILLON_BROADCAST_OWN');
    assert.equal(await refusedAs(operatorsKey, `/${id}/start`, {}), 'CARILLON_BROADCAST_STATE');
    assert.equal(await refusedAs(supportersKey, `/${id}/approve`), 'CARILLON_AUTH_FORBIDDEN');
    assert.equal(await refusedAs(operatorsKey, '/b_none/approve'), 'CARILLON_BROADCAST_UNKNOWN');
    const draft = { name: 'x', content: { ...content, type: 'no.such' }, to: { all: true } };
    assert.equal(await refusedAs(operatorsKey, '', draft), 'CARILLON_EVENT_TYPE_UNKNOWN');
    assert.equal((await ask(supportersKey, 'GET', `/${id}`)).status, 200);
    await act(id, 'cancel');
    assert.equal(await refusedAs(otherOperatorsKey, `/${id}/approve`), 'CARILLON_BROADCAST_STATE');
    const { items } = okay<{ items: BroadcastView[] }>(await ask(operatorsKey, 'GET', ''));
    assert.deepEqual(
      items.map(({ id: each, status }) => [each, status]),
      [[id, 'cancelled']],
    );
  });

  test('A4: to all, or to those whom a filter means; a cancelled one reaches nobody', async () => {
    await know('de1', { locale: 'de-AT' });
    await know('fr1', { locale: 'fr' });
    const german = await approved({ filter: { locales: ['de'] } });
    await act(german, 'start', { body: {} });
    await until(german, 'finished');
    const cancelled = await approved({ all: true });
    await act(cancelled, 'cancel');
    await world.settled();
    assert.equal((await (await world.person('de1')).inbox()).length, 1);
    assert.equal((await (await world.person('fr1')).inbox()).length, 0);
    assert.equal((await get(german)).recipients, 1);
  });
});
