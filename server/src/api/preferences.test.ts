import assert from 'node:assert/strict';
import { after, beforeEach, describe, test } from 'node:test';
import { personKey } from '../base/ids.ts';
import { limits } from '../base/limits.ts';
import { startTestApi, type TestAnswer, type TestApi } from './test-api.ts';

const path = '/v1/notification-preferences';
const ana = { token: 'user:ana' } as const;

describe('the preferences of a person', () => {
  let api: TestApi;
  const apis: TestApi[] = [];
  beforeEach(async () => {
    api = await startTestApi(null as never);
    apis.push(api);
  });
  after(() => Promise.all(apis.map((each) => each.stop())));

  const read = (token: string = ana.token): Promise<TestAnswer> => api.call('GET', path, { token });
  const write = (method: string, etag: string | null, body: unknown, more = {}): Promise<TestAnswer> =>
    api.call(method, path, { ...ana, body, headers: { ...(etag === null ? {} : { 'if-match': etag }), ...more } });
  const etagOf = async (): Promise<string> => (await read()).headers.get('etag') ?? '';
  const problem = ({ status, json }: TestAnswer): [number, string] => [status, json.code];

  test('are empty at first, of version 0', async () => {
    const answer = await read();
    assert.deepEqual([answer.status, answer.headers.get('etag'), answer.json], [200, '"0"', { version: 0 }]);
  });

  test('A5: a write needs the version it is for, and answers the next one', async () => {
    for (const method of ['PUT', 'PATCH']) {
      assert.deepEqual(problem(await write(method, null, { muteAll: true })), [428, 'CARILLON_PRECONDITION_REQUIRED']);
      const before = await etagOf();
      const answer = await write(method, before, { muteAll: true });
      const etag = answer.headers.get('etag') as string;
      assert.deepEqual([answer.status, answer.json], [200, { version: JSON.parse(JSON.parse(etag)), muteAll: true }]);
      assert.deepEqual((await read()).json, answer.json);
      const late = await write(method, before, { muteAll: false });
      assert.deepEqual(problem(late), [412, 'CARILLON_PRECONDITION_FAILED']);
      assert.equal(late.headers.get('etag'), etag);
      assert.equal((await read()).json.muteAll, true);
    }
  });

  test('RFC 9110: weak tags match nothing, one of a list suffices, a star is any, none of any is the first write', async () => {
    assert.equal((await write('PUT', null, {}, { 'if-none-match': '*' })).status, 200);
    assert.equal((await write('PUT', null, {}, { 'if-none-match': '*' })).status, 412);
    const etag = await etagOf();
    assert.equal((await write('PUT', `W/${etag}`, {})).status, 412);
    assert.equal((await write('PUT', `"x", ${etag}`, {})).status, 200);
    assert.equal((await write('PUT', '*', {})).status, 200);
    for (const [name, value] of [
      ['if-match', '7'],
      ['if-match', ''],
      ['if-none-match', etag],
    ] as const) {
      const answer = await write('PUT', null, {}, { [name]: value });
      assert.deepEqual(problem(answer), [400, 'CARILLON_REQUEST_INVALID'], name + value);
      assert.equal(answer.json.errors[0].path, `header/${name}`);
    }
  });

  test('PUT replaces, PATCH merges and takes back by null', async () => {
    await write('PUT', '*', { muteAll: true, channels: { push: false, email: false } });
    await write('PATCH', '*', { channels: { push: null, inApp: true }, types: { 'post.liked': { push: false } } });
    const { version: _, ...patched } = (await read()).json;
    assert.deepEqual(patched, {
      muteAll: true,
      channels: { email: false, inApp: true },
      types: { 'post.liked': { push: false } },
    });
    await write('PATCH', '*', { types: { 'post.liked': { push: null } }, muteAll: null, channels: null });
    assert.deepEqual(Object.keys((await read()).json), ['version', 'types']);
    await write('PUT', '*', { muteAll: false });
    assert.deepEqual(Object.keys((await read()).json), ['version', 'muteAll']);
  });

  test('two devices that change different settings at once lose neither: the later one reads again', async () => {
    const etag = await etagOf();
    const [one, two] = await Promise.all([
      write('PATCH', etag, { channels: { push: false } }),
      write('PATCH', etag, { categories: { reactions: { email: false } } }),
    ]);
    assert.deepEqual([one.status, two.status].toSorted(), [200, 412]);
    const again = one.status === 412 ? { channels: { push: false } } : { categories: { reactions: { email: false } } };
    assert.equal((await write('PATCH', await etagOf(), again)).status, 200);
    const { channels, categories } = (await read()).json;
    assert.deepEqual([channels, categories], [{ push: false }, { reactions: { email: false } }]);
  });

  test('what cannot be stored is 422 with paths into the document it leads to', async () => {
    const paths = async (method: string, body: unknown, more = {}): Promise<string[]> => {
      const answer = await write(method, '*', body, more);
      assert.deepEqual(problem(answer), [422, 'CARILLON_PREFERENCES_INVALID'], answer.text);
      return answer.json.errors.map((error: { path: string }) => error.path);
    };
    assert.deepEqual(await paths('PUT', { timeZone: '+05:30' }), ['/timeZone']);
    assert.deepEqual(await paths('PUT', { channels: { push: null } }), ['/channels/push']);
    assert.deepEqual(await paths('PATCH', { digest: { at: '08:00' } }), ['/digest/email']);
    assert.deepEqual(await paths('PATCH', [], { 'content-type': 'application/merge-patch+json' }), ['']);
    assert.deepEqual(await paths('PATCH', { types: { 'no.such': { push: true } } }), ['/types/no.such']);
    assert.equal((await read()).json.version, 0);
  });

  test('bodies that are no JSON, too large or of another type are refused as everywhere', async () => {
    assert.equal((await write('PUT', '*', '{')).json.code, 'CARILLON_REQUEST_MALFORMED');
    assert.equal((await write('PUT', '*', '{"muteAll":true,"muteAll":false}')).json.code, 'CARILLON_REQUEST_INVALID');
    assert.equal((await write('PUT', '*', {}, { 'content-type': 'text/plain' })).status, 415);
    assert.equal((await write('PUT', '*', {}, { 'content-type': 'application/merge-patch+json' })).status, 415);
    const large = { locale: 'x'.repeat(limits.preferencesBytesMax) };
    assert.equal((await write('PUT', '*', large)).status, 413);
  });

  test('a zone is answered by its canonical name', async () => {
    assert.equal((await write('PATCH', '*', { timeZone: 'asia/calcutta' })).json.timeZone, 'Asia/Kolkata');
  });

  test('D2: what applies is told with where it comes from', async () => {
    await write('PUT', '*', {
      muteAll: true,
      locale: 'de',
      types: { 'post.liked': { push: true } },
      categories: { comments: { email: true } },
      relations: { newAccounts: 'filter' },
    });
    const facts = { locale: 'fr', timeZone: 'Europe/Paris' };
    assert.equal((await api.call('PUT', '/v1/users/ana', { token: 'producer:posts', body: facts })).status, 200);
    const { status, headers, json } = await api.call('GET', `${path}?resolved=true`, ana);
    assert.deepEqual([status, json.muteAll, headers.get('etag')], [200, true, await etagOf()]);
    const { types, locale, timeZone, relations, digest } = json.resolved;
    assert.deepEqual(types['post.liked'].push, { on: true, from: 'type' });
    assert.deepEqual(types['comment.created'].email, { on: true, from: 'category' });
    assert.deepEqual(types['comment.created'].push, { on: false, from: 'muteAll' });
    assert.deepEqual(types['comment.created'].inApp, { on: true, from: 'default' });
    assert.deepEqual(types['security.alert'].push, { on: true, from: 'critical' });
    assert.equal(types['post.unliked'], undefined);
    assert.deepEqual(
      [locale, timeZone],
      [
        { value: 'de', from: 'choice' },
        { value: 'Europe/Paris', from: 'facts' },
      ],
    );
    assert.deepEqual(relations.newAccounts, { value: 'filter', from: 'choice' });
    assert.deepEqual(relations.notFollowed, { value: 'accept', from: 'default' });
    assert.deepEqual(digest, { value: { email: 'off' }, from: 'default' });
    assert.equal((await api.call('GET', `${path}?resolved=maybe`, ana)).status, 400);
    assert.equal((await read()).json.resolved, undefined);
  });

  test('a repeated key is answered as the first time, ETag and all, and changes nothing', async () => {
    const key = { 'idempotency-key': '"k1"' };
    const etag = await etagOf();
    const first = await write('PATCH', etag, { muteAll: true }, key);
    const again = await write('PATCH', etag, { muteAll: true }, key);
    assert.deepEqual([again.status, again.text], [200, first.text]);
    assert.equal(again.headers.get('etag'), first.headers.get('etag'));
    assert.equal(await etagOf(), first.headers.get('etag'));
  });

  test('S3: nobody reads or writes those of another person or tenant', async () => {
    await write('PUT', '*', { muteAll: true });
    for (const token of ['user:bo', 'user:ana@other']) assert.deepEqual((await read(token)).json, { version: 0 });
    for (const token of ['producer:posts', 'operator:op']) assert.equal((await read(token)).status, 403);
  });

  test('a mute is no change of the preferences', async () => {
    await write('PUT', '*', { muteAll: true });
    const etag = await etagOf();
    const person = personKey('default', 'ana');
    await api.profiles.change([{ person, change: { kind: 'mute', mute: { kind: 'word', id: 'w', untilMs: null } } }]);
    assert.equal(await etagOf(), etag);
  });
});
