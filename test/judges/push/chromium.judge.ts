/** A real Chromium subscribes with our key, gets our pushes over a push service of this machine, and reads them. */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { type BrowserContext, chromium } from 'playwright-core';
import { makeCertificate } from '../../../scripts/make-certificate.ts';
import { systemClock } from '../../../server/src/base/clock.ts';
import { systemRandom } from '../../../server/src/base/random.ts';
import { PushProviderWebPush } from '../../../server/src/deliver/push/push-provider-webpush.ts';
import { alertOf, deviceOf, retraction } from '../../../server/src/deliver/push/test-push.ts';
import { newVapidKey, vapidKey } from '../../../server/src/deliver/push/vapid.ts';
import type { BrowserKeys } from '../../../server/src/deliver/push/web-push-encryption.ts';
import { chromiumMissing, findChromium } from '../../browser/chromium.ts';
import { ChromiumPushService } from './chromium-push-service.ts';

const executablePath = findChromium();
/** What the worker was pushed, handed on to the page. */
const worker = `
self.addEventListener('install', () => self.skipWaiting());
self.addEventListener('activate', (event) => event.waitUntil(self.clients.claim()));
self.addEventListener('push', (event) => {
  const text = event.data.text();
  const tell = async () => {
    for (const page of await self.clients.matchAll()) page.postMessage(text);
    await self.registration.showNotification('x', { body: text });
  };
  event.waitUntil(tell());
});`;

/** What the test calls. */
const page = `<script>
const pushes = [];
navigator.serviceWorker.addEventListener('message', ({ data }) => pushes.push(data));
async function subscribe(applicationServerKey) {
  await navigator.serviceWorker.register('/worker.js');
  const registration = await navigator.serviceWorker.ready;
  return (await registration.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey })).toJSON().keys;
}
async function nextPush() {
  while (pushes.length === 0) await new Promise((resolve) => setTimeout(resolve, 20));
  return pushes.shift();
}
</script>`;

test('V10: Chromium reads alerts and retractions', { skip: executablePath === null && chromiumMissing }, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'carillon-chromium-'));
  makeCertificate(folder);
  const [key = '', cert = ''] = ['server.key', 'server.pem'].map((name) => readFileSync(join(folder, name), 'utf8'));
  const service = new ChromiumPushService({ key, cert });
  const { flags, endpoint } = await service.listen();
  const site = createServer((request, response) => {
    const isWorker = request.url === '/worker.js';
    response.writeHead(200, { 'content-type': isWorker ? 'text/javascript' : 'text/html' });
    response.end(isWorker ? worker : page);
  });
  await new Promise<void>((resolve) => void site.listen(0, '127.0.0.1', resolve));
  const origin = `http://localhost:${(site.address() as AddressInfo).port}`;
  const browser = await launch(executablePath ?? '', join(folder, 'profile'), flags);
  const vapid = vapidKey(newVapidKey());
  const push = new PushProviderWebPush(
    { keys: [vapid], subject: 'mailto:ops@app.example', endpoints: { hosts: [], isLocalAllowed: true } },
    { clock: systemClock, random: systemRandom },
  );
  try {
    await browser.grantPermissions(['notifications'], { origin });
    const tab = await browser.newPage();
    await tab.goto(origin);
    const keys = await tab.evaluate<BrowserKeys>(`subscribe('${vapid.publicKey}')`);
    const address = { kind: 'subscription', endpoint, ...keys, vapidKey: vapid.publicKey } as const;
    const device = deviceOf('webpush', address, { app: 'https://app.example' });
    for (const message of [alertOf(), retraction]) {
      const request = push.render(message, device, systemClock.now());
      assert.ok(request !== null);
      assert.deepEqual(await push.send(request, device), { kind: 'accepted', providerId: null });
      assert.equal(await tab.evaluate('nextPush()'), request.body);
    }
  } finally {
    await Promise.all([push.close(), browser.close()]);
    site.closeAllConnections();
    await Promise.all([service.close(), new Promise((resolve) => site.close(resolve))]);
    rmSync(folder, { recursive: true });
  }
});

/** A profile of its own, since private windows have no push; the usual flags of tests would switch push off. */
function launch(program: string, profile: string, flags: readonly string[]): Promise<BrowserContext> {
  return chromium.launchPersistentContext(profile, {
    executablePath: program,
    headless: true,
    ignoreDefaultArgs: ['--headless', '--disable-background-networking', '--disable-sync'],
    args: ['--headless=new', '--no-sandbox', '--disable-gpu', '--no-first-run', ...flags],
  });
}
