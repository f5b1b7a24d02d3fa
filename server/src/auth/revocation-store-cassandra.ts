/**
 * Revoked sessions in Cassandra, spread over a fixed number of partitions, so that all can be read and none grows too
 * large. A row expires by itself a while after it counts no more.
 */
import type { Client } from 'cassandra-driver';
import type { Clock } from '../base/clock.ts';
import { fingerprintOf } from '../base/hash.ts';
import { limits } from '../base/limits.ts';
import { ttlSeconds } from '../base/ttl-seconds.ts';
import type { RevocationStore, RevokedSession } from './revocation-store.ts';

/** Never to be changed: it says where a session lies. */
const buckets = 64;
const pageRows = 5000;

const putSession = 'UPDATE revoked_sessions USING TTL ? SET until = ? WHERE bucket = ? AND session = ?';
const getSessions = 'SELECT session, until FROM revoked_sessions WHERE bucket = ?';

export class RevocationStoreCassandra implements RevocationStore {
  readonly #client: Client;
  readonly #clock: Clock;

  /** The client is connected to the keyspace and stays the caller's to close. */
  constructor(client: Client, clock: Clock) {
    this.#client = client;
    this.#clock = clock;
  }

  async put({ session, untilMs }: RevokedSession): Promise<void> {
    const ttl = ttlSeconds(untilMs, this.#clock.now(), limits.storeExpirySpareMs);
    const params = [ttl, untilMs, fingerprintOf(session) % buckets, session];
    await this.#client.execute(putSession, params, { prepare: true, isIdempotent: true });
  }

  async load(nowMs: number): Promise<readonly RevokedSession[]> {
    const all = await Promise.all(Array.from({ length: buckets }, (_, bucket) => this.#bucket(bucket)));
    return all.flat().filter(({ untilMs }) => untilMs > nowMs);
  }

  async #bucket(bucket: number): Promise<RevokedSession[]> {
    const sessions: RevokedSession[] = [];
    const options = { prepare: true, isIdempotent: true, fetchSize: pageRows };
    for await (const row of await this.#client.execute(getSessions, [bucket], options)) {
      sessions.push({ session: row.session, untilMs: row.until.toNumber() });
    }
    return sessions;
  }
}
