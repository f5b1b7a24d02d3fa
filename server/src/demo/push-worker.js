/**
 * The service worker of the demo: shows what is pushed to this browser, and opens what it is about. A declarative message
 * (https://www.w3.org/TR/push-api/) comes here where the browser does not show it by itself, with the same fields.
 *
 * Whatever comes, something is shown: a browser takes the subscription away from a page that keeps a push to itself. All
 * texts go to the browser as texts. No module: not every browser takes one here.
 */
const fallback = { title: 'Carillon', body: 'There is something new.', navigate: '/demo' };

self.addEventListener('install', () => self.skipWaiting());
self.addEventListener('push', (event) => event.waitUntil(receive(read(event.data))));
self.addEventListener('notificationclick', (event) => {
  event.notification.close();
  const { navigate, actions } = event.notification.data;
  event.waitUntil(openPage(actions[event.action] ?? navigate));
});

/** Null for what is no JSON. */
function read(data) {
  try {
    return data === null ? null : data.json();
  } catch {
    return null;
  }
}

async function receive(message) {
  const told = message?.carillon;
  if (told?.kind === 'retract') {
    await badge(told.badge);
    return takeBack(told.collapseId);
  }
  const notification = message?.web_push === 8030 ? message.notification : null;
  await badge(notification?.app_badge);
  const { title, options } = shown(notification ?? fallback);
  return self.registration.showNotification(title, options);
}

/** In the form of `showNotification`. */
function shown({ title, body, navigate, lang, dir, tag, icon, actions = [] }) {
  return {
    title,
    options: {
      body,
      icon: icon ?? '/demo/icon.svg',
      ...(lang !== undefined && { lang }),
      ...(dir !== undefined && { dir }),
      // The same tag takes the place of what was shown before: the group has grown.
      ...(tag !== undefined && { tag, renotify: true }),
      actions: actions.map(({ action, title: label }) => ({ action, title: label })),
      data: { navigate, actions: Object.fromEntries(actions.map((each) => [each.action, each.navigate])) },
    },
  };
}

async function takeBack(tag) {
  const notifications = await self.registration.getNotifications({ tag });
  for (const notification of notifications) notification.close();
}

/** Where the browser has one. */
async function badge(count) {
  if (typeof count !== 'number' || self.navigator.setAppBadge === undefined) return;
  await self.navigator.setAppBadge(count).catch(() => {});
}

/** A tab that shows the demo comes to the front; only what is elsewhere opens one. */
async function openPage(target) {
  const url = new URL(target, self.location.origin);
  if (url.protocol !== 'https:' && url.origin !== self.location.origin) return;
  const tabs = await self.clients.matchAll({ type: 'window', includeUncontrolled: true });
  const open = tabs.find((tab) => new URL(tab.url).pathname === '/demo');
  if (url.origin === self.location.origin && open !== undefined) await open.focus();
  else await self.clients.openWindow(url.href);
}
