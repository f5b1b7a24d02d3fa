/** What processes of a cluster owe each other, case by case; `test/sim/cluster-simulation.test.ts` mixes it all. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { ActedEvent } from '@carillon/contract/event.ts';
import type { ServerFrame } from '@carillon/contract/stream.ts';
import { ClusterProcess, memoryAudiences, type SharedServices } from '../../../test/sim/cluster-process.ts';
import { Faults, turn } from '../../../test/sim/faults.ts';
import { SimulatedGroup } from '../../../test/sim/simulated-group.ts';
import type { Role } from '../base/config-schema.ts';
import { audienceKey, defaultTenant, personKey } from '../base/ids.ts';
import { limits } from '../base/limits.ts';
import { seededRandom } from '../base/random.ts';
import { VirtualClock } from '../base/virtual-clock.ts';
import { BusHub } from '../deliver/realtime/bus-memory.ts';
import { PresenceMemory } from '../deliver/realtime/presence-memory.ts';
import { InboxStoreMemory } from '../inbox/inbox-store-memory.ts';
import { EventLogMemory } from '../log/event-log-memory.ts';
import { usualMemory } from '../shard/shard-memory.ts';

const r1 = personKey('default', 'r1');

function like(actor: string, post = 'p1'): ActedEvent {
  const object = { kind: 'post', id: post };
  const id = `${actor}-${post}`;
  return {
    id,
    source: 's',
    type: 'post.liked',
    time: '2026-03-10T11:00:00Z',
    actor: { id: actor },
    object,
    to: { user: 'r1' },
  };
}

/** Lets everything go on that waits for no time, then a little time. */
async function settle(clock: VirtualClock, ms = 20): Promise<void> {
  for (let passed = 0; passed <= ms; passed++) {
    for (let turns = 0; turns < 5; turns++) await turn();
    clock.advance(1);
  }
}

async function scene(t: TestContext, sets: readonly (readonly Role[])[], broadcastAbove?: number) {
  const clock = new VirtualClock();
  const store = new InboxStoreMemory();
  const hub = new BusHub();
  const services: SharedServices = {
    shards: 2,
    log: new EventLogMemory(),
    store,
    hub,
    presence: new PresenceMemory(clock),
    group: new SimulatedGroup(2),
    clock,
    faults: new Faults(seededRandom(1), { crashOneIn: 0, failOneIn: 0, slowOneIn: 0 }),
    memory: usualMemory,
    behind: async () => [0, 0, 0],
    audiences: memoryAudiences(broadcastAbove),
  };
  const started: ClusterProcess[] = [];
  const start = async (roles: readonly Role[]): Promise<ClusterProcess> => {
    const process = await ClusterProcess.start(services, roles, `p${started.length}`);
    started.push(process);
    return process;
  };
  t.after(async () => {
    for (const process of started) if (!process.life.isDead) await process.engine.stop();
  });
  const processes: ClusterProcess[] = [];
  for (const roles of sets) processes.push(await start(roles));
  return { clock, store, hub, services, processes, start };
}

/** A stream of r1: what it was shown. */
async function open(process: ClusterProcess, clock: VirtualClock): Promise<ServerFrame[]> {
  const frames: ServerFrame[] = [];
  process.front.feed.open(
    r1,
    0,
    (catchup) => frames.push(...catchup.frames),
    ({ json }) => void frames.push(JSON.parse(json.toString()) as ServerFrame),
  );
  await settle(clock);
  return frames;
}

const shown = (frames: readonly ServerFrame[]): string[] =>
  frames.flatMap((frame) =>
    frame.kind === 'changes' ? frame.items.map(({ object, actorCount }) => `${object.id} ${actorCount}`) : [],
  );

test('G2: a process has the parts of its roles and no others', async (t) => {
  const { processes } = await scene(t, [['intake'], ['shard'], ['gateway'], ['api']]);
  const parts = processes.map(({ engine: { log, inbox, feed, checks } }) =>
    [log, inbox, feed, checks[0]].map((part) => part != null),
  );
  assert.deepEqual(parts, [
    [true, false, false, false],
    [false, false, false, true],
    [false, false, true, false],
    [false, true, false, false],
  ]);
});

