import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { simulateEvent } from './api/simulate-event.ts';
import { startTestApi, type TestApi } from './api/test-api.ts';
import { VirtualClock } from './base/virtual-clock.ts';
import { describeInApp } from './content/describe-in-app.ts';
import { builtInContent } from './content/live-content.ts';
import { InboxServiceStore } from './inbox/inbox-service-store.ts';
import { InboxStoreMemory } from './inbox/inbox-store-memory.ts';
import { ProfileStoreMemory } from './profile/profile-store-memory.ts';
import { runSimulate } from './run-simulate.ts';
import { StoredRelations } from './shard/relation-reader.ts';
import { Simulator } from './shard/simulator.ts';

let api: TestApi;
const folder = mkdtempSync(join(tmpdir(), 'carillon-simulate-'));
const file = join(folder, 'event.json');
before(async () => {
  const clock = new VirtualClock(Date.UTC(2026, 2, 10, 12));
  const store = new InboxStoreMemory();
  const profiles = new ProfileStoreMemory(clock);
  const relations = new StoredRelations(profiles, null);
  const simulator = new Simulator({ store, profiles, relations, channels: [], catalogue: builtInContent });
  const inbox = new InboxServiceStore({ store, clock, cursorSecret: new Uint8Array(32), describe: describeInApp });
  api = await startTestApi(inbox, [simulateEvent({ simulator, content: builtInContent, clock })]);
});
after(async () => {
  await api.stop();
  rmSync(folder, { recursive: true });
});

const like = {
  id: 'e1',
  source: 'posts',
  type: 'post.liked',
  time: '2026-03-10T12:00:00Z',
  actor: { id: 'a1' },
  object: { kind: 'post', id: 'p1', owner: 'r1' },
  to: { users: ['r1', 'a1'] },
};
const ask = (event: unknown, isJson = false, url = api.origin) => {
  writeFileSync(file, JSON.stringify(event));
  return runSimulate({ file, url, token: 'operator:admin', isJson });
};

test('each person, and each channel in plain words', async () => {
  const lines = await ask(like);
  assert.deepEqual(
    lines.map((line) => line.replace(/ {2,}/g, ' ').slice(0, 12)),
    ['r1', ' inApp send ', ' push skip N', ' email skip ', 'a1', ' inApp skip ', ' push skip N', ' email skip '],
  );
  assert.match(lines[5] ?? '', /yourself/);
  const { recipients } = JSON.parse((await ask(like, true)).join('\n'));
  assert.deepEqual(
    recipients.map(({ reason }: { reason: string }) => reason),
    ['default', 'self'],
  );
});

test('what is wrong is said in words', async () => {
  await assert.rejects(ask({ ...like, type: 'post.likd' }), /CARILLON_EVENT_TYPE_UNKNOWN: /);
  await assert.rejects(ask(like, false, 'http://127.0.0.1:1'), /does not answer .* Is the service running\?/);
});
