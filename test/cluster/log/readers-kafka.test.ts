/** Readers on a real Kafka beyond the contract: other processes, what is no record, lost positions, a backlog. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Lane } from '@carillon/contract/lanes.ts';
import type { LogReader } from '../../../server/src/log/event-log.ts';
import { idsOf, type SampleRecord, sampleBatch } from '../../../server/src/log/sample-records.ts';
import { eventually } from '../../flow/eventually.ts';
import { KafkaWorld } from './kafka-world.ts';

const everything = 1 << 24;

function named(prefix: string, count: number, more: Partial<SampleRecord> = {}): SampleRecord[] {
  return Array.from({ length: count }, (_, at) => ({ id: `${prefix}${at}`, ...more }));
}

/** Pulls until so many records have come, from this or other processes. */
async function take(reader: LogReader, count: number, bytesMax = everything): Promise<string[]> {
  const ids: string[] = [];
  await eventually(async () => {
    const batch = await reader.pull(bytesMax);
    if (batch !== null) ids.push(...idsOf(batch));
    return ids.length >= count;
  });
  return ids;
}

test('a reader hears of and reads what other processes append', async (t) => {
  const world = await KafkaWorld.for(t);
  const log = world.log();
  const other = world.log();
  let heard = 0;
  log.onAppend(1, () => heard++);
  const reader = await log.open(1, 'social', 0);
  assert.equal(await reader.pull(everything), null);
  for (let at = 0; at < 20; at++) {
    const before = heard;
    await other.append(sampleBatch(named(`${at}-`, 3, { shard: 1 })));
    await eventually(() => heard > before);
    const batch = (await reader.pull(everything)) ?? assert.fail('told, so it is there');
    assert.deepEqual(idsOf(batch), [`${at}-0`, `${at}-1`, `${at}-2`]);
  }
  assert.equal(reader.behindBytes(), 0);
});

test('a backlog far above what is read ahead comes whole, in order, once', async (t) => {
  const world = await KafkaWorld.for(t);
  const log = world.log();
  const expected: string[] = [];
  for (let at = 0; at < 24; at++) {
    const records = named(`${at}-`, 500, { fillerChars: 400, lane: 'bulk', shard: 2 });
    expected.push(...records.map(({ id }) => id));
    await log.append(sampleBatch([...records, ...records.slice(0, 50)]));
  }
  const again = world.log();
  // A repeat of every tenth record, from a process that knows nothing.
  await again.append(
    sampleBatch(expected.filter((_, at) => at % 10 === 0).map((id) => ({ id, lane: 'bulk', shard: 2 }))),
  );
  const reader = await world.log().open(2, 'bulk', 0);
  assert.ok(reader.behindBytes() > 4_000_000);
  assert.deepEqual(await take(reader, expected.length, 100_000), expected);
  assert.equal((await reader.pull(everything))?.count ?? 0, 0, 'nothing but repeats, if they came apart');
  assert.equal(await reader.pull(everything), null);
});

test('BC-13: what was read ahead of a shard that was lost is dropped, and read again from the stored position', async (t) => {
  const world = await KafkaWorld.for(t);
  const log = world.log();
  await log.append(sampleBatch(named('a', 150)));
  const first = await log.open(0, 'social', 0);
  // 0 to 100 are applied; the rest lies in the buffer when the shard is lost.
  const applied = (await first.pull(sampleBatch(named('a', 101)).bytes.length)) ?? assert.fail();
  assert.equal(applied.next, 101);
  first.close();
  assert.equal(first.behindBytes(), 0);
  // Meanwhile another owner applies some of it, and a repeat of one more.
  const other = world.log();
  await other.append(sampleBatch([{ id: 'a120', lane: 'bulk' }]));
  const between = await other.open(0, 'social', 101);
  assert.deepEqual(
    await take(between, 10, sampleBatch(named('a', 10)).bytes.length),
    named('a', 111)
      .slice(101)
      .map(({ id }) => id),
  );
  // Back again, at what the other has stored.
  const again = await log.open(0, 'social', 111);
  const bulk = await log.open(0, 'bulk', 0);
  const rest = named('a', 150)
    .slice(111)
    .map(({ id }) => id);
  assert.deepEqual(await take(again, rest.length), rest);
  assert.equal((await bulk.pull(everything))?.count, 0, 'a120 has been shown');
});

