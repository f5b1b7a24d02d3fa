import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { deadLetterOperations } from './api/dead-letter-operations.ts';
import { startTestApi, type TestApi } from './api/test-api.ts';
import { personKey } from './base/ids.ts';
import { VirtualClock } from './base/virtual-clock.ts';
import { describeInApp } from './content/describe-in-app.ts';
import type { DeadLetter } from './deliver/dead-letter-store.ts';
import { DeadLetterStoreMemory } from './deliver/dead-letter-store-memory.ts';
import type { DeadLetterService, RedriveOrder } from './deliver/dead-letters.ts';
import { InboxServiceStore } from './inbox/inbox-service-store.ts';
import { InboxStoreMemory } from './inbox/inbox-store-memory.ts';
import { type DlqWish, runDlq } from './run-dlq.ts';

const clock = new VirtualClock(Date.UTC(2026, 2, 10, 12));
const letters = new DeadLetterStoreMemory();
const orders: RedriveOrder[] = [];
const service: DeadLetterService = {
  page: letters.page.bind(letters),
  count: letters.count.bind(letters),
  async redrive(_tenant, order) {
    orders.push(order);
    return { sent: 1204, skipped: { read: 300, noEndpoint: 10 }, next: null };
  },
};
let api: TestApi;
before(async () => {
  const cursorSecret = new Uint8Array(32);
  const inbox = new InboxServiceStore({ store: new InboxStoreMemory(), clock, cursorSecret, describe: describeInApp });
  api = await startTestApi(inbox, deadLetterOperations(service));
  const letter: DeadLetter = {
    name: 'n_1 push 1 d_1',
    person: personKey('default', 'ana'),
    channel: 'push',
    endpoint: 'd_1',
    state: 'failed',
    provider: 'apns',
    code: 'BadTopic',
    attempts: 1,
    version: 3,
    diedAtMs: clock.now(),
  };
  await letters.put([letter, { ...letter, name: 'n_2 email 1 address', channel: 'email', provider: null, code: null }]);
});
after(() => api.stop());

const run = (what: DlqWish, filter: Record<string, string | undefined> = {}, isDryRun = false): Promise<string[]> =>
  Array.fromAsync(runDlq({ what, filter, isDryRun, url: api.origin, token: 'operator:x', isJson: false, clock }));

test('V5: dead letters are listed and counted, by filter', async () => {
  assert.deepEqual(await run('list', { channel: 'push', code: undefined }), [
    '2026-03-10T12:00:00.000Z  ana  n_1  push  apns  d_1  failed  BadTopic  1 attempts',
  ]);
  assert.equal((await run('list')).length, 2);
  assert.deepEqual(await run('count', { provider: 'apns' }), ['1']);
});

test('V5: a dry run says what would become of them', async () => {
  assert.deepEqual(await run('redrive', { code: 'BadTopic' }, true), [
    'would send 1,204, skip 310: 300 read, 10 noEndpoint',
  ]);
  assert.deepEqual(orders.at(-1), { filter: { code: 'BadTopic' }, isDryRun: true, after: null, max: 1000 });
  assert.deepEqual(await run('redrive'), ['sent 1,204, skipped 310: 300 read, 10 noEndpoint']);
});

test('what is wrong is said', async () => {
  await assert.rejects(run('list', { channel: 'pigeon' }), /CARILLON_REQUEST_INVALID/);
});
