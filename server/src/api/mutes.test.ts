import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { personKey } from '../base/ids.ts';
import { limits } from '../base/limits.ts';
import { startTestApi, type TestAnswer, type TestApi } from './test-api.ts';

let api: TestApi;
before(async () => {
  api = await startTestApi(null as never);
});
after(() => api.stop());

const call = (user: string, method: string, path: string, body?: unknown): Promise<TestAnswer> =>
  api.call(method, `/v1/mutes${path}`, { token: `user:${user}`, body });
const list = async (user: string): Promise<{ kind: string; id: string; until: string | null }[]> =>
  (await call(user, 'GET', '')).json.items;
const until = '2026-03-11T12:00:00.000Z';

test('D3: actors, objects and words are muted, listed in order, and taken back', async () => {
  assert.deepEqual(await list('ana'), []);
  const first = await call('ana', 'PUT', '/actor/a4', { until: null });
  assert.deepEqual(
    [first.status, first.json],
    [200, { kind: 'actor', id: 'a4', since: '2026-03-10T12:00:00.000Z', until: null }],
  );
  await call('ana', 'PUT', '/object/p%2F1%20%F0%9F%98%80', { until: '2026-03-11T13:00:00+01:00' });
  await call('ana', 'PUT', '/word/%20Spoiler', {});
  const all = ['actor a4 null', `object p/1 😀 ${until}`, 'word spoiler null'];
  assert.deepEqual(
    (await list('ana')).map((mute) => `${mute.kind} ${mute.id} ${mute.until}`),
    all,
  );
  for (let time = 0; time < 2; time++) assert.equal((await call('ana', 'DELETE', '/word/SPOILER')).status, 204);
  assert.deepEqual(
    (await list('ana')).map(({ kind }) => kind),
    ['actor', 'object'],
  );
  assert.deepEqual(await list('bo'), []);
});

test('a mute that is over is not listed', async () => {
  await call('cy', 'PUT', '/actor/a1', { until });
  assert.equal((await list('cy')).length, 1);
  api.clock.step(86_400_000);
  assert.deepEqual(await list('cy'), []);
  api.clock.step(-86_400_000);
});

test('what cannot be muted is refused with its path', async () => {
  const refused = async (path: string, body: unknown = {}): Promise<[number, string, string]> => {
    const { status, json } = await call('di', 'PUT', path, body);
    return [status, json.code, json.errors[0].path];
  };
  assert.deepEqual(await refused('/word/%20'), [422, 'CARILLON_MUTE_INVALID', 'params/id']);
  assert.deepEqual(await refused('/word/%E2%80%8B'), [422, 'CARILLON_MUTE_INVALID', 'params/id']);
  assert.deepEqual(await refused(`/word/${'x'.repeat(limits.muteWordCharsMax + 1)}`), [
    422,
    'CARILLON_MUTE_INVALID',
    'params/id',
  ]);
  assert.deepEqual(await refused('/actor/a1', { until: '2026-03-10T12:00:00Z' }), [
    422,
    'CARILLON_MUTE_INVALID',
    '/until',
  ]);
  assert.deepEqual(await refused('/actor/a1', { untill: null }), [400, 'CARILLON_REQUEST_INVALID', '/untill']);
  assert.deepEqual(await refused('/thing/a1'), [400, 'CARILLON_REQUEST_INVALID', 'params/kind']);
  assert.deepEqual(await refused('/actor/a%00'), [400, 'CARILLON_REQUEST_INVALID', 'params/id']);
  assert.deepEqual(await list('di'), []);
});

test('no more mutes than the limit', async () => {
  const person = personKey('default', 'ed');
  const mutes = Array.from({ length: limits.mutesMax }, (_, n) => `a${n}`);
  await api.profiles.change(
    mutes.map((id) => ({ person, change: { kind: 'mute', mute: { kind: 'actor', id, untilMs: null } } })),
  );
  const { status, json } = await call('ed', 'PUT', '/actor/more', {});
  assert.deepEqual([status, json.code], [422, 'CARILLON_MUTES_TOO_MANY']);
  assert.equal((await call('ed', 'PUT', '/actor/a1', {})).status, 200);
});
