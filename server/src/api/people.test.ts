import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { personKey } from '../base/ids.ts';
import { limits } from '../base/limits.ts';
import { VirtualClock } from '../base/virtual-clock.ts';
import { describeInApp } from '../content/describe-in-app.ts';
import { InboxServiceStore } from '../inbox/inbox-service-store.ts';
import { InboxStoreMemory } from '../inbox/inbox-store-memory.ts';
import { noonMs, personWrite, testItem } from '../inbox/test-items.ts';
import type { Profile } from '../profile/profile.ts';
import { startTestApi, type TestAnswer, type TestApi } from './test-api.ts';

let api: TestApi;
const store = new InboxStoreMemory();
before(async () => {
  const cursorSecret = new Uint8Array(32).fill(7);
  const clock = new VirtualClock(noonMs);
  api = await startTestApi(new InboxServiceStore({ store, clock, cursorSecret, describe: describeInApp }));
});
after(() => api.stop());

const posts = { token: 'producer:posts' } as const;
const profileOf = async (user: string, tenant = 'default'): Promise<Profile | null> =>
  (await api.profiles.read([personKey(tenant, user)]))[0] ?? null;
const send = (lines: string, headers = {}): Promise<TestAnswer> =>
  api.call('POST', '/v1/users', {
    ...posts,
    body: lines,
    headers: { 'content-type': 'application/x-ndjson', ...headers },
  });

test('A3: facts are kept in canonical form, and said anew as a whole', async () => {
  const facts = {
    locale: 'de-at',
    timeZone: 'asia/calcutta',
    email: 'ana@example.org',
    emailVerified: true,
    createdAt: '2026-01-01T01:00:00+01:00',
    suspended: true,
  };
  const answer = await api.call('PUT', '/v1/users/a%2F1', { ...posts, body: facts });
  const canonical = { ...facts, locale: 'de-AT', timeZone: 'Asia/Kolkata', createdAt: '2026-01-01T00:00:00.000Z' };
  assert.deepEqual([answer.status, answer.json], [200, { id: 'a/1', ...canonical }]);
  assert.equal((await profileOf('a/1'))?.facts?.createdAtMs, Date.UTC(2026, 0, 1));
  await api.call('PUT', '/v1/users/a%2F1', { ...posts, body: { locale: 'fr' } });
  assert.deepEqual((await profileOf('a/1'))?.facts, {
    locale: 'fr',
    timeZone: null,
    email: null,
    emailVerified: false,
    createdAtMs: null,
    suspended: false,
  });
});

test('facts that cannot be stored are refused with their paths', async () => {
  const body = { email: 'nobody', timeZone: '+01:00', Locale: 'de' };
  const { status, json } = await api.call('PUT', '/v1/users/x', { ...posts, body });
  assert.deepEqual([status, json.code], [422, 'CARILLON_PERSON_INVALID']);
  assert.deepEqual(json.errors.map(({ path }: { path: string }) => path).toSorted(), ['/Locale', '/email']);
  const zone = await api.call('PUT', '/v1/users/x', { ...posts, body: { timeZone: '+01:00', locale: '_' } });
  assert.deepEqual(
    zone.json.errors.map(({ path }: { path: string }) => path),
    ['/locale', '/timeZone'],
  );
  assert.equal(await profileOf('x'), null);
});

test('an import stores each line that is right, and says of each what became of it', async () => {
  const lines = [
    '{"id":"i1","locale":"de"}',
    '{"id":"i2","timeZone":"Mars/Olympus"}',
    '',
    'nonsense',
    '{"locale":"de"}\r',
    '[]',
    '{"id":"i1","locale":"fr"}',
    '{"id":"i3","emial":"x"}',
  ];
  const { status, json } = await send(lines.join('\n'));
  assert.equal(status, 200);
  assert.deepEqual(
    json.results.map(({ id, status, error }: { id: string; status: string; error?: { code: string; path: string } }) =>
      [id, status, error?.code, error?.path].filter((part) => part !== undefined),
    ),
    [
      ['i1', 'stored'],
      ['i2', 'rejected', 'CARILLON_PERSON_INVALID', '/timeZone'],
      [null, 'rejected', 'CARILLON_REQUEST_MALFORMED', ''],
      [null, 'rejected', 'CARILLON_PERSON_INVALID', '/id'],
      [null, 'rejected', 'CARILLON_PERSON_INVALID', ''],
      ['i1', 'stored'],
      ['i3', 'rejected', 'CARILLON_PERSON_INVALID', '/emial'],
    ],
  );
  assert.equal((await profileOf('i1'))?.facts?.locale, 'fr');
});

