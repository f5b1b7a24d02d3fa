/**
 * From what a fetch brought for one partition to chunks of messages. Left out are messages before the offset that was
 * asked for (a batch comes whole), control records, and messages of transactions that were rolled back: a producer that
 * changed its mind sent nothing. The client has a filter of its own for those, which misses some: of several aborted
 * transactions of one producer all but the last, and any whose end lies in a later fetch.
 */
import type { Consumer, KafkaRecord, RecordsBatch } from '@platformatic/kafka';
import { limits } from '../../base/limits.ts';
import type { Chunk } from './partition-run.ts';
import type { TopicMessage } from './topic-message.ts';

export type FetchResponse = Awaited<ReturnType<Consumer['fetch']>>;
export type FetchedPartition = FetchResponse['responses'][number]['partitions'][number];

const logAppendTime = 1 << 3;
const transactional = 1 << 4;
const control = 1 << 5;
/** Type in the key of a control record that ends an aborted transaction. */
const abortMarker = 0;
/** What a message takes in memory beside its bytes. */
const messageOverheadBytes = 200;

export function readCommitted(topic: string, part: FetchedPartition, from: number): Chunk[] {
  const aborted = [...(part.abortedTransactions ?? [])].sort((a, b) => Number(a.firstOffset - b.firstOffset));
  const open = new Set<bigint>();
  const chunks: Chunk[] = [];
  let messages: TopicMessage[] = [];
  let bytes = 0;
  let next = from;
  for (const batch of part.records ?? []) {
    const last = Number(batch.firstOffset) + batch.lastOffsetDelta;
    for (; aborted[0] !== undefined && aborted[0].firstOffset <= last; aborted.shift()) open.add(aborted[0].producerId);
    if (last < from) continue;
    if ((batch.attributes & control) !== 0) {
      if (batch.records[0]?.key?.readInt16BE(2) === abortMarker) open.delete(batch.producerId);
    } else if ((batch.attributes & transactional) === 0 || !open.has(batch.producerId)) {
      for (const record of batch.records) {
        const message = messageOf(topic, part.partitionIndex, batch, record);
        if (message.offset < from) continue;
        messages.push(message);
        bytes += record.length + messageOverheadBytes;
        if (messages.length < limits.topicTakeMax) continue;
        chunks.push({ messages, next: message.offset + 1, bytes });
        messages = [];
        bytes = 0;
      }
    }
    next = last + 1;
  }
  // Also where everything was left out: the partition has moved on.
  if (next > (chunks.at(-1)?.next ?? from)) chunks.push({ messages, next, bytes });
  return chunks;
}

function messageOf(topic: string, partition: number, batch: RecordsBatch, record: KafkaRecord): TopicMessage {
  return {
    topic,
    partition,
    offset: Number(batch.firstOffset) + record.offsetDelta,
    timestampMs: Number(
      (batch.attributes & logAppendTime) !== 0 ? batch.maxTimestamp : batch.firstTimestamp + record.timestampDelta,
    ),
    key: record.key,
    value: record.value,
    headers: record.headers,
  };
}
