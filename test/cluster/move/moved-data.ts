/** What a move must come to, whatever the target is made of. */
import assert from 'node:assert/strict';
import { shardOf } from '../../../server/src/base/hash.ts';
import { defaultTenant, type PersonKey, splitAudienceKey } from '../../../server/src/base/ids.ts';
import { limits } from '../../../server/src/base/limits.ts';
import { systemRandom } from '../../../server/src/base/random.ts';
import { openEmbeddedSource } from '../../../server/src/cluster/embedded-source.ts';
import { type MoveReport, type MoveTarget, moveEmbeddedToCluster } from '../../../server/src/cluster/move.ts';
import type { InboxStore } from '../../../server/src/inbox/inbox-store.ts';
import type { Timer } from '../../../server/src/shard/timer-store.ts';
import {
  addressOf,
  announcement,
  answer,
  box,
  broadcastOf,
  type EmbeddedData,
  fanoutJob,
  fanoutReached,
  fans,
  hostOver,
  onlyMarked,
  people,
  profile,
  removed,
  revoked,
  session,
  suppression,
  timers,
} from './embedded-data.ts';

/** `interrupt`: called with how many people are done; throwing cuts the move off. */
export async function move(
  data: EmbeddedData,
  target: MoveTarget,
  interrupt: (people: number) => void = () => {},
): Promise<MoveReport> {
  const source = await openEmbeddedSource(data.folder, { random: systemRandom, box });
  try {
    const onProgress = (_stage: string, done: number): void => interrupt(done);
    return await moveEmbeddedToCluster({ source, target, clock: data.clock, onProgress });
  } finally {
    await source.close();
  }
}

export function assertWhole(report: MoveReport): void {
  assert.deepEqual(report.differing, []);
  assert.equal(report.people, people.length + 2);
  assert.ok(report.rows > 200 && report.members > 400 && report.itemMarks > 5, JSON.stringify(report));
  assert.ok(report.waiting.expected > 100);
  assert.equal(report.waiting.found, report.waiting.expected);
  assert.deepEqual([report.revocations, report.answers], [1, 1]);
  assert.ok(report.timers.expected >= timers.length);
  assert.equal(report.timers.found, report.timers.expected);
  assert.deepEqual(report.profiles, { expected: people.length, found: people.length });
  assert.deepEqual(report.devices, { expected: people.length, found: people.length });
  assert.deepEqual(report.suppressions, { expected: 1, found: 1 });
  const members = { expected: people.length - 1, found: people.length - 1 };
  assert.deepEqual(report.audiences, { members, fanouts: { expected: 1, found: 1 } });
}

/** The cluster goes on from where the embedded engine was: both come to the same inboxes. */
export async function assertGoesOn(data: EmbeddedData, target: MoveTarget): Promise<void> {
  const { log, inbox: store, shards } = target;
  await assertTimers(target);
  await assertAudiences(target);
  await assertBroadcasts(target);
  for (const moved of await target.profiles.read(people)) assert.deepEqual(moved, profile);
  const [first] = people as [PersonKey];
  assert.deepEqual(
    (await target.devices.list(first)).map(({ address }) => address),
    [addressOf(first)],
  );
  assert.equal(await target.devices.removeSession(session), 1);
  assert.deepEqual(await target.suppressions.find(defaultTenant, [suppression.address]), [suppression]);
  const host = hostOver({ log, store, clock: data.clock, shards });
  await host.start();
  await host.settled();
  const found = await inboxes(store);
  assert.deepEqual(await target.revocations.load(data.clock.now()), [revoked]);
  assert.deepEqual(await target.idempotency.get('k1', data.clock.now()), answer);
  let expected: unknown[] = [];
  await data.run(async (own) => {
    expected = await inboxes(own);
  });
  assert.deepEqual(found, expected);
  await host.stop();
}

async function assertBroadcasts({ broadcasts, announcements }: MoveTarget): Promise<void> {
  assert.deepEqual(await announcements.get(defaultTenant, announcement.id), announcement);
  const { tenant } = splitAudienceKey(fans);
  assert.deepEqual(await broadcasts.recent(tenant, 10), [
    { ...broadcastOf(2), number: 1 },
    { ...broadcastOf(3), number: 2 },
  ]);
  assert.deepEqual(Buffer.from((await broadcasts.records(tenant, [1])).get(1) as Buffer), fanoutJob.record);
  assert.deepEqual(await broadcasts.through(people.slice(0, 4)), [1, 2, 0, 0]);
}

async function assertAudiences({ audiences, fanouts, shards }: MoveTarget): Promise<void> {
  const late = { audience: fans, user: 'u0', present: true, notify: null, seq: 4, timeMs: 9000, takenMs: 9000 };
  await audiences.apply([late], { logged: true });
  assert.equal((await audiences.membership(fans, 'u0'))?.present, false);
  assert.equal((await audiences.membership(fans, 'u2'))?.notify, true);
  const job = { ...fanoutJob, shard: shardOf(fans, shards) };
  assert.deepEqual(await fanouts.load(fanoutJob.id), { job, progress: fanoutReached });
  assert.equal((await fanouts.pending(job.shard, null, 10)).length, 1);
}

/** Each with the shard of its person. */
async function assertTimers(target: MoveTarget): Promise<void> {
  const found: Timer[] = [];
  for (let shard = 0; shard < target.shards; shard++) {
    await target.timers.open(shard);
    for (const timer of await target.timers.list(shard, null, 1000)) {
      assert.equal(shardOf(timer.person, target.shards), shard);
      found.push(timer);
    }
  }
  assert.deepEqual(
    timers.map(({ id }) => found.find((timer) => timer.id === id)),
    timers,
  );
}

async function inboxes(store: InboxStore): Promise<unknown[]> {
  const all: unknown[] = [];
  for (const person of [...people, onlyMarked, removed]) {
    all.push([person, await rowsOf(store, person), marksOf(await store.marks(person))]);
  }
  return all;
}

/** Revisions are given when an event is applied, which the two do at times of their own. */
async function rowsOf(store: InboxStore, person: PersonKey): Promise<unknown[]> {
  const { items } = await store.head(person, limits.changesMax);
  const rows = [];
  for (const { id, state, activityAtMs, actorCount, actors } of items) {
    const members = (await store.members(person, id)).map(({ key, present }) => `${key} ${present}`);
    rows.push({
      id,
      state,
      activityAtMs,
      actorCount,
      actors: actors.map((actor) => actor.id),
      members: members.sort(),
    });
  }
  return rows;
}

function marksOf(marks: Awaited<ReturnType<InboxStore['marks']>>): unknown {
  return { ...marks, items: [...marks.items].sort(([a], [b]) => (a < b ? -1 : 1)) };
}
