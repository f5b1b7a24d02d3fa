/**
 * Raw limit of the cluster's inbox: rows as large as ours into our own table by the same driver with the same options, as
 * many rows of one person in one mutation as the run had, as many mutations under way as we allow. Nothing is read.
 */
import { randomBytes } from 'node:crypto';
import { limits } from '../../server/src/base/limits.ts';
import { connectCassandra } from '../../server/src/cluster/cassandra-client.ts';
import { migrateCassandra } from '../../server/src/cluster/cassandra-schema.ts';
import type { RawRate } from './kafka-messages.ts';

export interface MutationLoad {
  readonly contactPoint: string;
  readonly rowBytes: number;
  /** On average; need not be whole. */
  readonly rowsPerMutation: number;
  readonly warmUpMs: number;
  readonly ms: number;
}

const people = 20_000;
const dayMs = 24 * 3600 * 1000;
const localDataCenter = 'datacenter1';
const putItem = 'UPDATE inbox USING TIMESTAMP ? AND TTL ? SET item = ? WHERE tenant = ? AND user = ? AND id = ?';

/** Rows that were written. */
export async function cassandraRowRate(load: MutationLoad): Promise<RawRate> {
  const keyspace = `bench_${randomBytes(4).toString('hex')}`;
  const options = { contactPoints: [load.contactPoint], localDataCenter };
  const admin = await connectCassandra({ ...options, keyspace: null });
  try {
    await migrateCassandra(admin, { keyspace, replication: { [localDataCenter]: 1 }, shards: 1 });
    const client = await connectCassandra({ ...options, keyspace });
    try {
      const writer = new Writer(client, load);
      await writer.writeFor(load.warmUpMs);
      return { perSecond: await writer.writeFor(load.ms), total: writer.rows };
    } finally {
      await client.shutdown();
    }
  } finally {
    await admin.execute(`DROP KEYSPACE IF EXISTS ${keyspace}`);
    await admin.shutdown();
  }
}

class Writer {
  readonly #client: Awaited<ReturnType<typeof connectCassandra>>;
  readonly #load: MutationLoad;
  readonly #item: string;
  rows = 0;
  #mutations = 0;

  constructor(client: Awaited<ReturnType<typeof connectCassandra>>, load: MutationLoad) {
    this.#client = client;
    this.#load = load;
    this.#item = randomBytes(load.rowBytes).toString('base64').slice(0, load.rowBytes);
  }

  /** Rows per second. */
  async writeFor(ms: number): Promise<number> {
    const [before, began] = [this.rows, performance.now()];
    const work = async (): Promise<void> => {
      while (performance.now() - began < ms) await this.#mutate();
    };
    await Promise.all(Array.from({ length: limits.storeWritesInFlightMax }, work));
    return ((this.rows - before) * 1000) / (performance.now() - began);
  }

  async #mutate(): Promise<void> {
    const mutation = ++this.#mutations;
    const from = Math.floor((mutation - 1) * this.#load.rowsPerMutation);
    const count = Math.max(1, Math.floor(mutation * this.#load.rowsPerMutation) - from);
    const user = `u${(Math.imul(mutation, 0x9e3779b1) >>> 0) % people}`;
    const all = Array.from({ length: count }, (_, at) => {
      const id = `n_${String(from + at).padStart(14, '0')}`;
      return { query: putItem, params: [mutation, (90 * dayMs) / 1000, this.#item, 'default', user, id] };
    });
    const [first] = all;
    if (first === undefined) return;
    const options = { prepare: true, isIdempotent: true, logged: false };
    if (count === 1) await this.#client.execute(first.query, first.params, options);
    else await this.#client.batch(all, options);
    this.rows += count;
  }
}
