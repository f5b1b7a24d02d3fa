import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { AudienceServiceStore } from '../audience/audience-service-store.ts';
import { AudienceStoreMemory } from '../audience/audience-store-memory.ts';
import type { FanoutJob } from '../audience/fanout-job.ts';
import { FanoutStoreMemory } from '../audience/fanout-store-memory.ts';
import { audienceKey } from '../base/ids.ts';
import { limits } from '../base/limits.ts';
import { VirtualClock } from '../base/virtual-clock.ts';
import { describeInApp } from '../content/describe-in-app.ts';
import { InboxServiceStore } from '../inbox/inbox-service-store.ts';
import { InboxStoreMemory } from '../inbox/inbox-store-memory.ts';
import { audienceOperations } from './audience-operations.ts';
import { startTestApi, type TestApi } from './test-api.ts';

const token = 'producer:posts';
const fans = audienceKey('default', 'followers:u1');
const ndjson = { 'content-type': 'application/x-ndjson' };

describe('the API of audiences', () => {
  const clock = new VirtualClock(Date.UTC(2026, 2, 10, 12));
  let audiences: AudienceStoreMemory;
  let fanouts: FanoutStoreMemory;
  let service: AudienceServiceStore;
  let waiting = 0;
  let api: TestApi;

  beforeEach(async () => {
    audiences = new AudienceStoreMemory();
    fanouts = new FanoutStoreMemory();
    waiting = 0;
    const openKinds = new Set(['followers']);
    service = new AudienceServiceStore({ audiences, fanouts, clock, openKinds, waiting: () => waiting });
    const store = new InboxStoreMemory();
    const cursorSecret = new Uint8Array(32);
    const inbox = new InboxServiceStore({ store, clock, cursorSecret, describe: describeInApp });
    api = await startTestApi(inbox, audienceOperations(service, clock));
  });
  afterEach(async () => {
    await api.stop();
    assert.deepEqual(api.failures, []);
  });

  const put = (path: string, body?: unknown, as = token) =>
    api.call('PUT', `/v1/subscriptions/${path}`, { token: as, body });
  const members = async () => (await audiences.members(fans, null, 100)).members;
  const send = (lines: readonly unknown[], headers: Record<string, string> = ndjson) =>
    api.call('POST', '/v1/subscriptions', {
      token,
      headers,
      body: lines.map((line) => JSON.stringify(line)).join('\n'),
    });

  test('PUT makes a member, with or without a body, and DELETE takes it away, each again without effect', async () => {
    const plain = { audience: 'followers:u1', user: 'bo', notify: false };
    for (const path of ['followers:u1/bo', 'followers:u1/bo', 'followers%3Au1/bo']) {
      const { status, json } = await put(path);
      assert.deepEqual([status, json], [200, plain]);
    }
    assert.deepEqual((await put('followers:u1/bo', { notify: true })).json, { ...plain, notify: true });
    assert.deepEqual((await put('followers:u1/bo', {})).json, { ...plain, notify: true }, 'it stays');
    assert.deepEqual(await members(), [{ user: 'bo', notify: true }]);
    for (let time = 0; time < 2; time++) {
      assert.equal((await api.call('DELETE', '/v1/subscriptions/followers:u1/bo', { token })).status, 204);
      assert.deepEqual(await members(), []);
    }
    assert.deepEqual((await put('followers:u1/bo')).json, plain);
  });

  test('names with slashes, spaces and more are one path segment each', async () => {
    const audience = 'topic/a b?#%:é😀';
    const { status, json } = await put(`${encodeURIComponent(audience)}/${encodeURIComponent('u/1 é')}`);
    assert.deepEqual([status, json], [200, { audience, user: 'u/1 é', notify: false }]);
    const seen = await api.call('GET', `/v1/subscriptions/${encodeURIComponent(audience)}`, { token });
    assert.deepEqual(seen.json, { audience, count: 1, fanouts: [] });
  });

  test('a call holds against events that lie ahead of our clock', async () => {
    const ahead = { audience: fans, user: 'bo', notify: null, seq: null, takenMs: clock.now() };
    await audiences.apply([{ ...ahead, present: true, timeMs: clock.now() + limits.eventAheadMs }]);
    await api.call('DELETE', '/v1/subscriptions/followers:u1/bo', { token });
    assert.deepEqual(await members(), []);
    await put('followers:u1/bo');
    assert.equal((await members()).length, 1);
  });

  test('what does not fit is refused with its place', async () => {
    const codes = async (answer: Promise<{ status: number; json: { code: string; errors?: { path: string }[] } }>) => {
      const { status, json } = await answer;
      return [status, json.code, json.errors?.[0]?.path];
    };
    const invalid = 'CARILLON_REQUEST_INVALID';
    assert.deepEqual(await codes(put('followers:u1/bo', { notify: 'yes' })), [400, invalid, '/notify']);
    assert.deepEqual(await codes(put('followers:u1/bo', { nottify: true })), [400, invalid, '/nottify']);
    assert.deepEqual(await codes(put('followers:u1/bo', 'no json')), [400, 'CARILLON_REQUEST_MALFORMED', undefined]);
    assert.deepEqual(await codes(put(`${'x'.repeat(321)}/bo`)), [400, invalid, 'params/audience']);
    assert.deepEqual(await codes(put('followers:u1/b%07o')), [400, invalid, 'params/user']);
    assert.deepEqual(await codes(put('followers:u1/bo', undefined, 'user:ana')), [
      403,
      'CARILLON_AUTH_FORBIDDEN',
      undefined,
    ]);
    assert.deepEqual(await codes(send([], { 'content-type': 'application/json' })), [
      415,
      'CARILLON_REQUEST_MEDIA_TYPE',
      undefined,
    ]);
    assert.deepEqual(await members(), []);
  });

  test('F2: a bulk import answers for each line, and a bad one fails by itself', async () => {
    await put('followers:u1/old');
    const line = { audience: 'followers:u1', user: 'bo' };
    const { status, json } = await send([
      line,
      { ...line, user: 'cy', notify: true },
      { ...line, user: '' },
      { ...line, extra: 1 },
      7,
      { ...line, user: 'old', subscribed: false },
    ]);
    assert.equal(status, 200);
    assert.deepEqual([json.taken, json.rejected], [3, 3]);
    assert.deepEqual(
      json.results.map(({ status: result, error }: { status: string; error?: { path: string } }) => [
        result,
        error?.path,
      ]),
      [
        ['ok', undefined],
        ['ok', undefined],
        ['rejected', '/user'],
        ['rejected', '/extra'],
        ['rejected', ''],
        ['ok', undefined],
      ],
    );
    assert.deepEqual(await members(), [
      { user: 'bo', notify: false },
      { user: 'cy', notify: true },
    ]);
  });

  test('F2: a line of the past does not undo what came after it', async () => {
    await put('followers:u1/bo');
    const time = new Date(clock.now() - 1000).toISOString();
    await send([{ audience: 'followers:u1', user: 'bo', subscribed: false, time }]);
    assert.equal((await members()).length, 1);
    // A time ahead of us counts as now.
    await send([{ audience: 'followers:u1', user: 'cy', time: '2999-01-01T00:00:00Z' }]);
    clock.advance(1);
    await api.call('DELETE', '/v1/subscriptions/followers:u1/cy', { token });
    assert.equal((await members()).length, 1);
  });

  test('blank lines are passed over; too many lines are refused as a whole', async () => {
    const body = `\n  \n${JSON.stringify({ audience: 'followers:u1', user: 'bo' })}\r\n\n`;
    const blank = await api.call('POST', '/v1/subscriptions', { token, headers: ndjson, body });
    assert.equal(blank.json.taken, 1);
    const many = 'x\n'.repeat(limits.subscriptionLinesMax + 1);
    const refused = await api.call('POST', '/v1/subscriptions', { token, headers: ndjson, body: many });
    assert.deepEqual([refused.status, refused.json.code], [413, 'CARILLON_REQUEST_TOO_LARGE']);
  });

  test('S3: another tenant sees and changes its own only', async () => {
    await put('followers:u1/bo');
    const other = 'producer:posts@other';
    assert.equal((await api.call('GET', '/v1/subscriptions/followers:u1', { token: other })).json.count, 0);
    await api.call('DELETE', '/v1/subscriptions/followers:u1/bo', { token: other });
    assert.equal((await members()).length, 1);
  });

  test('F1: progress is seen by the producer for an audience, and by operators for all', async () => {
    const job: FanoutJob = {
      id: 'f_1',
      shard: 0,
      audience: fans,
      source: 'posts',
      event: 'e1',
      acceptedMs: clock.now(),
      record: Buffer.alloc(0),
    };
    const mine = { ...job, id: 'f_2', audience: audienceKey('default', 'thread:p1'), event: 'e2' };
    const theirs = { ...job, id: 'f_3', audience: audienceKey('other', 'thread:p1'), event: 'e3' };
    await fanouts.begin([job, mine, theirs]);
    await fanouts.advance(mine, { after: 'x', chunks: 2, recipients: 2000, kept: false });
    await fanouts.finish(job, { after: null, chunks: 1, recipients: 3, kept: true }, clock.now());
    const seen = (await api.call('GET', '/v1/admin/fanouts', { token: 'operator:op' })).json.items;
    const acceptedAt = new Date(clock.now()).toISOString();
    const common = { source: 'posts', acceptedAt };
    assert.deepEqual(seen, [
      {
        ...common,
        id: 'f_2',
        audience: 'thread:p1',
        event: 'e2',
        chunks: 2,
        recipients: 2000,
        kept: false,
        doneAt: null,
      },
      {
        ...common,
        id: 'f_1',
        audience: 'followers:u1',
        event: 'e1',
        chunks: 1,
        recipients: 3,
        kept: true,
        doneAt: acceptedAt,
      },
    ]);
    const own = (await api.call('GET', '/v1/subscriptions/thread:p1', { token })).json;
    assert.deepEqual(own, { audience: 'thread:p1', count: 0, fanouts: [seen[0]] });
    assert.equal((await api.call('GET', '/v1/admin/fanouts', { token })).status, 403);
  });

  test('E5: an audience nobody ever joined is unknown, followers never are; a full queue takes no more', async () => {
    await put('thread:p1/bo');
    await api.call('DELETE', '/v1/subscriptions/thread:p1/bo', { token });
    const unknown = await service.unknown('default', ['thread:p1', 'thread:p2', 'followers:x', 'folowers:x']);
    assert.deepEqual([...unknown], ['thread:p2', 'folowers:x']);
    waiting = limits.fanoutsWaitingMax;
    await assert.rejects(service.unknown('default', ['thread:p1']), { code: 'CARILLON_OVERLOADED' });
  });
});