test('BC-10: what is no record of its place is passed over and told of with place and bytes; the lane goes on', async (t) => {
  const world = await KafkaWorld.for(t);
  const log = world.log();
  const { producer } = world.clients();
  const topic = world.topics.of('social');
  const raw = async (value: Buffer): Promise<void> => {
    await producer.send({ messages: [{ topic, partition: 0, key: Buffer.from('k'), value }] });
  };
  const foreign = Buffer.from(sampleBatch([{ id: 'of shard 1', shard: 1 }]).bytes);
  const torn = Buffer.from(sampleBatch([{ id: 'torn' }]).bytes).subarray(0, -1);
  await log.append(sampleBatch([{ id: 'm1' }]));
  await raw(Buffer.from('{not a record'));
  await log.append(sampleBatch([{ id: 'm3' }]));
  for (const value of [foreign, torn, Buffer.alloc(0)]) await raw(value);
  await log.append(sampleBatch([{ id: 'm5' }]));
  const reader = await log.open(0, 'social', 0);
  assert.deepEqual(await take(reader, 3), ['m1', 'm3', 'm5']);
  assert.equal(await reader.pull(everything), null);
  assert.deepEqual(
    world.unreadable.map(({ bytes, ...place }) => ({ ...place, bytes: Buffer.from(bytes) })),
    [
      { shard: 0, lane: 'social' as Lane, position: 1, bytes: Buffer.from('{not a record') },
      { shard: 0, lane: 'social' as Lane, position: 3, bytes: foreign },
      { shard: 0, lane: 'social' as Lane, position: 4, bytes: torn },
      { shard: 0, lane: 'social' as Lane, position: 5, bytes: Buffer.alloc(0) },
    ],
  );
});

test('N3a: a position whose records are gone stops the reader, or moves it and tells, as configured', async (t) => {
  const world = await KafkaWorld.for(t);
  const log = world.log();
  await log.append(sampleBatch(named('a', 10, { acceptedMs: 1000 })));
  await log.append(sampleBatch(named('b', 2, { acceptedMs: 3000 })));
  const open = await log.open(0, 'bulk', 0);
  await log.trim(2000, () => Number.POSITIVE_INFINITY);
  await assert.rejects(log.open(0, 'social', 4), /no longer kept.*oldest is 10/);
  const lenient = world.log({ lostPosition: 'earliest' });
  assert.deepEqual(await take(await lenient.open(0, 'social', 4), 2), ['b0', 'b1']);
  assert.deepEqual(world.moved, [{ shard: 0, lane: 'social', from: 4, to: 10 }]);
  await assert.rejects(lenient.open(0, 'social', 13), /ends at 12/, 'never to the end in silence');
  open.close();
});

test('N3a: a reader that is caught up when its next records are dropped unread says so', async (t) => {
  const world = await KafkaWorld.for(t);
  const log = world.log();
  const other = world.log();
  const reader = await log.open(0, 'social', 0);
  let woken = 0;
  log.onAppend(0, () => woken++);
  // Full, so that nothing more is fetched for it.
  await other.append(sampleBatch(named('a', 6000, { fillerChars: 400, acceptedMs: 1000 })));
  await eventually(() => woken > 0);
  await other.trim(2000, () => Number.POSITIVE_INFINITY);
  await assert.rejects(take(reader, 6001), /no longer kept/);
});

test('G2: positions go past repetitions at the end, so that nothing looks behind when nothing is', async (t) => {
  const world = await KafkaWorld.for(t);
  const [one, other] = [world.log(), world.log()];
  await one.append(sampleBatch([{ id: 'e1' }]));
  // A process that has not seen the first appends it again.
  await other.append(sampleBatch([{ id: 'e1' }]));
  const reader = await one.open(0, 'social', 0);
  let next = 0;
  let shown = 0;
  await eventually(async () => {
    const batch = await reader.pull(everything);
    shown += batch?.count ?? 0;
    next = batch?.next ?? next;
    return next === 2;
  });
  assert.equal(shown, 1);
  assert.equal(reader.behindBytes(), 0);
  assert.equal(await reader.pull(everything), null);
  reader.close();
});
