import assert from 'node:assert/strict';
import { test } from 'node:test';
import { devToken } from '../../server/src/api/dev-token.ts';
import { postEvents } from '../../server/src/api/post-events.ts';
import { startTestApi } from '../../server/src/api/test-api.ts';
import { DevTokens } from '../../server/src/auth/dev-tokens.ts';
import { personKey } from '../../server/src/base/ids.ts';
import { seededRandom } from '../../server/src/base/random.ts';
import { VirtualClock } from '../../server/src/base/virtual-clock.ts';
import { describeInApp } from '../../server/src/content/describe-in-app.ts';
import { builtInTypes } from '../../server/src/content/type-catalogue.ts';
import { InboxServiceStore } from '../../server/src/inbox/inbox-service-store.ts';
import { InboxStoreMemory } from '../../server/src/inbox/inbox-store-memory.ts';
import { noonMs, personWrite, testItem, testMember } from '../../server/src/inbox/test-items.ts';
import { Intake } from '../../server/src/intake/intake.ts';
import type { IntakeLog } from '../../server/src/intake/intake-log.ts';
import { EventLogMemory } from '../../server/src/log/event-log-memory.ts';
import { type ApiDocument, complaint } from '../fuzz/api-document.ts';
import { fuzzApi } from '../fuzz/fuzz-api.ts';

test('A7, R3: hostile requests get no 5xx and no undocumented answer', async () => {
  const store = new InboxStoreMemory();
  const person = personKey('default', 'ana');
  const items = Array.from({ length: 30 }, (_, index) =>
    testItem(person, `e-${index}`, noonMs + index, { revision: index + 1 }),
  );
  const members = items.map((item) => ({ item: item.id, revision: 1, members: [testMember('bo')] }));
  await store.write(0, [personWrite(person, items, { members })], [0, 0, 0]);
  const cursorSecret = new Uint8Array(32).fill(7);
  const clock = new VirtualClock(noonMs);
  const api = await startTestApi(new InboxServiceStore({ store, clock, cursorSecret, describe: describeInApp }), [
    postEvents(new Intake({ log: memoryLog(), types: builtInTypes, clock })),
    devToken(new DevTokens('a secret of at least thirty-two bytes', clock, seededRandom(1))),
  ]);
  try {
    const tokens = { user: 'user:ana', producer: 'producer:posts', operator: 'operator:root' };
    const known = [...items.map((item) => item.id), 'post.liked', 'reactions'];
    const { statuses } = await fuzzApi({ origin: api.origin, tokens, known }, 300, 20260310);
    for (const status of [200, 400, 401, 403, 404, 405, 413, 415]) {
      assert.ok(statuses.has(status), `${status} was never answered: the fuzzer does not reach far enough`);
    }
    assert.deepEqual(api.failures, []);
  } finally {
    await api.stop();
  }
});

function memoryLog(): IntakeLog {
  const log = new EventLogMemory();
  return { append: (batch) => log.append(batch), waitingBytes: () => 0, unappliedBytes: () => 0, shards: 4 };
}

test('R3: the judge of the fuzzer objects to what is not documented', () => {
  const document: ApiDocument = {
    operations: [
      {
        method: 'GET',
        path: '/v1/things/{id}',
        caller: null,
        parameters: [],
        bodies: {},
        answers: { 200: ['application/json'], 400: ['application/problem+json'] },
      },
    ],
    resolve: (schema) => schema,
  };
  const judge = (method: string, url: string, status: number, contentType: string) =>
    complaint(document, { method, url, status, contentType });
  assert.equal(judge('GET', '/v1/things/1?x=1', 200, 'application/json; charset=utf-8'), null);
  assert.equal(judge('HEAD', '/v1/things/1', 200, 'application/json'), null);
  assert.equal(judge('PUT', '/v1/things/1', 405, 'application/problem+json'), null);
  assert.equal(judge('GET', '/v1/nothing', 404, 'application/problem+json'), null);
  assert.match(judge('GET', '/v1/things/1', 500, 'application/problem+json') ?? '', /answered 500/);
  assert.match(judge('GET', '/v1/things/1', 404, 'application/problem+json') ?? '', /does not document/);
  assert.match(judge('GET', '/v1/things/1', 200, 'text/html') ?? '', /documented are/);
  assert.match(judge('GET', '/v1/nothing', 200, 'application/json') ?? '', /nothing is documented/);
  assert.match(judge('PUT', '/v1/things/1', 200, 'application/problem+json') ?? '', /nothing is documented/);
});
