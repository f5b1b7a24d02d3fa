/**
 * Broadcasts in LevelDB, for the embedded engine, under a prefix of the database that others use too:
 *
 *     <prefix>b<tenant> NUL <number>     one, without its record
 *             r<tenant> NUL <number>     its record
 *             a<audience> NUL <number>   those of an audience
 *             l<audience>                the last one of an audience, so that those without any cost one look
 *             i<id>                      its number
 *             h<tenant>                  the newest number
 *             p<person>                  the number through which the inbox has them
 */
import { type AudienceKey, type PersonKey, splitAudienceKey, type TenantId } from '../base/ids.ts';
import type { Broadcast, BroadcastStore, NumberedBroadcast } from './broadcast-store.ts';
import { type LevelDatabase, LevelWrites } from './level-database.ts';

const numberDigits = 16;
/** Removed at once; the next turn takes the rest. */
const pruneRowsMax = 100;

export class BroadcastStoreLevel implements BroadcastStore {
  readonly #db: LevelDatabase;
  readonly #prefix: string;
  readonly #writes: LevelWrites;

  /** Takes an open database, which stays the caller's to close. */
  constructor(db: LevelDatabase, prefix = 'broadcast/') {
    this.#db = db;
    this.#prefix = prefix;
    this.#writes = new LevelWrites(db);
  }

  keep(broadcast: Broadcast, record: Buffer): Promise<number> {
    return this.#writes.inTurn(async () => {
      const { id, audience } = broadcast;
      const known = this.#number(`i${id}`);
      if (known > 0) return known;
      const { tenant } = splitAudienceKey(audience);
      const number = this.#number(`h${tenant}`) + 1;
      const place = `${tenant}\0${digits(number)}`;
      await this.#db
        .batch()
        .put(`${this.#prefix}b${place}`, JSON.stringify({ ...broadcast, number } satisfies NumberedBroadcast))
        .put(`${this.#prefix}r${place}`, record.toString('base64'))
        .put(`${this.#prefix}a${audience}\0${digits(number)}`, '')
        .put(`${this.#prefix}l${audience}`, String(number))
        .put(`${this.#prefix}i${id}`, String(number))
        .put(`${this.#prefix}h${tenant}`, String(number))
        .write();
      return number;
    });
  }

  async newest(tenant: TenantId): Promise<number> {
    return this.#number(`h${tenant}`);
  }

  async recent(tenant: TenantId, max: number): Promise<readonly NumberedBroadcast[]> {
    const texts = await this.#db.values({ ...this.#rangeOf(tenant), reverse: true, limit: max }).all();
    return texts.map((text) => JSON.parse(text) as NumberedBroadcast).reverse();
  }

  async ofAudiences(
    audiences: readonly AudienceKey[],
    after: number,
    max: number,
  ): Promise<readonly NumberedBroadcast[]> {
    const found: NumberedBroadcast[] = [];
    for (const audience of audiences) {
      if (this.#number(`l${audience}`) <= after) continue;
      const start = `${this.#prefix}a${audience}\0`;
      const range = { gt: start + digits(after), lt: `${this.#prefix}a${audience}\u0001`, reverse: true, limit: max };
      const { tenant } = splitAudienceKey(audience);
      for (const key of await this.#db.keys(range).all()) {
        const text = this.#db.getSync(`${this.#prefix}b${tenant}\0${key.slice(start.length)}`);
        if (text !== undefined) found.push(JSON.parse(text) as NumberedBroadcast);
      }
    }
    return found.sort((a, b) => a.number - b.number).slice(-max);
  }

  async records(tenant: TenantId, numbers: readonly number[]): Promise<ReadonlyMap<number, Buffer>> {
    const found = new Map<number, Buffer>();
    for (const number of numbers) {
      const text = this.#db.getSync(`${this.#prefix}r${tenant}\0${digits(number)}`);
      if (text !== undefined) found.set(number, Buffer.from(text, 'base64'));
    }
    return found;
  }

  async through(people: readonly PersonKey[]): Promise<readonly number[]> {
    return people.map((person) => this.#number(`p${person}`));
  }

  advance(people: readonly PersonKey[], through: number): Promise<void> {
    return this.#writes.inTurn(async () => {
      const batch = this.#db.batch();
      for (const person of people) {
        if (this.#number(`p${person}`) < through) batch.put(`${this.#prefix}p${person}`, String(through));
      }
      await batch.write();
    });
  }

  /** All that are kept, those of a tenant in their order: for a copy. */
  async *all(): AsyncIterable<NumberedBroadcast> {
    const range = { gte: `${this.#prefix}b`, lt: `${this.#prefix}c` };
    for await (const text of this.#db.values(range)) yield JSON.parse(text) as NumberedBroadcast;
  }

  /** How far everybody has them: for a copy. */
  async *readers(): AsyncIterable<{ person: PersonKey; through: number }> {
    const start = `${this.#prefix}p`;
    for await (const [key, text] of this.#db.iterator({ gte: start, lt: `${this.#prefix}q` })) {
      yield { person: key.slice(start.length) as PersonKey, through: Number(text) };
    }
  }

  prune(beforeMs: number): Promise<number> {
    return this.#writes.inTurn(async () => {
      const due: NumberedBroadcast[] = [];
      for (const key of await this.#db.keys({ gte: `${this.#prefix}h`, lt: `${this.#prefix}i` }).all()) {
        const tenant = key.slice(this.#prefix.length + 1) as TenantId;
        for await (const text of this.#db.values({ ...this.#rangeOf(tenant), limit: pruneRowsMax })) {
          const broadcast = JSON.parse(text) as NumberedBroadcast;
          if (broadcast.acceptedMs < beforeMs) due.push(broadcast);
        }
      }
      if (due.length === 0) return 0;
      const batch = this.#db.batch();
      for (const { id, audience, number } of due) {
        const place = `${splitAudienceKey(audience).tenant}\0${digits(number)}`;
        batch.del(`${this.#prefix}b${place}`).del(`${this.#prefix}r${place}`).del(`${this.#prefix}i${id}`);
        batch.del(`${this.#prefix}a${audience}\0${digits(number)}`);
        if (this.#number(`l${audience}`) === number) batch.del(`${this.#prefix}l${audience}`);
      }
      await batch.write();
      return due.length;
    });
  }

  #rangeOf(tenant: TenantId): { gt: string; lt: string } {
    return { gt: `${this.#prefix}b${tenant}\0`, lt: `${this.#prefix}b${tenant}\u0001` };
  }

  #number(key: string): number {
    return Number(this.#db.getSync(this.#prefix + key) ?? 0);
  }
}

function digits(number: number): string {
  return String(number).padStart(numberDigits, '0');
}