test('G2, V30: an event taken by one process is told by a second to a stream of a third', async (t) => {
  const { clock, processes } = await scene(t, [['intake'], ['shard'], ['gateway', 'api']]);
  const [intake, , front] = processes as [ClusterProcess, ClusterProcess, ClusterProcess];
  const frames = await open(front, clock);
  await intake.take([like('a1')]);
  await settle(clock);
  assert.deepEqual(shown(frames), ['p1 1']);
});

test('F1, F2: follows keep an audience, and whoever owns its shard fans out to it, also a new owner', async (t) => {
  const { clock, store, services, processes, start } = await scene(t, [['intake'], ['shard']]);
  const [intake, first] = processes as [ClusterProcess, ClusterProcess];
  const common = { source: 's', time: '2026-03-10T11:00:00Z' };
  const whom = { kind: 'user', id: 'u1' };
  const follow = (user: string) => ({
    ...common,
    id: `f-${user}`,
    type: 'user.followed',
    actor: { id: user },
    object: whom,
    to: { user: 'u1' },
  });
  const post = (id: string) => ({
    ...common,
    id,
    type: 'post.published',
    actor: { id: 'u1' },
    object: { kind: 'post', id },
    to: { audience: 'followers:u1' },
  });
  const posts = async (user: string) => (await store.rows(personKey('default', user), null, 10)).length;
  await intake.take(['b1', 'b2', 'b3'].map(follow));
  await settle(clock);
  await intake.take([post('p1')]);
  await settle(clock, 100);
  for (const user of ['b1', 'b2', 'b3']) assert.equal(await posts(user), 1, user);

  // It dies before it has fanned out the second; the next owner does.
  first.life.sleep();
  await intake.take([post('p2')]);
  await settle(clock);
  first.life.end();
  await first.buried();
  assert.equal(await posts('b1'), 1);
  await start(['shard']);
  await settle(clock, limits.lateWriteMs / 10);
  for (const user of ['b1', 'b2', 'b3']) assert.equal(await posts(user), 2, user);
  assert.equal(await services.audiences?.fanouts.waiting(10), 0);
});

test('D5, I3: marks made by the API close the group at the owner of the shard, and reach other devices', async (t) => {
  const { clock, store, processes } = await scene(t, [['intake'], ['shard'], ['gateway', 'api'], ['gateway', 'api']]);
  const [intake, , front, other] = processes as [ClusterProcess, ClusterProcess, ClusterProcess, ClusterProcess];
  await intake.take([like('a1')]);
  await settle(clock);
  const frames = await open(other, clock);
  const { revision } = await front.front.inbox.counts(r1);
  await front.front.inbox.mark(r1, { kind: 'read', through: revision });
  await intake.take([like('a2')]);
  await settle(clock);
  assert.ok(frames.some((frame) => frame.kind === 'marks' && frame.counts.unread === 0));
  const { items } = await store.head(r1, 10);
  assert.deepEqual(
    items.map(({ actorCount }) => actorCount),
    [1, 1],
    'a row that was read is closed',
  );
});

test('D5: marks of which the owner of the shard heard nothing count after a while all the same', async (t) => {
  const { clock, store, hub, processes } = await scene(t, [['intake'], ['shard'], ['api', 'gateway']]);
  const [intake, , front] = processes as [ClusterProcess, ClusterProcess, ClusterProcess];
  await intake.take([like('a1')]);
  await settle(clock);
  hub.takeAway();
  await front.front.inbox.mark(r1, { kind: 'read', through: (await front.front.inbox.counts(r1)).revision });
  await settle(clock, limits.marksRefreshMs);
  await intake.take([like('a2')]);
  await settle(clock);
  assert.equal((await store.head(r1, 10)).items.length, 2);
});

test('V30: what an owner wrote and died before telling is told by the next', async (t) => {
  const { clock, services, processes, start } = await scene(t, [['intake'], ['shard'], ['gateway', 'api']]);
  const [intake, worker, front] = processes as [ClusterProcess, ClusterProcess, ClusterProcess];
  const frames = await open(front, clock);
  // The call behind the write: it never learns who watches.
  t.mock.method(
    services.presence,
    'gatewaysOf',
    () => {
      worker.life.end();
      return new Promise(() => {});
    },
    { times: 1 },
  );
  await intake.take([like('a1')]);
  await settle(clock);
  assert.equal(worker.life.isDead, true);
  assert.deepEqual(shown(frames), []);
  await worker.buried();
  await start(['shard']);
  await settle(clock);
  assert.deepEqual(shown(frames), ['p1 1']);
});

