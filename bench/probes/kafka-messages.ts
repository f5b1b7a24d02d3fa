/** Raw limit of the cluster's log: messages as large as our records, produced and consumed at once by the same client. */
import { randomBytes } from 'node:crypto';
import {
  Admin,
  type BaseOptions,
  Consumer,
  MessagesStreamFallbackModes,
  MessagesStreamModes,
  Producer,
} from '@platformatic/kafka';

export interface MessageLoad {
  readonly brokers: string;
  readonly partitions: number;
  readonly bytes: number;
  /** Messages in one request, as our group commit makes them. */
  readonly perSend: number;
  /** The broker's compiler needs some seconds: those are not counted. */
  readonly warmUpMs: number;
  readonly ms: number;
}

export interface RawRate {
  readonly perSecond: number;
  /** All that was done, the warm-up included. */
  readonly total: number;
}

/** Messages that were acknowledged and read back. */
export async function kafkaMessageRate(load: MessageLoad): Promise<RawRate> {
  const kafka: BaseOptions = { clientId: 'bench', bootstrapBrokers: load.brokers.split(',') };
  const topic = `bench-${randomBytes(4).toString('hex')}`;
  const admin = new Admin(kafka);
  await admin.createTopics({ topics: [topic], partitions: load.partitions, replicas: 1 });
  const producer = new Producer({ ...kafka, idempotent: true });
  const consumer = new Consumer({ ...kafka, groupId: topic, autocommit: false });
  try {
    const stream = await consumer.consume({
      topics: [topic],
      mode: MessagesStreamModes.COMMITTED,
      fallbackMode: MessagesStreamFallbackModes.EARLIEST,
      maxWaitTime: 100,
      maxBytes: 16 * 1024 * 1024,
      maxBytesPerPartition: 1024 * 1024,
      highWaterMark: 8192,
    });
    let read = 0;
    stream.on('data', () => {
      read++;
    });
    const value = randomBytes(load.bytes);
    let sent = 0;
    const sendFor = async (ms: number): Promise<void> => {
      for (const until = performance.now() + ms; performance.now() < until; sent += load.perSend) {
        const messages = Array.from({ length: load.perSend }, (_, at) => {
          const partition = (sent + at) % load.partitions;
          return { topic, partition, key: Buffer.from(`person-${(sent + at) % 20_000}`), value };
        });
        await producer.send({ messages });
      }
      while (read < sent) await new Promise((resolve) => setTimeout(resolve, 1));
    };
    await sendFor(load.warmUpMs);
    const [before, began] = [read, performance.now()];
    await sendFor(load.ms);
    return { perSecond: ((read - before) * 1000) / (performance.now() - began), total: read };
  } finally {
    await consumer.close(true);
    await producer.close(true);
    await admin.deleteTopics({ topics: [topic] });
    await admin.close();
  }
}
