import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { deleteSuppression } from './api/delete-suppression.ts';
import { getSuppression } from './api/get-suppression.ts';
import { listSuppressions } from './api/list-suppressions.ts';
import { putSuppression } from './api/put-suppression.ts';
import { startTestApi, type TestApi } from './api/test-api.ts';
import { VirtualClock } from './base/virtual-clock.ts';
import { describeInApp } from './content/describe-in-app.ts';
import { InboxServiceStore } from './inbox/inbox-service-store.ts';
import { InboxStoreMemory } from './inbox/inbox-store-memory.ts';
import { SuppressionStoreMemory } from './profile/suppression-store-memory.ts';
import { runSuppressions, type SuppressionWish } from './run-suppressions.ts';

const clock = new VirtualClock(Date.UTC(2026, 2, 10, 12));
const suppressions = new SuppressionStoreMemory(clock, 5);
let api: TestApi;
before(async () => {
  const cursorSecret = new Uint8Array(32);
  const inbox = new InboxServiceStore({ store: new InboxStoreMemory(), clock, cursorSecret, describe: describeInApp });
  const operations = [putSuppression(suppressions, clock), deleteSuppression(suppressions)];
  api = await startTestApi(inbox, [listSuppressions(suppressions), getSuppression(suppressions), ...operations]);
});
after(() => api.stop());

const run = async (what: SuppressionWish, address?: string, isJson = false): Promise<string[]> =>
  await Array.fromAsync(runSuppressions({ what, address, url: api.origin, token: 'operator:x', isJson }));

test('addresses are suppressed, shown, listed as lines to keep, and cleared', async () => {
  await clock.advance(1);
  for (const name of ['a', 'b']) await run('add', `${name}@x.example`);
  assert.deepEqual(await run('show', 'A@x.example'), ['a@x.example  manual  2026-03-10T12:00:00.001Z  api']);
  const listed = (await run('list', undefined, true)).map((line) => JSON.parse(line).address);
  assert.deepEqual(listed.sort(), ['a@x.example', 'b@x.example']);
  assert.deepEqual(await run('clear', 'a@x.example'), ['Mail is sent to it again.']);
  assert.equal((await run('list')).length, 1);
});

test('what is wrong is said', async () => {
  await assert.rejects(run('show'), /Which address/);
  await assert.rejects(run('show', 'nobody@x.example'), /CARILLON_SUPPRESSION_UNKNOWN/);
});
