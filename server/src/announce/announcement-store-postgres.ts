/** Announcements in PostgreSQL, for the cluster: a row each. */
import type { Database } from '../base/database.ts';
import type { TenantId } from '../base/ids.ts';
import type { Announcement, AnnouncementId } from './announcement.ts';
import { type AnnouncementStore, isUnderWay } from './announcement-store.ts';

interface Row {
  /** JSON: as text, since it may hold what `jsonb` does not take. */
  readonly document: string;
}

export class AnnouncementStorePostgres implements AnnouncementStore {
  readonly #db: Database;
  readonly #table: string;

  /** The database is migrated, and the caller's to close. */
  constructor(db: Database) {
    this.#db = db;
    this.#table = `${db.schema}.announcements`;
  }

  async create(announcement: Announcement): Promise<void> {
    const { tenant, id, version } = announcement;
    await this.#db.query(
      `INSERT INTO ${this.#table} (tenant, id, version, under_way, document) VALUES ($1, $2, $3, $4, $5)`,
      [tenant, id, version, isUnderWay(announcement), JSON.stringify(announcement)],
    );
  }

  async get(tenant: TenantId, id: AnnouncementId): Promise<Announcement | null> {
    const [row] = await this.#db.query<Row>(`SELECT document FROM ${this.#table} WHERE tenant = $1 AND id = $2`, [
      tenant,
      id,
    ]);
    return row === undefined ? null : toAnnouncement(row);
  }

  async list(tenant: TenantId, max: number): Promise<readonly Announcement[]> {
    const rows = await this.#db.query<Row>(
      `SELECT document FROM ${this.#table} WHERE tenant = $1 ORDER BY id DESC LIMIT $2`,
      [tenant, max],
    );
    return rows.map(toAnnouncement);
  }

  async replace(announcement: Announcement): Promise<boolean> {
    const { tenant, id, version } = announcement;
    const rows = await this.#db.query(
      `UPDATE ${this.#table} SET version = $3, under_way = $4, document = $5
       WHERE tenant = $1 AND id = $2 AND version = $3 - 1 RETURNING 1`,
      [tenant, id, version, isUnderWay(announcement), JSON.stringify(announcement)],
    );
    return rows.length > 0;
  }

  async underWay(max: number): Promise<readonly Announcement[]> {
    const rows = await this.#db.query<Row>(`SELECT document FROM ${this.#table} WHERE under_way LIMIT $1`, [max]);
    return rows.map(toAnnouncement);
  }
}

function toAnnouncement({ document }: Row): Announcement {
  return JSON.parse(document) as Announcement;
}
