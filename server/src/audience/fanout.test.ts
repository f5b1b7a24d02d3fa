/** Who waits for whom in a fan-out; that nothing gets lost over crashes is proven in test/sim/fanout-simulation.test.ts. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { type AudienceKey, audienceKey, splitAudienceKey } from '../base/ids.ts';
import { limits } from '../base/limits.ts';
import { VirtualClock } from '../base/virtual-clock.ts';
import { type PackedBatch, RecordView } from '../log/record.ts';
import { sampleBatch } from '../log/sample-records.ts';
import type { AudienceSource } from './audience-source.ts';
import { AudienceStoreMemory } from './audience-store-memory.ts';
import { BroadcastStoreMemory } from './broadcast-store-memory.ts';
import { Broadcasting } from './broadcasting.ts';
import { Fanout } from './fanout.ts';
import type { FanoutJob } from './fanout-job.ts';
import { FanoutStoreMemory } from './fanout-store-memory.ts';

const [fans, thread] = [audienceKey('default', 'followers:u1'), audienceKey('default', 'thread:p1')];

function job(event: string, audience: AudienceKey, shard = 0): FanoutJob {
  const record = Buffer.from(sampleBatch([{ id: event, recipients: [] }]).bytes);
  return { id: `f_${event}`, shard, audience, source: 'posts', event, acceptedMs: 1, record };
}

async function settle(): Promise<void> {
  for (let turn = 0; turn < 100; turn++) await new Promise((resolve) => setImmediate(resolve));
}

/** Fan-out in chunks of two; `appended` tells which event came to whom, in order. */
async function scene(t: TestContext, members: readonly [AudienceKey, readonly string[]][], source?: AudienceSource) {
  const clock = new VirtualClock();
  const store = new FanoutStoreMemory();
  const audiences = new AudienceStoreMemory();
  for (const [audience, users] of members) {
    const joined = { audience, present: true, notify: null, seq: null, timeMs: 1, takenMs: 1 };
    await audiences.apply(users.map((user) => ({ ...joined, user })));
  }
  const broadcasts = new BroadcastStoreMemory();
  const kept: string[] = [];
  const appended: string[] = [];
  const failures: unknown[] = [];
  const gate: { room: Promise<void> | undefined; refuse: number } = { room: undefined, refuse: 0 };
  const fanout = new Fanout({
    store,
    source: source ?? audiences,
    broadcasting: new Broadcasting({
      audiences,
      broadcasts,
      above: 5,
      elsewhere: new Set(),
      kept: ({ id }) => kept.push(id),
    }),
    shards: 1,
    chunkMembers: 2,
    clock,
    async append(batch) {
      if (gate.refuse-- > 0) throw new Error('the log is away');
      appended.push(...told(batch));
    },
    room: async () => gate.room,
    failed: (error) => failures.push(error),
  });
  t.after(() => fanout.stop());
  const begin = async (...jobs: FanoutJob[]) => {
    fanout.add(await store.begin(jobs));
    await settle();
  };
  return { clock, store, audiences, broadcasts, kept, fanout, gate, appended, failures, begin };
}

function told({ bytes }: PackedBatch): string[] {
  const buffer = Buffer.from(bytes);
  const view = new RecordView();
  const found: string[] = [];
  for (let at = 0; at < buffer.length; ) {
    at = view.move(buffer, at);
    assert.equal(view.lane, 'bulk');
    assert.notEqual(view.part, '');
    assert.equal(view.isToAudience, false);
    found.push(`${view.text('id')} ${view.recipients().join()}`);
  }
  return found;
}

test('F1: all members come, chunk by chunk, and it is done; an empty audience is done at once', async (t) => {
  const { begin, appended, store, fanout } = await scene(t, [[fans, ['a', 'b', 'c', 'd', 'e']]]);
  await begin(job('e1', fans), job('e2', thread));
  assert.deepEqual(appended, ['e1 a,b', 'e1 c,d', 'e1 e']);
  assert.equal(fanout.waiting, 0);
  const done = (await store.list({ tenant: 'default', audience: null }, 10)).map(({ event, recipients }) => [
    event,
    recipients,
  ]);
  assert.deepEqual(done, [
    ['e2', 0],
    ['e1', 5],
  ]);
});

test('audiences take turns; events of one audience go one after another', async (t) => {
  const members: [AudienceKey, string[]][] = [
    [fans, ['a', 'b', 'c', 'd', 'e']],
    [thread, ['x']],
  ];
  const { begin, appended } = await scene(t, members);
  await begin(job('e1', fans), job('e2', fans), job('e3', thread));
  assert.deepEqual(appended, ['e1 a,b', 'e3 x', 'e1 c,d', 'e1 e', 'e2 a,b', 'e2 c,d', 'e2 e']);
});

