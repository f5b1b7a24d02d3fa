import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { BroadcastView } from '@carillon/contract/broadcasts.ts';
import { AnnouncementServiceStore } from './announce/announcement-service-store.ts';
import { AnnouncementStoreMemory } from './announce/announcement-store-memory.ts';
import { broadcastOperations } from './api/broadcast-operations.ts';
import { startTestApi, type TestApi } from './api/test-api.ts';
import { FanoutStoreMemory } from './audience/fanout-store-memory.ts';
import { seededRandom } from './base/random.ts';
import { VirtualClock } from './base/virtual-clock.ts';
import { describeInApp } from './content/describe-in-app.ts';
import { builtInTypes } from './content/type-catalogue.ts';
import { InboxServiceStore } from './inbox/inbox-service-store.ts';
import { InboxStoreMemory } from './inbox/inbox-store-memory.ts';
import { type BroadcastRequest, runBroadcast } from './run-broadcast.ts';

let api: TestApi;
const folder = mkdtempSync(join(tmpdir(), 'carillon-broadcast-'));
const file = join(folder, 'broadcast.json');
before(async () => {
  const clock = new VirtualClock(Date.UTC(2026, 2, 10, 12));
  const store = new InboxStoreMemory();
  const service = new AnnouncementServiceStore({
    announcements: new AnnouncementStoreMemory(),
    fanouts: new FanoutStoreMemory(),
    types: builtInTypes,
    selfApproval: true,
    clock,
    random: seededRandom(1),
  });
  const inbox = new InboxServiceStore({ store, clock, cursorSecret: new Uint8Array(32), describe: describeInApp });
  api = await startTestApi(inbox, broadcastOperations(service));
  const content = { type: 'system.notice', object: { kind: 'notice', id: 'n1' } };
  writeFileSync(file, JSON.stringify({ name: 'Maintenance', content, to: { all: true } }));
});
after(async () => {
  await api.stop();
  rmSync(folder, { recursive: true });
});

const run = (ask: BroadcastRequest['ask'], more: Partial<BroadcastRequest> = {}) =>
  runBroadcast({ url: api.origin, token: 'operator:admin', isJson: false, ask, ...more });

test('one is written, approved, scheduled, shown and cancelled from a terminal', async () => {
  const [written = ''] = await run({ kind: 'create', file });
  const [id = ''] = written.split(' ');
  assert.match(written, /^b_\w+ {2}draft .* 0 people {2}Maintenance$/);
  assert.match((await run({ kind: 'approve', id, at: undefined }))[0] ?? '', / approved /);
  const at = '2026-03-11T08:00:00Z';
  assert.match((await run({ kind: 'start', id, at }))[0] ?? '', / scheduled /);
  const shown = await run({ kind: 'show', id });
  assert.match(shown.join('\n'), /system\.notice to \{"all":true\}\n {2}starts at 2026-03-11T08:00:00\.000Z\n/);
  assert.deepEqual(
    shown.slice(-3).map((line) => line.trim().split(/ {2,}/)[1]),
    ['create', 'approve', 'start'],
  );
  assert.match((await run({ kind: 'cancel', id, at: undefined }))[0] ?? '', / cancelled /);
  const listed = JSON.parse((await run({ kind: 'list' }, { isJson: true })).join('\n')) as { items: BroadcastView[] };
  assert.deepEqual(
    listed.items.map(({ status }) => status),
    ['cancelled'],
  );
});

test('what is refused is told with its code, and who may not, by their role', async () => {
  await assert.rejects(run({ kind: 'pause', id: 'b_none', at: undefined }), /^Error: CARILLON_BROADCAST_UNKNOWN: /);
  await assert.rejects(run({ kind: 'create', file }, { token: 'operator:support' }), /CARILLON_AUTH_FORBIDDEN/);
  await assert.rejects(run({ kind: 'list' }, { url: 'http://127.0.0.1:1' }), /does not answer/);
});