test('G2: an owner that stood still writes nothing once others may have its shards', async (t) => {
  const { clock, store, processes, start } = await scene(t, [['intake'], ['shard']]);
  const [intake, worker] = processes as [ClusterProcess, ClusterProcess];
  await intake.take([like('a1')]);
  await settle(clock);
  worker.life.sleep();
  await intake.take([like('a2')]);
  await settle(clock);
  await worker.buried();
  await start(['shard']);
  await intake.take([like('a3')]);
  await settle(clock);
  const before = await store.head(r1, 10);
  assert.equal(before.items[0]?.actorCount, 3);
  worker.life.wake();
  await settle(clock, 1000);
  assert.deepEqual(await store.head(r1, 10), before);
  worker.life.end();
});

test('M4, N3: a shard whose store is away starts again by itself; ready fails when that lasts', async (t) => {
  const { clock, store, processes, start } = await scene(t, [['intake']]);
  let isAway = true;
  const positions = store.positions.bind(store);
  store.positions = (shard) => (isAway ? Promise.reject(new Error('away')) : positions(shard));
  const worker = await start(['shard']);
  const [check] = worker.engine.checks;
  await (processes[0] as ClusterProcess).take([like('a1')]);
  assert.equal(check?.check(), null);
  await settle(clock, limits.stalledAfterMs);
  assert.match(check?.check() ?? '', /^Shard [01]: /);
  isAway = false;
  await settle(clock, 2 * limits.shardRestartMs);
  assert.equal(check?.check(), null);
  assert.equal((await store.head(r1, 10)).items.length, 1);
});

test('E6, D8: a lane that is behind is refused, whoever works at the shards or nobody', async (t) => {
  const { clock, services } = await scene(t, []);
  let records = [0, 0, 0];
  const process = await ClusterProcess.start({ ...services, behind: async () => records }, ['intake'], 'p');
  t.after(() => process.engine.stop());
  await process.take([like('a1')]);
  records = [0, 1_000_000, 0];
  await settle(clock, limits.lagReadMs);
  await assert.rejects(process.take([like('a2')]), /OVERLOADED/);
});

test('F3: a broadcast is there on opening, and live; while the owner is away the inbox is answered without, and has it later', async (t) => {
  const sets: Role[][] = [['intake'], ['shard'], ['gateway', 'api']];
  const { clock, services, processes, start } = await scene(t, sets, 1);
  const [intake, owner, front] = processes as [ClusterProcess, ClusterProcess, ClusterProcess];
  const audience = audienceKey('default', 'followers:u1');
  const joined = { audience, present: true, notify: null, seq: null, timeMs: 0, takenMs: 0 };
  await services.audiences?.audiences.apply(
    ['r1', 'r2', 'r3'].map((user) => ({ ...joined, user })),
    { logged: true },
  );
  const post = async (id: string): Promise<void> => {
    const about = { actor: { id: 'u1' }, object: { kind: 'post', id }, to: { audience: 'followers:u1' } };
    await intake.take([{ id, source: 's', type: 'post.published', time: '2026-03-10T11:00:00Z', ...about }]);
    await settle(clock, 100);
  };
  const unread = async (user: string, waitMs = 20): Promise<number | null> => {
    let found: number | null = null;
    void front.front.inbox.counts(personKey('default', user)).then((counts) => {
      found = counts.unread;
    });
    await settle(clock, waitMs);
    return found;
  };
  await post('p1');
  assert.equal(await services.audiences?.broadcasts.newest(defaultTenant), 1);
  assert.equal(await unread('r2'), 1);
  assert.equal(await unread('x'), 0);
  const frames = await open(front, clock);
  assert.deepEqual(shown(frames), ['p1 1']);
  await post('p2');
  assert.deepEqual(shown(frames), ['p1 1', 'p2 1'], 'live');

  // Nobody works at the shards any more.
  owner.life.sleep();
  owner.life.end();
  await owner.buried();
  assert.equal(await unread('r3'), null, 'it waits for the owner');
  await settle(clock, limits.mergeWaitMs);
  assert.equal(await unread('r3', limits.mergeWaitMs), 0);
  await start(['shard']);
  await settle(clock, limits.lateWriteMs / 10);
  await unread('r3', limits.mergeWaitMs);
  assert.equal(await unread('r3', limits.mergeWaitMs), 2);
});