test('F4: nothing is written while the lane has no room', async (t) => {
  const { begin, appended, gate } = await scene(t, [[fans, ['a', 'b', 'c']]]);
  let open = (): void => {};
  gate.room = new Promise((resolve) => {
    open = resolve;
  });
  await begin(job('e1', fans));
  assert.deepEqual(appended, []);
  open();
  await settle();
  assert.deepEqual(appended, ['e1 a,b', 'e1 c']);
});

test('what fails goes on later where it was, ever more patiently; others do not wait for it', async (t) => {
  const own = new AudienceStoreMemory();
  const joined = { present: true, notify: null, seq: null, timeMs: 1, takenMs: 1 };
  await own.apply(['a', 'b', 'c'].map((user) => ({ ...joined, audience: fans, user })));
  await own.apply([{ ...joined, audience: thread, user: 'x' }]);
  let isAway = false;
  let asked = 0;
  const source: AudienceSource = {
    members: async (audience, after, max) => {
      if (audience === fans && after !== null) asked++;
      if (isAway && audience === fans && after !== null) throw new Error('away');
      return own.members(audience, after, max);
    },
  };
  const { begin, appended, failures, clock } = await scene(t, [], source);
  isAway = true;
  await begin(job('e1', fans));
  assert.deepEqual(appended, ['e1 a,b']);
  await begin(job('e2', thread));
  assert.deepEqual(appended, ['e1 a,b', 'e2 x']);
  for (let time = 0; time < 200; time++) {
    clock.advance(limits.fanoutRetryMs.first);
    await settle();
  }
  assert.equal(failures.length, asked);
  assert.ok(asked > 6 && asked < 12, `asked ${asked} times in 200 s`);
  isAway = false;
  clock.advance(limits.fanoutRetryMs.last);
  await settle();
  assert.deepEqual(appended, ['e1 a,b', 'e2 x', 'e1 c']);
});

test('a chunk that could not be appended is written again whole', async (t) => {
  const { begin, appended, gate, clock, failures } = await scene(t, [[fans, ['a', 'b', 'c']]]);
  gate.refuse = 1;
  await begin(job('e1', fans));
  assert.equal(failures.length, 1);
  clock.advance(limits.fanoutRetryMs.first);
  await settle();
  assert.deepEqual(appended, ['e1 a,b', 'e1 c']);
});

test('what a shard left is taken up, once; a shard that is let go of is not worked at', async (t) => {
  const { store, fanout, appended, gate } = await scene(t, [[fans, ['a']]]);
  await store.begin([job('e1', fans, 0), job('e2', fans, 1)]);
  let open = (): void => {};
  gate.room = new Promise((resolve) => {
    open = resolve;
  });
  await fanout.takeUp(0);
  await fanout.takeUp(0);
  await fanout.takeUp(1);
  assert.equal(fanout.waiting, 2);
  fanout.drop(0);
  assert.equal(fanout.waiting, 1);
  open();
  await settle();
  assert.deepEqual(appended, ['e2 a']);
  assert.equal((await store.pending(0, null, 10)).length, 1);
});

test('F3: what is for more members than the threshold is kept once, and written to those who asked to be pushed', async (t) => {
  const users = ['a', 'b', 'c', 'd', 'e'];
  const { begin, appended, audiences, broadcasts, kept, store } = await scene(t, [[fans, users]]);
  await begin(job('e1', fans));
  assert.deepEqual(appended, ['e1 a,b', 'e1 c,d', 'e1 e'], 'at the threshold it is written to each');
  assert.deepEqual(kept, []);
  const joined = { audience: fans, present: true, seq: null, timeMs: 2, takenMs: 2 };
  await audiences.apply(['d', 'e', 'f'].map((user) => ({ ...joined, user, notify: true })));
  await begin(job('e2', fans));
  assert.deepEqual(appended.slice(3), ['e2 d,e', 'e2 f']);
  assert.deepEqual(kept, ['f_e2']);
  const [one] = await broadcasts.recent(splitAudienceKey(fans).tenant, 10);
  assert.deepEqual(one, { id: 'f_e2', audience: fans, type: 'post.liked', acceptedMs: 1, number: 1 });
  const [done] = await store.list({ tenant: 'default', audience: fans }, 1);
  assert.deepEqual([done?.kept, done?.recipients, done?.doneMs !== null], [true, 3, true]);
});

test('F3: one that was kept stays so after a crash, although its audience is small by now', async (t) => {
  const { begin, appended, audiences, gate, clock, fanout } = await scene(t, [[fans, ['a', 'b', 'c', 'd', 'e', 'f']]]);
  const change = { audience: fans, seq: null, timeMs: 2, takenMs: 2 };
  await audiences.apply([{ ...change, user: 'a', present: true, notify: true }]);
  gate.refuse = 1;
  await begin(job('e1', fans));
  await audiences.apply(['e', 'f'].map((user) => ({ ...change, user, present: false, notify: null })));
  fanout.drop(0);
  await fanout.takeUp(0);
  clock.advance(limits.fanoutRetryMs.first);
  await settle();
  assert.deepEqual(appended, ['e1 a']);
});
