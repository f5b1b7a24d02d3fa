import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { limits } from '../../base/limits.ts';
import { VirtualClock } from '../../base/virtual-clock.ts';
import type { AppendStatus } from '../event-log.ts';
import { RecordView } from '../record.ts';
import { type SampleRecord, sampleBatch } from '../sample-records.ts';
import { LaneTopics } from './lane-topics.ts';
import { type Produced, type ProducedMessage, ProduceGroups } from './produce-groups.ts';

interface Send {
  readonly ids: readonly string[];
  readonly messages: readonly ProducedMessage[];
  acknowledge(): void;
  fail(): void;
}

function idOf({ value }: ProducedMessage): string {
  const view = new RecordView();
  view.move(value, 0);
  return view.text('id');
}

function scene() {
  const clock = new VirtualClock();
  const sends: Send[] = [];
  const produced: Produced[] = [];
  let next = 0;
  const groups = new ProduceGroups({
    clock,
    shards: 4,
    topics: new LaneTopics('p'),
    producer: {
      send: ({ messages }) =>
        new Promise((resolve, reject) => {
          const places = new Map(
            messages.map(({ topic, partition }) => [`${topic}/${partition}`, { topic, partition }]),
          );
          sends.push({
            ids: messages.map(idOf),
            messages,
            acknowledge: () => {
              const offset = BigInt(next);
              next += messages.length;
              resolve({ offsets: [...places.values()].map((place) => ({ ...place, offset })) });
            },
            fail: () => reject(new Error('told to fail')),
          });
        }),
    },
    onProduced: (each) => produced.push(...each),
  });
  const append = (...records: SampleRecord[]): Promise<AppendStatus[]> => groups.append(sampleBatch(records));
  return { clock, sends, produced, groups, append };
}

async function settle(): Promise<void> {
  for (let turn = 0; turn < 10; turn++) await new Promise((resolve) => setImmediate(resolve));
}

const unavailable = { code: 'CARILLON_LOG_UNAVAILABLE', retryAfterSeconds: limits.logRetrySeconds };

describe('groups', () => {
  test('what comes while one produce is under way goes together in the next, in order', async () => {
    const { sends, append } = scene();
    const first = [append({ id: 'a' }), append({ id: 'b', lane: 'bulk', shard: 3 })];
    await settle();
    const second = [append({ id: 'c' }), append({ id: 'd' })];
    await settle();
    assert.deepEqual(
      sends.map(({ ids }) => ids),
      [['a', 'b']],
    );
    sends[0]?.acknowledge();
    assert.deepEqual(await Promise.all(first), [['accepted'], ['accepted']]);
    await settle();
    assert.deepEqual(
      sends.map(({ ids }) => ids),
      [
        ['a', 'b'],
        ['c', 'd'],
      ],
    );
    sends[1]?.acknowledge();
    assert.deepEqual(await Promise.all(second), [['accepted'], ['accepted']]);
  });

  test('a message is the record, for the partition of its shard, keyed by its first person, stamped with its time', async () => {
    const { sends, produced, append } = scene();
    const record: SampleRecord = {
      id: 'a',
      lane: 'bulk',
      shard: 3,
      tenant: 't',
      recipients: ['r1', 'r2'],
      acceptedMs: 5,
    };
    const done = append(record);
    await settle();
    const [message] = sends[0]?.messages ?? [];
    const { value, key, ...rest } = message as ProducedMessage;
    assert.deepEqual(rest, { topic: 'p.log.bulk', partition: 3, timestamp: 5n });
    assert.deepEqual(value, Buffer.from(sampleBatch([record]).bytes));
    assert.equal(key.toString(), 't\u0001r1');
    sends[0]?.acknowledge();
    await done;
    assert.deepEqual(produced, [{ shard: 3, lane: 'bulk', end: 1, recordBytes: value.length }]);
  });

  test('a batch that does not fit is spread over several, and resolves with the last', async () => {
    const { sends, groups, append } = scene();
    const records = Array.from({ length: 30 }, (_, at) => ({ id: `a${at}`, fillerChars: 60_000 }));
    const done = append(...records);
    let isDone = false;
    void done.then(() => {
      isDone = true;
    });
    const small = append({ id: 'small' });
    await settle();
    while (sends.length * 12 < 30) {
      assert.equal(isDone, false);
      sends.at(-1)?.acknowledge();
      await settle();
    }
    sends.at(-1)?.acknowledge();
    assert.deepEqual(
      await done,
      records.map(() => 'accepted'),
    );
    assert.deepEqual(await small, ['accepted']);
    assert.deepEqual(
      sends.flatMap(({ ids }) => ids),
      [...records.map(({ id }) => id), 'small'],
    );
    for (const { messages } of sends) {
      assert.ok(messages.reduce((sum, { value }) => sum + value.length, 0) <= limits.produceBytesMax);
    }
    assert.equal(groups.waitingBytes, 0);
  });

  test('nothing is sent for duplicates, and a record of no shard is refused', async () => {
    const { sends, append } = scene();
    const first = append({ id: 'a' });
    await settle();
    sends[0]?.acknowledge();
    await first;
    assert.deepEqual(await append({ id: 'a' }, { id: 'a' }), ['duplicate', 'duplicate']);
    assert.equal(sends.length, 1);
    await assert.rejects(append({ id: 'b', shard: 4 }), /shard 4/);
  });
});

describe('a log that does not answer', () => {
  test('refuses what waits, and all that comes until the client is done with it', async () => {
    const { clock, sends, groups, append } = scene();
    const under = append({ id: 'a' });
    await settle();
    const waiting = append({ id: 'b' });
    const refused = [assert.rejects(under, unavailable), assert.rejects(waiting, unavailable)];
    clock.advance(limits.produceWaitMs);
    await Promise.all(refused);
    await assert.rejects(append({ id: 'c' }), unavailable);
    assert.equal(sends.length, 1, 'nothing piles up behind it');
    assert.equal(groups.waitingBytes, 0);
    sends[0]?.acknowledge();
    await settle();
    const again = append({ id: 'a' });
    await settle();
    assert.deepEqual(sends[1]?.ids, ['a'], 'what is not known for certain is no duplicate');
    sends[1]?.acknowledge();
    assert.deepEqual(await again, ['accepted']);
  });

  test('a produce that fails is refused, and the next is tried', async () => {
    const { sends, append } = scene();
    const first = append({ id: 'a' }, { id: 'a' });
    await settle();
    const waiting = append({ id: 'b' });
    const refused = [assert.rejects(first, unavailable), assert.rejects(waiting, unavailable)];
    sends[0]?.fail();
    await Promise.all(refused);
    const again = append({ id: 'a' });
    await settle();
    sends[1]?.acknowledge();
    assert.deepEqual(await again, ['accepted']);
  });

  test('close waits for what is under way, then refuses', async () => {
    const { sends, groups, append } = scene();
    const under = append({ id: 'a' });
    const closed = groups.close();
    await settle();
    sends[0]?.acknowledge();
    await closed;
    assert.deepEqual(await under, ['accepted']);
    await assert.rejects(append({ id: 'b' }), { code: 'CARILLON_DRAINING' });
  });
});
