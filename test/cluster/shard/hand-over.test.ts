/** Shards on a real Kafka that change hands while events are applied: every event once, in order, whoever applies it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Lane } from '@carillon/contract/lanes.ts';
import { InboxStoreMemory } from '../../../server/src/inbox/inbox-store-memory.ts';
import { event, like, unlike } from '../../flow/events.ts';
import { eventually } from '../../flow/eventually.ts';
import { KafkaWorld } from '../log/kafka-world.ts';
import { keyOf, packed, ShardProcess, usersByShard } from './shard-process.ts';

/** A store whose writes of one shard can be made to wait. */
class HeldStore extends InboxStoreMemory {
  heldShard = -1;
  writing = 0;
  readonly writes: { shard: number; positions: readonly number[] }[] = [];
  release: () => void = () => {};
  #held: Promise<void> = Promise.resolve();

  hold(shard: number): void {
    this.heldShard = shard;
    this.#held = new Promise((resolve) => {
      this.release = () => {
        this.heldShard = -1;
        resolve();
      };
    });
  }

  override async write(...args: Parameters<InboxStoreMemory['write']>): Promise<void> {
    const [shard, , positions] = args;
    if (shard === this.heldShard) {
      this.writing++;
      await this.#held;
    }
    await super.write(...args);
    this.writes.push({ shard, positions });
  }
}

async function rowsOf(store: InboxStoreMemory, user: string): Promise<string[]> {
  const { items } = await store.head(keyOf(user), 1000);
  return items.filter(({ state }) => state === 'live').map(({ object }) => object.id);
}

function message(id: string, user: string) {
  return event('message.sent', { actor: { id: 'a1' }, object: { kind: 'message', id }, to: { user } }, { id });
}

test("BC-08: a shard moves in the middle of a batch; what is under way is finished, the rest is the next owner's", async (t) => {
  const world = await KafkaWorld.for(t, 2);
  const store = new HeldStore();
  const users = usersByShard(2);
  const { admin } = world.clients();
  const committed = async (lane: Lane = 'direct'): Promise<number[]> => {
    const [group] = await admin.listConsumerGroupOffsets({ groups: [world.topicPrefix] });
    const topic = group?.topics.find(({ name }) => name === world.topics.of(lane));
    const of = (shard: number) => topic?.partitions.find(({ partitionIndex }) => partitionIndex === shard);
    return [0, 1].map((shard) => Number(of(shard)?.committedOffset ?? -1n));
  };
  const a = await ShardProcess.start(world, store);
  t.after(() => a.ownership.stop());
  await eventually(() => a.executors.size === 2);
  // Of a member's shards the highest is the one that moves. Its first event is being written, its second waits.
  store.hold(1);
  for (const id of ['p0@0', 'p0@1']) await a.log.append(packed(message(id, users[0] as string), 2));
  await a.log.append(packed(message('p1@0', users[1] as string), 2));
  await eventually(() => store.writing === 1);
  await a.log.append(packed(message('p1@1', users[1] as string), 2));
  const b = await ShardProcess.start(world, store);
  t.after(() => b.ownership.stop());
  await eventually(() => !a.ownership.holds(1));
  assert.ok(a.ownership.holds(0), 'the other shard goes on');
  for (let turn = 0; turn < 100; turn++) await new Promise((resolve) => setImmediate(resolve));
  assert.equal(b.executors.size, 0, 'B waits for the write under way');
  store.release();
  await eventually(async () => (await rowsOf(store, users[1] as string)).length === 2);
  assert.ok(b.ownership.holds(1));
  assert.deepEqual((await rowsOf(store, users[0] as string)).toSorted(), ['p0@0', 'p0@1']);
  assert.deepEqual((await rowsOf(store, users[1] as string)).toSorted(), ['p1@0', 'p1@1']);
  const ofMoved = store.writes.filter(({ shard }) => shard === 1).map(({ positions }) => positions[0]);
  assert.deepEqual(ofMoved, [1, 2], 'A wrote the first, B the second');
  await eventually(async () => (await committed()).every((offset) => offset === 2));
  a.ownership.applied(1, [999, 999, 999]);
  a.ownership.applied(0, [2, 7, 7]);
  await eventually(async () => (await committed('bulk'))[0] === 7);
  assert.deepEqual(await committed(), [2, 2], 'nothing is committed for a shard that was given up');
  assert.deepEqual([...a.failures, ...b.failures], []);
});

test('BC-11: an unlike that overtakes its like leaves no row, and a late one between two likes leaves it, over a restart', async (t) => {
  const world = await KafkaWorld.for(t, 2);
  const store = new InboxStoreMemory();
  const first = await ShardProcess.start(world, store);
  for (const each of [unlike('a1', 'p1', 'r1', { seq: 2, at: 1 }), like('a1', 'p1', 'r1', { seq: 1 })]) {
    await first.log.append(packed(each, 2));
  }
  for (const each of [
    like('a1', 'p2', 'r2', { seq: 1 }),
    like('a1', 'p2', 'r2', { seq: 3, at: 2 }),
    unlike('a1', 'p2', 'r2', { seq: 2, at: 1 }),
  ]) {
    await first.log.append(packed(each, 2));
  }
  await first.log.append(packed(message('last', 'r1'), 2));
  await eventually(
    async () => (await rowsOf(store, 'r1')).includes('last') && (await rowsOf(store, 'r2')).length === 1,
  );
  await first.ownership.stop();
  const second = await ShardProcess.start(world, store);
  t.after(() => second.ownership.stop());
  await second.log.append(packed(like('a1', 'p1', 'r1', { seq: 1 }), 2));
  await second.log.append(packed(message('after', 'r1'), 2));
  await eventually(async () => (await rowsOf(store, 'r1')).includes('after'));
  assert.deepEqual((await rowsOf(store, 'r1')).toSorted(), ['after', 'last']);
  assert.deepEqual(await rowsOf(store, 'r2'), ['p2']);
});

test('BC-13: shards go to and fro while events flow, and every event is there once', async (t) => {
  const world = await KafkaWorld.for(t, 6);
  const store = new InboxStoreMemory();
  const log = world.log();
  const users = usersByShard(6);
  const first = await ShardProcess.start(world, store);
  t.after(() => first.ownership.stop());
  let sent = 0;
  const send = async (count: number): Promise<void> => {
    for (let at = 0; at < count; at++) {
      const batch = packed(message(`m${sent}`, users[sent % users.length] as string), 6);
      await log.append(batch);
      // From another process that does not know it: a repeat that only readers can tell.
      if (sent % 7 === 0) await first.log.append(batch);
      sent++;
    }
  };
  await send(60);
  for (let round = 0; round < 2; round++) {
    const other = await ShardProcess.start(world, store);
    const sending = send(120);
    await eventually(() => other.executors.size > 0);
    await sending;
    await other.ownership.stop();
    assert.deepEqual(other.failures, []);
    await send(30);
  }
  const all = async () => (await Promise.all(users.map((user) => rowsOf(store, user)))).flat();
  await eventually(async () => (await all()).length >= sent);
  const expected = Array.from({ length: sent }, (_, at) => `m${at}`);
  assert.deepEqual((await all()).toSorted(), expected.toSorted());
  assert.deepEqual(first.failures, []);
});
