import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { requestMaxima } from '@carillon/contract/inbox-requests.ts';
import type { NotificationId, PersonKey } from '../base/ids.ts';
import { personKey } from '../base/ids.ts';
import { nextRevision } from '../base/revision.ts';
import { VirtualClock } from '../base/virtual-clock.ts';
import { describeInApp } from '../content/describe-in-app.ts';
import { InboxServiceStore } from '../inbox/inbox-service-store.ts';
import { InboxStoreMemory } from '../inbox/inbox-store-memory.ts';
import type { Item } from '../inbox/item.ts';
import { noonMs, personWrite, testItem, testMember } from '../inbox/test-items.ts';
import { startTestApi, type TestAnswer, type TestApi } from './test-api.ts';

const ana = personKey('default', 'ana');
const anaOfOther = personKey('other', 'ana');
const token = 'user:ana';

describe('the inbox API', () => {
  let api: TestApi;
  let store: InboxStoreMemory;
  const clock = new VirtualClock(noonMs);

  beforeEach(async () => {
    store = new InboxStoreMemory();
    const cursorSecret = new Uint8Array(32).fill(7);
    api = await startTestApi(new InboxServiceStore({ store, clock, cursorSecret, describe: describeInApp }));
  });
  afterEach(async () => {
    await api.stop();
    assert.deepEqual(api.failures, []);
  });

  /** Rows one second apart, the newest last. */
  async function give(person: PersonKey, count: number, change: Partial<Item> = {}): Promise<Item[]> {
    const items = Array.from({ length: count }, (_, index) => {
      const timeMs = clock.now() + index * 1000;
      return testItem(person, `e-${index}`, timeMs, { revision: nextRevision(0, timeMs), ...change });
    });
    clock.advance(count * 1000);
    await store.write(0, [personWrite(person, items)], [0, 0, 0]);
    return items;
  }
  const get = (path: string, as = token): Promise<TestAnswer> => api.call('GET', path, { token: as });
  const post = (name: string, body: unknown, as = token): Promise<TestAnswer> =>
    api.call('POST', `/v1/notifications/${name}`, { token: as, body });
  const unread = async (as = token): Promise<number> => (await get('/v1/notifications/counts', as)).json.unread;

  test('A1: pages follow their links to the end, keeping the filter', async () => {
    await give(ana, 7);
    await give(ana, 2, { type: 'user.followed', category: 'follows' });
    const seen: string[] = [];
    let path: string | null = '/v1/notifications?limit=3&type=post.liked';
    while (path !== null) {
      const { status, json, headers }: TestAnswer = await get(path);
      assert.equal(status, 200);
      assert.equal(headers.get('cache-control'), 'no-store');
      seen.push(...json.items.map((item: { id: string }) => item.id));
      path = /^<([^>]+)>; rel="next"$/.exec(headers.get('link') ?? '')?.[1] ?? null;
      assert.equal(path !== null, json.nextCursor !== null);
    }
    assert.equal(seen.length, 7);
    assert.equal(new Set(seen).size, 7);
  });

  test('A1: one notification, its reasons and its people', async () => {
    const item = testItem(ana, 'e-1', clock.now(), { actorCount: 3 });
    const members = ['bo', 'cy', 'di'].map((id) => testMember(id));
    const write = personWrite(ana, [item], { members: [{ item: item.id, revision: 1, members }] });
    await store.write(0, [write], [0, 0, 0]);
    assert.equal((await get(`/v1/notifications/${item.id}`)).json.id, item.id);
    const why = (await get(`/v1/notifications/${item.id}/why`)).json;
    assert.deepEqual([why.event.source, why.event.id], ['posts', 'e-1']);
    assert.equal(why.decisions[0].channel, 'inApp');
    assert.notEqual(why.decisions[0].text, '');
    const first = await get(`/v1/notifications/${item.id}/actors?limit=2`);
    assert.equal(first.json.items.length, 2);
    const next = /^<([^>]+)>/.exec(first.headers.get('link') ?? '')?.[1] as string;
    const ids = [...first.json.items, ...(await get(next)).json.items].map((actor: { id: string }) => actor.id);
    assert.deepEqual(ids.sort(), ['bo', 'cy', 'di']);
  });

  test('I3: read, unread, seen, archive, unarchive and snooze answer the counts afterwards', async () => {
    const [one, two] = (await give(ana, 2)) as [Item, Item];
    const counts = async (name: string, body: unknown) => {
      const { status, json } = await post(name, body);
      assert.equal(status, 200, name);
      return [json.counts.unread, json.counts.unseen];
    };
    assert.deepEqual(await counts('seen', { through: two.revision }), [2, 0]);
    assert.deepEqual(await counts('read', { ids: [one.id] }), [1, 0]);
    assert.deepEqual(await counts('unread', { ids: [one.id] }), [2, 0]);
    assert.deepEqual(await counts('archive', { ids: [two.id] }), [1, 0]);
    assert.deepEqual(await counts('unarchive', { ids: [two.id] }), [2, 0]);
    const until = new Date(clock.now() + 60_000).toISOString();
    assert.deepEqual(await counts('snooze', { ids: [two.id], until }), [1, 0]);
    assert.deepEqual(await counts('read', { throughTime: new Date(clock.now()).toISOString() }), [0, 0]);
  });

  for (const body of [{ through: Number.MAX_SAFE_INTEGER }, { throughTime: '9999-12-31T23:59:59Z' }]) {
    test(`I3: reading through ${JSON.stringify(body)} reads what there is, not what is to come`, async () => {
      await give(ana, 2);
      assert.equal((await post('read', body)).json.counts.unread, 0);
      assert.equal((await post('seen', body)).json.counts.unseen, 0);
      clock.advance(60_000);
      await give(ana, 1);
      assert.equal(await unread(), 1);
    });
  }

  test('I5: changes since a revision come as a frame, or as a request to load again', async () => {
    const items = await give(ana, 3);
    const frame = (await get(`/v1/notifications/changes?since=${items[0]?.revision}`)).json;
    assert.equal(frame.kind, 'changes');
    assert.deepEqual(
      frame.items.map((item: { id: string }) => item.id),
      items.slice(1).map((item) => item.id),
    );
  });

  test('BC-63: another person’s notification is told from a missing one by nothing, and stays unread', async () => {
    const [theirs] = (await give(personKey('default', 'bo'), 1)) as [Item];
    const [own] = (await give(ana, 1)) as [Item];
    const missing = `n_${'0'.repeat(theirs.id.length - 2)}` as NotificationId;
    for (const suffix of ['', '/why', '/actors']) {
      const [foreign, absent] = await Promise.all([
        get(`/v1/notifications/${theirs.id}${suffix}`),
        get(`/v1/notifications/${missing}${suffix}`),
      ]);
      assert.equal(foreign.status, 404);
      assert.equal(foreign.json.code, 'CARILLON_NOTIFICATION_UNKNOWN');
      assert.deepEqual(comparable(foreign), comparable(absent));
    }
    for (const name of ['read', 'seen', 'unread', 'archive', 'unarchive']) {
      assert.deepEqual(
        (await post(name, { ids: [theirs.id] })).json.counts.unread,
        (await post(name, { ids: [missing] })).json.counts.unread,
      );
    }
    assert.equal((await post('read', { ids: [own.id, theirs.id] })).json.counts.unread, 0);
    assert.equal(await unread('user:bo'), 1);
    for (const method of ['PATCH', 'DELETE']) {
      assert.equal((await api.call(method, `/v1/notifications/${theirs.id}`, { token })).status, 405);
    }
  });

  test('BC-63: producers and operators have no inbox', async () => {
    for (const as of ['producer:posts', 'operator:root']) {
      const { status, json } = await get('/v1/notifications', as);
      assert.deepEqual([status, json.code], [403, 'CARILLON_AUTH_FORBIDDEN']);
    }
    assert.equal((await api.call('GET', '/v1/notifications')).status, 401);
  });

  test('BC-66: the same user id in two tenants is two people', async () => {
    const [first] = (await give(ana, 3)) as [Item];
    const [other] = (await give(anaOfOther, 1)) as [Item];
    const as = 'user:ana@other';
    assert.deepEqual(
      (await get('/v1/notifications', as)).json.items.map((item: { id: string }) => item.id),
      [other.id],
    );
    assert.equal((await get(`/v1/notifications/${first.id}`, as)).status, 404);
    await post('read', { through: first.revision + 10 ** 9 }, as);
    await post('archive', { ids: [first.id] }, as);
    assert.equal(await unread(), 3);
    const cursor = (await get('/v1/notifications?limit=1')).json.nextCursor as string;
    const foreign = await get(`/v1/notifications?cursor=${encodeURIComponent(cursor)}`, as);
    assert.deepEqual([foreign.status, foreign.json.code], [400, 'CARILLON_CURSOR_INVALID']);
  });

  const refusals: [path: string, field: string][] = [
    ['?limit=0', 'query/limit'],
    [`?limit=${requestMaxima.pageRows + 1}`, 'query/limit'],
    ['?limit=x', 'query/limit'],
    ['?limit=1&limit=2', 'query/limit'],
    ['?state=new', 'query/state'],
    ['?stat=unread', 'query/stat'],
    ['/changes', 'query/since'],
    ['/changes?since=-1', 'query/since'],
    ['/changes?since=9007199254740993', 'query/since'],
  ];
  for (const [path, field] of refusals) {
    test(`A6: GET /v1/notifications${path} names ${field}`, async () => {
      const { status, json } = await get(`/v1/notifications${path}`);
      assert.deepEqual([status, json.code, json.errors[0].path], [400, 'CARILLON_REQUEST_INVALID', field]);
    });
  }

  const bodies: [name: string, body: unknown, field: string][] = [
    ['read', {}, ''],
    ['read', { ids: ['n_1'], through: 1 }, ''],
    ['read', { through: '8' }, '/through'],
    ['read', { throughTime: 'yesterday' }, '/throughTime'],
    ['unread', { through: 1 }, '/ids'],
    ['archive', { ids: [] }, '/ids'],
    ['archive', { ids: ['n_1', 7] }, '/ids/1'],
    ['archive', { ids: Array.from({ length: requestMaxima.markIds + 1 }, () => 'n_1') }, '/ids'],
    ['snooze', { ids: ['n_1'] }, '/until'],
    ['snooze', { ids: ['n_1'], until: null }, '/until'],
  ];
  for (const [name, body, field] of bodies) {
    test(`A6: POST ${name} ${JSON.stringify(body).slice(0, 40)} names "${field}"`, async () => {
      const { status, json } = await post(name, body);
      assert.deepEqual([status, json.code], [400, 'CARILLON_REQUEST_INVALID']);
      assert.ok(
        json.errors.some((error: { path: string }) => error.path === field),
        JSON.stringify(json.errors),
      );
    });
  }
});

/** An answer without what names the request. */
function comparable({ status, headers, text, json }: TestAnswer): unknown[] {
  const kept = [...headers].filter(([name]) => name !== 'x-request-id' && name !== 'date');
  return [status, kept, text.replace(json.requestId, 'r')];
}
