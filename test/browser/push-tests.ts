/**
 * Push to this browser, as far as a browser goes that cannot reach its push service: the subscription is made up, everything
 * else is the page's, the server's and the browser's own, up to the notification that is shown (V10, V11).
 */
import assert from 'node:assert/strict';
import { createECDH } from 'node:crypto';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { eventually } from '../flow/eventually.ts';
import { onDemoPage } from './demo-page.ts';
import type { Surroundings } from './surroundings.ts';

const subscription = {
  endpoint: 'https://push.example/of-the-browser-test',
  expirationTime: null,
  keys: {
    p256dh: createECDH('prime256v1').generateKeys().toString('base64url'),
    auth: Buffer.alloc(16, 7).toString('base64url'),
  },
};

/** Stands for the push service alone. Remembers the key that the page subscribed with. */
function madeUpPushService(made: object): void {
  const page = globalThis as unknown as {
    PushManager: { prototype: Record<string, unknown> };
    subscribedWith?: string;
  };
  Object.assign(page.PushManager.prototype, {
    subscribe: async ({ applicationServerKey }: { applicationServerKey: string }) => {
      page.subscribedWith = applicationServerKey;
      return { toJSON: () => made, unsubscribe: async () => true };
    },
    getSubscription: async () => null,
  });
}

export function pushTests(around: Surroundings): void {
  test('a browser is registered for push by a press, shows what is pushed, and is let go by another press', () =>
    onDemoPage(
      around,
      'pushed',
      async (demo) => {
        const { page, context } = demo;
        await page.addInitScript(madeUpPushService, subscription);
        await demo.reload();
        await demo.showChoices();
        const toggle = page.locator('#push-toggle');
        await page.locator('#push-toggle:not([disabled])', { hasText: 'Notify me in this browser' }).click();
        await page.locator('#push-toggle[aria-pressed="true"]', { hasText: 'Stop notifying me here' }).waitFor();
        const { key } = (await (await fetch(`${around.url}/v1/push/vapid-key`)).json()) as { key: string };
        const usedKey = await page.evaluate(() => (globalThis as unknown as { subscribedWith: string }).subscribedWith);
        assert.equal(usedKey, key);

        await deliver(page, around.url, {
          web_push: 8030,
          notification: { title: 'Ana', body: 'liked <b>your</b> post', navigate: `${around.url}/demo`, tag: 'g1' },
        });
        assert.deepEqual(await shown(page), [{ title: 'Ana', body: 'liked <b>your</b> post', tag: 'g1' }]);
        await deliver(page, around.url, { carillon: { v: 1, kind: 'retract', collapseId: 'g1', badge: 0 } });
        assert.deepEqual(await shown(page), []);

        await demo.reload();
        await demo.showChoices();
        await page.locator('#push-toggle[aria-pressed="true"]').waitFor();
        await toggle.click();
        await page.locator('#push-toggle[aria-pressed="false"]:not([disabled])').waitFor();
        assert.equal(context.pages().length, 1);
        demo.assertNoComplaints();
      },
      { permissions: ['notifications'] },
    ));

  test('who does not let the page notify is told so, and nothing is registered', () =>
    onDemoPage(around, 'unpushed', async (demo) => {
      await demo.page.addInitScript(() => {
        const page = globalThis as unknown as { Notification: { requestPermission: unknown } };
        Object.defineProperty(page.Notification, 'permission', { get: () => 'denied' });
        page.Notification.requestPermission = async () => 'denied';
      });
      await demo.reload();
      await demo.showChoices();
      await demo.page.locator('#push-words', { hasText: /may not show notifications/ }).waitFor();
      assert.equal(await demo.page.locator('#push-toggle').isDisabled(), true);
      demo.assertNoComplaints();
    }));
}

/** As if the browser's push service had sent it; resolves when the worker is done with it. */
async function deliver(page: Page, url: string, message: object): Promise<void> {
  const devtools = await page.context().newCDPSession(page);
  const registered = new Promise<string>((resolve) => {
    devtools.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
      const [first] = registrations.filter(({ isDeleted }) => !isDeleted);
      if (first !== undefined) resolve(first.registrationId);
    });
  });
  await devtools.send('ServiceWorker.enable');
  const registrationId = await registered;
  const before = JSON.stringify(await shown(page));
  await devtools.send('ServiceWorker.deliverPushMessage', {
    origin: url,
    registrationId,
    data: JSON.stringify(message),
  });
  // The browser does not say when the worker has shown it.
  await eventually(async () => JSON.stringify(await shown(page)) !== before);
  await devtools.detach();
}

interface Shown {
  readonly title: string;
  readonly body: string;
  readonly tag: string;
}

function shown(page: Page): Promise<Shown[]> {
  return page.evaluate(async () => {
    const { serviceWorker } = navigator as unknown as {
      serviceWorker: { getRegistration(url: string): Promise<{ getNotifications(): Promise<Shown[]> } | undefined> };
    };
    const registration = await serviceWorker.getRegistration('/demo/push-worker.js');
    const notifications = (await registration?.getNotifications()) ?? [];
    return notifications.map(({ title, body, tag }) => ({ title, body, tag }));
  });
}
