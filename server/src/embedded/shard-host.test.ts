/** What the host tells of its shards: how far they are, how long it takes, and what goes wrong (M1, M4, N3a). */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { ActedEvent } from '@carillon/contract/event.ts';
import { packEvents } from '../../../test/sim/pack-event.ts';
import { personKey } from '../base/ids.ts';
import { limits } from '../base/limits.ts';
import { readSnapshot, telemetry } from '../base/telemetry.ts';
import { VirtualClock } from '../base/virtual-clock.ts';
import { describeInApp } from '../content/describe-in-app.ts';
import { InboxServiceStore } from '../inbox/inbox-service-store.ts';
import type { InboxStore } from '../inbox/inbox-store.ts';
import { InboxStoreMemory } from '../inbox/inbox-store-memory.ts';
import { EventLogMemory } from '../log/event-log-memory.ts';
import { consumptionOf, createProgress } from './progress.ts';
import { ShardHost } from './shard-host.ts';
import type { Problem } from './shard-reports.ts';

const time = '2026-03-10T11:00:00Z';

function like(id: string): ActedEvent {
  const actor = { id: `a-${id}` };
  return {
    id,
    source: 'posts',
    type: 'post.liked',
    time,
    actor,
    object: { kind: 'post', id: 'p1' },
    to: { user: 'r1' },
  };
}

function message(id: string): ActedEvent {
  const object = { kind: 'message', id };
  return { id, source: 'chat', type: 'message.sent', time, actor: { id: 'a1' }, object, to: { user: 'r1' } };
}

/** A store whose writes wait while `held`, and fail while `broken`. */
function gatedStore(store: InboxStore) {
  const gate = { held: null as Promise<void> | null, broken: false };
  const write: InboxStore['write'] = async (...args) => {
    await gate.held;
    if (gate.broken) throw Object.assign(new Error('no'), { code: 'EIO' });
    return store.write(...args);
  };
  return { gate, store: new Proxy(store, { get: (target, name) => (name === 'write' ? write : bound(target, name)) }) };
}

function bound(target: InboxStore, name: string | symbol): unknown {
  const value = target[name as keyof InboxStore];
  return typeof value === 'function' ? value.bind(target) : value;
}

async function scene(t: TestContext, log = new EventLogMemory(), kept: InboxStore = new InboxStoreMemory()) {
  const clock = new VirtualClock();
  const { gate, store } = gatedStore(kept);
  const inbox = new InboxServiceStore({ store, clock, cursorSecret: Buffer.alloc(32), describe: describeInApp });
  const problems: Problem[] = [];
  const progress = createProgress();
  const host = new ShardHost({
    log,
    store,
    inbox,
    clock,
    shards: 1,
    progress,
    onFrames: () => {},
    onProblem: (problem) => problems.push(problem),
  });
  await host.start();
  t.after(() => host.stop());
  const append = (...events: ActedEvent[]) => host.append(packEvents(events, clock.now()));
  return { clock, log, gate, store: kept, host, problems, progress, append };
}

function total(name: string): number {
  const reading = readSnapshot(telemetry.snapshot()).find((each) => each.name === name);
  const values = reading?.series.flatMap(({ values }) => values) ?? [];
  // The last number of a histogram is its sum; the others count.
  return reading?.metric.kind === 'histogram' ? values.slice(0, -1).reduce((a, b) => a + b, 0) : (values[0] as number);
}

