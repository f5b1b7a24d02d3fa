/**
 * One fetch request, and its answer as bytes. The client's own `fetch` makes an object of every record and fails as a
 * whole when one partition has an error; here each partition is answered by itself and records stay bytes.
 * Version 12 of the request: the newest that names topics instead of their ids; brokers from 2.7 to 4.x take it.
 */
import { type Connection, fetchV12, type Reader } from '@platformatic/kafka';

export interface FetchPlace {
  readonly topic: string;
  readonly partition: number;
  readonly offset: number;
  readonly bytesMax: number;
}

export interface FetchedPartition {
  readonly topic: string;
  readonly partition: number;
  /** Kafka's; 0 for none. */
  readonly errorCode: number;
  /** Behind the last record that all replicas have; -1 with an error. */
  readonly end: number;
  /** Record batches, the first of which may begin before the offset asked for, the last of which may be cut off. */
  readonly records: Buffer;
}

const fetchKey = 1;
const fetchVersion = 12;
const readUncommitted = 0;
/** No fetch session: which partitions are asked for changes from one request to the next. */
const noSession = { id: 0, epoch: -1 };
const noRecords = Buffer.alloc(0);

/** `waitMs`: how long the broker may wait for something new. Rejects when the connection fails or the whole request is refused. */
export function fetchPartitions(
  connection: Connection,
  places: readonly FetchPlace[],
  { waitMs, bytesMax }: { waitMs: number; bytesMax: number },
): Promise<FetchedPartition[]> {
  const { createRequest } = fetchV12;
  const topics = topicsOf(places);
  return new Promise((resolve, reject) => {
    connection.send<FetchedPartition[]>(
      fetchKey,
      fetchVersion,
      () => createRequest(waitMs, 1, bytesMax, readUncommitted, noSession.id, noSession.epoch, topics, [], ''),
      (_correlation, _key, _version, reader) => parse(reader),
      true,
      true,
      (error, partitions) => (error === null ? resolve(partitions as FetchedPartition[]) : reject(error)),
    );
  });
}

function topicsOf(places: readonly FetchPlace[]): fetchV12.FetchRequestTopic[] {
  const topics = new Map<string, fetchV12.FetchRequestPartition[]>();
  for (const { topic, partition, offset, bytesMax } of places) {
    let partitions = topics.get(topic);
    if (partitions === undefined) {
      partitions = [];
      topics.set(topic, partitions);
    }
    partitions.push({
      partition,
      currentLeaderEpoch: -1,
      fetchOffset: BigInt(offset),
      lastFetchedEpoch: -1,
      partitionMaxBytes: bytesMax,
    });
  }
  return [...topics].map(([topicId, partitions]) => ({ topicId, partitions }));
}

function parse(reader: Reader): FetchedPartition[] {
  reader.readInt32(); // throttled for
  const refused = reader.readInt16();
  if (refused !== 0) throw new Error(`Kafka refused a fetch with error ${refused}.`);
  reader.readInt32(); // session
  // Once: reading a buffer of many pieces by offset searches for the piece each time.
  const bytes = reader.buffer.buffer;
  const found: FetchedPartition[] = [];
  reader.readArray((one) => {
    const topic = one.readString();
    one.readArray(
      (each) => {
        found.push(parsePartition(each, topic, bytes));
      },
      true,
      false,
    );
  });
  return found;
}

function parsePartition(reader: Reader, topic: string, bytes: Buffer): FetchedPartition {
  const partition = reader.readInt32();
  const errorCode = reader.readInt16();
  const end = Number(reader.readInt64());
  reader.readInt64(); // last stable offset
  reader.readInt64(); // log start
  reader.readNullableArray((aborted) => {
    aborted.skip(16);
  });
  reader.readInt32(); // preferred replica
  const length = reader.readUnsignedVarInt() - 1;
  const records = length > 0 ? bytes.subarray(reader.position, reader.position + length) : noRecords;
  if (length > 0) reader.skip(length);
  reader.readTaggedFields();
  return { topic, partition, errorCode, end, records };
}
