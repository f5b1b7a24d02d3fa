import assert from 'node:assert/strict';
import { test } from 'node:test';
import { InboxModel } from './inbox-model.js';

/** A row; `at` is its place in time and its revision. */
function row(at, state = {}) {
  return {
    id: `n_${at}`,
    activityAt: new Date(at * 1000).toISOString(),
    revision: at,
    activityRevision: at,
    state: { seen: false, read: false, archived: false, snoozedUntil: null, ...state },
  };
}

const counts = (unread, revision = 100) => ({ unread, unseen: unread, capped: false, revision, marksVersion: 0 });
const changes = (items, revision, removed = []) => ({
  kind: 'changes',
  items,
  removed,
  counts: counts(items.length),
  revision,
});
const ids = (model) => model.items.map((item) => item.id);

/** An API whose answers are given by hand, one after the other. */
function scriptedApi() {
  const waiting = [];
  const requests = [];
  return {
    requests,
    request: (method, path, body) => {
      requests.push({ method, path, body });
      return new Promise((resolve, reject) => waiting.push({ resolve, reject }));
    },
    answer: (value) => waiting.shift().resolve(value),
    fail: (error) => waiting.shift().reject(error),
  };
}

async function loaded(items, { nextCursor = null, revision = 100 } = {}) {
  const api = scriptedApi();
  const model = new InboxModel(api);
  const loading = model.load();
  api.answer({ items, nextCursor, counts: counts(items.length, revision) });
  await loading;
  return { api, model };
}

test('a frame that comes while a page is on its way is not lost to the older page', async () => {
  const api = scriptedApi();
  const model = new InboxModel(api);
  const loading = model.load();
  model.receive(changes([row(12)], 12));
  api.answer({ items: [row(10)], nextCursor: null, counts: counts(1, 10) });
  await loading;
  assert.deepEqual(ids(model), ['n_12', 'n_10']);
  assert.equal(model.revision, 12);
});

test('a frame older than the page changes nothing', async () => {
  const api = scriptedApi();
  const model = new InboxModel(api);
  const loading = model.load();
  model.receive(changes([row(8)], 8));
  api.answer({ items: [row(10)], nextCursor: null, counts: counts(1, 10) });
  await loading;
  assert.deepEqual(ids(model), ['n_10']);
});

test('rows move, change and leave as the frames say; the revision never falls', async () => {
  const { model } = await loaded([row(30), row(20), row(10)]);
  const moved = { ...row(10), activityAt: row(40).activityAt, revision: 140 };
  model.receive(changes([moved], 140, ['n_30']));
  assert.deepEqual(ids(model), ['n_10', 'n_20']);
  model.receive(changes([], 120));
  assert.equal(model.revision, 140);
});

test('a row below the last loaded one waits for its page', async () => {
  const { model } = await loaded([row(30), row(20)], { nextCursor: 'c' });
  model.receive(changes([row(10)], 110));
  assert.deepEqual(ids(model), ['n_30', 'n_20']);
  model.receive(changes([row(25)], 111));
  assert.deepEqual(ids(model), ['n_30', 'n_25', 'n_20']);
});

test('a page that overlaps what came live shows each row once, in its newest form', async () => {
  const { api, model } = await loaded([row(30)], { nextCursor: 'c' });
  model.receive(changes([{ ...row(40), id: 'n_20', revision: 200 }], 200));
  const more = model.loadMore();
  api.answer({ items: [row(20), row(10)], nextCursor: null });
  await more;
  assert.deepEqual(ids(model), ['n_20', 'n_30', 'n_10']);
  assert.equal(model.items[0].revision, 200);
});

test('a mark shows at once and is taken back when the server refuses', async () => {
  const { api, model } = await loaded([row(20), row(10)]);
  const marking = model.mark('read', ['n_20']);
  assert.equal(model.items[0].state.read, true);
  assert.equal(model.counts.unread, 1);
  api.fail(new Error('no'));
  await Promise.resolve();
  await Promise.resolve();
  api.answer({ items: [row(20), row(10)], nextCursor: null, counts: counts(2) });
  await assert.rejects(marking, /no/);
  assert.equal(model.items[0].state.read, false);
  assert.equal(model.counts.unread, 2);
});

test('marking all read asks for everything up to what the page has, not for what is still to come', async () => {
  const { api, model } = await loaded([row(20)], { revision: 77 });
  const marking = model.markAllRead();
  api.answer({ counts: counts(0) });
  await marking;
  assert.deepEqual(api.requests.at(-1), { method: 'POST', path: '/v1/notifications/read', body: { through: 77 } });
});

test('another device that moves the boundary makes the page load again', async () => {
  const { api, model } = await loaded([row(20)]);
  model.receive({ kind: 'marks', readThrough: 5, seenThrough: 5, items: [], counts: counts(1) });
  assert.equal(api.requests.length, 1);
  model.receive({ kind: 'marks', readThrough: 50, seenThrough: 50, items: [], counts: counts(0) });
  assert.equal(api.requests.length, 2);
});

test('the first boundary a page hears of counts when it covers unread rows', async () => {
  const { api, model } = await loaded([row(20)], { nextCursor: 'c' });
  model.receive({ kind: 'marks', readThrough: 20, seenThrough: 20, items: [], counts: counts(0) });
  assert.equal(api.requests.length, 2);
});

test('a flood keeps the newest rows only, and paging goes on behind them', async () => {
  const { api, model } = await loaded([row(1)]);
  model.receive(
    changes(
      Array.from({ length: 150 }, (_, at) => row(at + 2)),
      300,
    ),
  );
  assert.equal(model.items.length, 100);
  assert.equal(model.items[0].id, 'n_151');
  assert.equal(model.hasMore, true);
  const more = model.loadMore();
  assert.match(api.requests.at(-1).path, /limit=100/);
  api.answer({ items: model.items, nextCursor: 'c', counts: counts(150, 300) });
  await Promise.resolve();
  await Promise.resolve();
  await Promise.resolve();
  assert.match(api.requests.at(-1).path, /cursor=c/);
  api.answer({ items: [row(1)], nextCursor: null });
  await more;
  assert.equal(model.items.length, 101);
});

test('resync forgets where the stream was and loads again', async () => {
  const { api, model } = await loaded([row(20)]);
  model.receive({ kind: 'resync', reason: 'tooOld' });
  assert.equal(model.revision, null);
  assert.equal(api.requests.length, 2);
});