/** Lets everything that can go on without time go on. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve));
}

test('N3a: a lane with nothing left does not pin the log, one that is under way does', async (t) => {
  const { host, gate, log, append } = await scene(t);
  await append(message('m1'));
  await host.settled();
  assert.equal(host.appliedPosition, Number.POSITIVE_INFINITY, 'all is applied');
  const { end } = log.state;
  let release = (): void => {};
  gate.held = new Promise((resolve) => {
    release = resolve;
  });
  await append(like('e1'));
  await settle();
  assert.equal(host.appliedPosition, 0, 'pulled, decided, and not written: the lane is where it began');
  assert.equal(await log.trim(Number.POSITIVE_INFINITY, () => host.appliedPosition), 0);
  release();
  await host.settled();
  assert.ok((await log.trim(Number.POSITIVE_INFINITY, () => host.appliedPosition)) > end);
});

test('N3a: what was trimmed behind a quiet lane does not stop the next start', async (t) => {
  const first = await scene(t);
  await first.append(message('m1'));
  for (let at = 0; at < 20; at++) await first.append(like(`e${at}`));
  await first.host.settled();
  assert.ok((await first.log.trim(Number.POSITIVE_INFINITY, () => first.host.appliedPosition)) > 0);
  await first.host.stop();
  const again = await scene(t, new EventLogMemory(first.log.state), first.store);
  await again.append(message('m2'), like('e20'));
  await again.host.settled();
  const rows = await again.store.rows(personKey('default', 'r1'), null, 10);
  assert.equal(rows.length, 3, 'two messages, one group of likes');
});

test('N3a: records that were lost before they were applied stop the start', async (t) => {
  const first = await scene(t);
  await first.append(like('e1'));
  await first.host.stop();
  const log = new EventLogMemory(first.log.state);
  await log.append(packEvents([like('e2')], 1000));
  await log.append(packEvents([like('e3')], 1000));
  await log.trim(Number.POSITIVE_INFINITY, () => Number.POSITIVE_INFINITY);
  await assert.rejects(scene(t, new EventLogMemory(log.state), first.store), /no longer kept/);
});

test('M1, M4: what is durable and not applied is shown with its age, also while it is being written', async (t) => {
  const { host, gate, clock, progress, problems, append } = await scene(t);
  assert.deepEqual(await host.oldestUnappliedMs(), [0, 0, 0]);
  gate.broken = true;
  await append(like('e1'));
  await settle();
  clock.advance(limits.storeRetryMs);
  await append(like('e2'));
  await settle();
  assert.deepEqual(await host.oldestUnappliedMs(), [0, limits.storeRetryMs, 0]);
  const stuck = consumptionOf(progress);
  assert.ok(stuck.behindBytes > 0);
  assert.equal(problems[0]?.event, 'inboxWriteFailed');
  gate.broken = false;
  clock.advance(limits.storeRetryMs);
  await host.settled();
  assert.deepEqual(await host.oldestUnappliedMs(), [0, 0, 0]);
  const { behindBytes, applied } = consumptionOf(progress);
  assert.equal(behindBytes, 0);
  assert.ok(applied > stuck.applied);
});

test('M3: a replay is told of at its start and at its end', async (t) => {
  const log = new EventLogMemory();
  await log.append(packEvents([like('e1'), like('e2')], 1000));
  const { gate, store } = gatedStore(new InboxStoreMemory());
  let release = (): void => {};
  gate.held = new Promise((resolve) => {
    release = resolve;
  });
  const { host, problems } = await scene(t, log, store);
  const atStart = problems.length;
  release();
  await host.settled();
  assert.equal(atStart, 1, 'begun, not done');
  assert.deepEqual(
    problems.map(({ event }) => event),
    ['shardReplaying', 'shardCaughtUp'],
  );
});

test('M3: a disk that is full is told of once, and again after it had space', async (t) => {
  const { log, problems, append } = await scene(t);
  const full = { code: 'CARILLON_STORAGE_FULL' } as const;
  log.fail(full, full);
  await assert.rejects(append(like('e1')), full);
  await assert.rejects(append(like('e1')), full);
  await append(like('e1'));
  log.fail(full);
  await assert.rejects(append(like('e2')), full);
  log.fail({ code: 'CARILLON_INTERNAL' });
  await append(like('e3')).catch(() => {});
  assert.deepEqual(
    problems.map(({ event }) => event),
    ['storageFull', 'storageFull'],
  );
});

test('M1: the time from intake to a frame is measured for people with a stream only', async (t) => {
  const { host, gate, clock, append } = await scene(t);
  const before = total('carillon_delivery_seconds');
  await append(like('e1'));
  await host.settled();
  assert.equal(total('carillon_delivery_seconds'), before);
  await host.openFeed(personKey('default', 'r1'), null);
  gate.broken = true;
  await append(like('e2'));
  await settle();
  gate.broken = false;
  clock.advance(limits.storeRetryMs);
  await host.settled();
  assert.equal(total('carillon_delivery_seconds'), before + 1);
  const sum = readSnapshot(telemetry.snapshot()).find(({ name }) => name === 'carillon_delivery_seconds')?.series[0];
  assert.equal(sum?.values.at(-1), limits.storeRetryMs / 1000);
});
