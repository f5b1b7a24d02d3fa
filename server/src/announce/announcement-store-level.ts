/**
 * Announcements in LevelDB, for the embedded engine, under a prefix of the database that others use too:
 *
 *     <prefix>a<tenant> NUL <id>   one
 *             u<tenant> NUL <id>   there while it is scheduled or running
 */
import { type LevelDatabase, LevelWrites } from '../audience/level-database.ts';
import type { TenantId } from '../base/ids.ts';
import type { Announcement, AnnouncementId } from './announcement.ts';
import { type AnnouncementStore, isUnderWay } from './announcement-store.ts';

export class AnnouncementStoreLevel implements AnnouncementStore {
  readonly #db: LevelDatabase;
  readonly #prefix: string;
  readonly #writes: LevelWrites;

  /** Takes an open database, which stays the caller's to close. */
  constructor(db: LevelDatabase, prefix = 'announcement/') {
    this.#db = db;
    this.#prefix = prefix;
    this.#writes = new LevelWrites(db);
  }

  create(announcement: Announcement): Promise<void> {
    return this.#writes.inTurn(() => this.#put(announcement));
  }

  async get(tenant: TenantId, id: AnnouncementId): Promise<Announcement | null> {
    return this.#read(`${tenant}\0${id}`);
  }

  async list(tenant: TenantId, max: number): Promise<readonly Announcement[]> {
    const start = `${this.#prefix}a${tenant}`;
    const texts = await this.#db.values({ gt: `${start}\0`, lt: `${start}\u0001`, reverse: true, limit: max }).all();
    return texts.map((text) => JSON.parse(text) as Announcement);
  }

  replace(announcement: Announcement): Promise<boolean> {
    return this.#writes.inTurn(async () => {
      if (this.#read(placeOf(announcement))?.version !== announcement.version - 1) return false;
      await this.#put(announcement);
      return true;
    });
  }

  async underWay(max: number): Promise<readonly Announcement[]> {
    const start = `${this.#prefix}u`;
    const keys = await this.#db.keys({ gte: start, lt: `${this.#prefix}v`, limit: max }).all();
    return keys.map((key) => this.#read(key.slice(start.length))).filter((each) => each !== null);
  }

  /** All of all tenants: for a copy. */
  async *all(): AsyncIterable<Announcement> {
    for await (const text of this.#db.values({ gte: `${this.#prefix}a`, lt: `${this.#prefix}b` })) {
      yield JSON.parse(text) as Announcement;
    }
  }

  async #put(announcement: Announcement): Promise<void> {
    const place = placeOf(announcement);
    const batch = this.#db.batch().put(`${this.#prefix}a${place}`, JSON.stringify(announcement));
    if (isUnderWay(announcement)) batch.put(`${this.#prefix}u${place}`, '');
    else batch.del(`${this.#prefix}u${place}`);
    await batch.write({ sync: true });
  }

  #read(place: string): Announcement | null {
    const text = this.#db.getSync(`${this.#prefix}a${place}`);
    return text === undefined ? null : (JSON.parse(text) as Announcement);
  }
}

function placeOf({ tenant, id }: Announcement): string {
  return `${tenant}\0${id}`;
}
