import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KafkaRecord, RecordsBatch } from '@platformatic/kafka';
import { limits } from '../../base/limits.ts';
import { type FetchedPartition, readCommitted } from './read-committed.ts';

const transactional = 1 << 4;
const control = 1 << 5;

/** `count` records from `first` on, each with its offset as value. */
function batch(first: number, count: number, more: Partial<RecordsBatch> = {}): RecordsBatch {
  const records = Array.from({ length: count }, (_, delta): KafkaRecord => {
    const value = Buffer.from(String(first + delta));
    return {
      length: 10,
      attributes: 0,
      timestampDelta: BigInt(delta),
      offsetDelta: delta,
      key: null,
      value,
      headers: [],
    };
  });
  const times = { firstTimestamp: 1000n, maxTimestamp: 9000n };
  const place = { firstOffset: BigInt(first), lastOffsetDelta: count - 1, attributes: 0, producerId: -1n };
  return { ...place, ...times, records, ...more } as RecordsBatch;
}

const sent = (first: number, count: number, producerId: bigint): RecordsBatch =>
  batch(first, count, { attributes: transactional, producerId });

function marker(offset: number, producerId: bigint, kind: 'abort' | 'commit'): RecordsBatch {
  const key = Buffer.from([0, 0, 0, kind === 'abort' ? 0 : 1]);
  const records = [{ ...(batch(offset, 1).records[0] as KafkaRecord), key }];
  return batch(offset, 1, { attributes: transactional | control, producerId, records });
}

function fetched(records: RecordsBatch[], aborted: [producerId: bigint, firstOffset: bigint][] = []): FetchedPartition {
  const abortedTransactions = aborted.map(([producerId, firstOffset]) => ({ producerId, firstOffset }));
  return { partitionIndex: 3, abortedTransactions, records } as unknown as FetchedPartition;
}

function offsets(part: FetchedPartition, from: number): { taken: number[]; next: number | undefined } {
  const chunks = readCommitted('events', part, from);
  return { taken: chunks.flatMap(({ messages }) => messages.map(({ offset }) => offset)), next: chunks.at(-1)?.next };
}

test('E4: a batch that begins before the offset asked for gives only what lies from there on', () => {
  assert.deepEqual(offsets(fetched([batch(0, 3), batch(3, 4)]), 5), { taken: [5, 6], next: 7 });
  assert.deepEqual(offsets(fetched([]), 5), { taken: [], next: undefined });
});

test('E4: of several transactions of one producer each is judged by itself, in whatever order they are listed', () => {
  const [a, b] = [7n, 8n];
  const part = fetched(
    [
      sent(0, 2, a),
      sent(2, 1, b),
      marker(3, a, 'abort'),
      sent(4, 1, a),
      marker(5, a, 'commit'),
      batch(6, 1),
      sent(7, 1, a),
      marker(8, b, 'commit'),
      marker(9, a, 'abort'),
      sent(10, 1, a),
      marker(11, a, 'commit'),
    ],
    [
      [a, 7n],
      [a, 0n],
    ],
  );
  assert.deepEqual(offsets(part, 0), { taken: [2, 4, 6, 10], next: 12 });
});

test('E4: an aborted transaction whose end lies in a later fetch is left out, and the partition moves on', () => {
  assert.deepEqual(offsets(fetched([sent(20, 5, 7n)], [[7n, 12n]]), 20), { taken: [], next: 25 });
});

test('E4: a chunk never has more than is taken together', () => {
  const chunks = readCommitted('events', fetched([batch(0, limits.topicTakeMax + 5)]), 0);
  assert.deepEqual(
    chunks.map(({ messages, next }) => [messages.length, next]),
    [
      [limits.topicTakeMax, limits.topicTakeMax],
      [5, limits.topicTakeMax + 5],
    ],
  );
});

test('E4: the time of a message is its own, or that of its arrival where the topic says so', () => {
  const timeOf = (part: FetchedPartition) => readCommitted('events', part, 0)[0]?.messages[1]?.timestampMs;
  assert.equal(timeOf(fetched([batch(0, 2)])), 1001);
  assert.equal(timeOf(fetched([batch(0, 2, { attributes: 1 << 3 })])), 9000);
});