test('an import has bounds, and is done once for a key', async () => {
  const lines = (count: number): string => Array.from({ length: count }, (_, n) => `{"id":"m${n}"}`).join('\n');
  assert.equal((await send(lines(limits.batchEventsMax + 1))).status, 413);
  assert.equal(await profileOf('m0'), null);
  const key = { 'idempotency-key': '"import"' };
  assert.equal((await send(lines(limits.batchEventsMax), key)).json.results.length, limits.batchEventsMax);
  const revision = (await profileOf('m0'))?.revision;
  assert.equal((await send(lines(limits.batchEventsMax), key)).status, 200);
  assert.equal((await profileOf('m0'))?.revision, revision);
  assert.deepEqual((await send('')).json, { results: [] });
});

test('an import may be a JSON array', async () => {
  const json = { 'content-type': 'application/json' };
  const answer = await send('[{"id":"j1","locale":"de"},{"id":"j2","locale":"_"}]', json);
  assert.deepEqual(
    answer.json.results.map(({ status }: { status: string }) => status),
    ['stored', 'rejected'],
  );
  assert.equal((await profileOf('j1'))?.facts?.locale, 'de');
  assert.equal((await send('[{"id":"j1"}', json)).json.code, 'CARILLON_REQUEST_MALFORMED');
});

test('S7: a person is exported as they are, and is unknown after being erased', async () => {
  const eve = personKey('default', 'eve');
  const items = Array.from({ length: 205 }, (_, n) => testItem(eve, `e${n}`, noonMs - n, { revision: 1000 - n }));
  await store.write(0, [personWrite(eve, items)], [0, 0, 0]);
  const archived = items[7]?.id ?? assert.fail();
  await api.call('POST', '/v1/notifications/archive', { token: 'user:eve', body: { ids: [archived] } });
  await api.call('PUT', '/v1/users/eve', { ...posts, body: { email: 'eve@example.org' } });
  const token = 'user:eve';
  await api.call('PUT', '/v1/mutes/word/w', { token, body: {} });
  await api.call('PATCH', '/v1/notification-preferences', {
    token,
    body: { muteAll: true },
    headers: { 'if-match': '*' },
  });
  const { status, json } = await api.call('GET', '/v1/users/eve/export', posts);
  assert.equal(status, 200);
  assert.deepEqual([json.id, json.facts.email, json.preferences.muteAll], ['eve', 'eve@example.org', true]);
  assert.deepEqual(
    json.mutes.map(({ id }: { id: string }) => id),
    ['w'],
  );
  assert.deepEqual(
    json.notifications.map(({ id }: { id: string }) => id).toSorted(),
    items.map(({ id }) => id as string).toSorted(),
  );
  for (let time = 0; time < 2; time++) {
    assert.equal((await api.call('DELETE', '/v1/users/eve', posts)).status, 204);
  }
  const after = (await api.call('GET', '/v1/users/eve/export', posts)).json;
  assert.deepEqual([after.facts, after.preferences, after.mutes], [null, null, []]);
  const unknown = (await api.call('GET', '/v1/users/nobody/export', posts)).json;
  assert.deepEqual(unknown, { ...after, id: 'nobody', notifications: [] });
});

test('S2, S3: only producers say what is known of people, and only of those of their tenant', async () => {
  for (const token of ['user:ana', 'operator:op']) {
    for (const [method, path] of [
      ['PUT', '/v1/users/ana'],
      ['DELETE', '/v1/users/ana'],
      ['GET', '/v1/users/ana/export'],
      ['POST', '/v1/users'],
    ] as const) {
      const body = method === 'PUT' ? {} : undefined;
      assert.equal((await api.call(method, path, { token, body })).status, 403, `${token} ${method} ${path}`);
    }
  }
  await api.call('PUT', '/v1/users/tom', { token: 'producer:posts@other', body: { locale: 'de' } });
  assert.equal(await profileOf('tom'), null);
  assert.equal((await profileOf('tom', 'other'))?.facts?.locale, 'de');
});
