import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { runInNewContext } from 'node:vm';

const code = readFileSync(new URL('./push-worker.js', import.meta.url), 'utf8');
const origin = 'http://127.0.0.1:8080';

/** The worker in a browser that remembers what was shown, opened and closed. */
function worker(tabs = []) {
  const listeners = {};
  const seen = { shown: [], closed: [], opened: [], focused: 0, badge: null };
  const self = {
    location: { origin },
    navigator: {
      async setAppBadge(count) {
        seen.badge = count;
      },
    },
    skipWaiting() {},
    addEventListener(name, listener) {
      listeners[name] = listener;
    },
    registration: {
      showNotification: async (title, options) => void seen.shown.push({ title, ...options }),
      getNotifications: async ({ tag }) =>
        seen.shown.filter((each) => each.tag === tag).map(() => ({ close: () => seen.closed.push(tag) })),
    },
    clients: {
      matchAll: async () => tabs.map((url) => ({ url, focus: async () => void seen.focused++ })),
      openWindow: async (url) => void seen.opened.push(url),
    },
  };
  runInNewContext(code, { self, URL, Object });
  const dispatch = async (name, event) => {
    const promises = [];
    listeners[name]({ ...event, waitUntil: (promise) => promises.push(promise) });
    await Promise.all(promises);
  };
  const push = (text) => dispatch('push', { data: text === null ? null : { json: () => JSON.parse(text) } });
  return { seen, push, dispatch };
}

const declarative = {
  web_push: 8030,
  notification: {
    title: 'Ana',
    body: '<b>Ana</b> liked your post',
    navigate: `${origin}/p/p1`,
    lang: 'ar',
    dir: 'rtl',
    tag: 'group1',
    app_badge: 7,
    actions: [{ action: 'reply', title: 'Reply', navigate: 'https://app.example/reply' }],
  },
};

test('a declarative message is shown with all it says, as text', async () => {
  const { seen, push } = worker();
  await push(JSON.stringify(declarative));
  assert.equal(seen.badge, 7);
  const [{ title, body, lang, dir, tag, renotify, actions }] = seen.shown;
  assert.deepEqual(
    [title, body, lang, dir, tag, renotify],
    ['Ana', '<b>Ana</b> liked your post', 'ar', 'rtl', 'group1', true],
  );
  assert.deepEqual(JSON.parse(JSON.stringify(actions)), [{ action: 'reply', title: 'Reply' }]);
});

test('whatever comes, something is shown', async () => {
  const { seen, push } = worker();
  for (const text of [null, 'no JSON', 'null', '7', '{"web_push":1}', '{}']) await push(text);
  assert.equal(seen.shown.length, 6);
  assert.ok(seen.shown.every(({ title, body }) => title === 'Carillon' && body.length > 0));
});

test('what was taken back goes, and shows nothing new', async () => {
  const { seen, push } = worker();
  await push(JSON.stringify(declarative));
  await push(JSON.stringify({ carillon: { v: 1, kind: 'retract', collapseId: 'group1', badge: 6 } }));
  assert.deepEqual([seen.shown.length, seen.closed, seen.badge], [1, ['group1'], 6]);
});

test('a press opens what it is about: the tab that is there, or elsewhere by https alone', async () => {
  const click = async (tabs, navigate, action = '') => {
    const { seen, dispatch } = worker(tabs);
    const data = { navigate, actions: { reply: 'https://app.example/reply' } };
    await dispatch('notificationclick', { action, notification: { data, close() {} } });
    return [seen.focused, ...seen.opened];
  };
  assert.deepEqual(await click([`${origin}/demo?user=88`], `${origin}/p/p1`), [1]);
  assert.deepEqual(await click([`${origin}/metrics`], `${origin}/p/p1`), [0, `${origin}/p/p1`]);
  assert.deepEqual(await click([`${origin}/demo`], 'https://app.example/x'), [0, 'https://app.example/x']);
  assert.deepEqual(await click([], `${origin}/p/p1`, 'reply'), [0, 'https://app.example/reply']);
  assert.deepEqual(await click([], 'javascript:alert(1)'), [0]);
  assert.deepEqual(await click([], 'http://elsewhere.example/'), [0]);
});
