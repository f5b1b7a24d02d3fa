/**
 * Subscriptions in PostgreSQL, for the cluster: a row per membership, also of whoever left lately, and a row per audience
 * with its count, written together. Changes of one audience wait for each other on a lock of its name, since they read
 * before they write.
 */
import type { Database, Queries } from '../base/database.ts';
import { type AudienceKey, type PersonKey, splitAudienceKey, splitPersonKey } from '../base/ids.ts';
import { limits } from '../base/limits.ts';
import type { MemberPage } from './audience-source.ts';
import type { AudienceStore, AudiencesPage, PlaceInAudience } from './audience-store.ts';
import { changed, type Membership, type MembershipChange } from './membership.ts';

interface Row {
  readonly tenant: string;
  readonly audience: string;
  readonly person: string;
  readonly present: boolean;
  readonly notify: boolean;
  readonly seq: number | null;
  readonly time_ms: number;
  readonly taken_ms: number;
  /** Null where an earlier release wrote it: as `taken_ms`. */
  readonly since_ms: number | null;
}

/** One (audience, person), changed by all changes of it. */
interface Draft {
  readonly audience: AudienceKey;
  readonly user: string;
  readonly before: Membership | undefined;
  after: Membership | undefined;
}

const columns = 'tenant, audience, person, present, notify, seq, time_ms, taken_ms, since_ms';
const pruneRowsMax = 1000;

export class AudienceStorePostgres implements AudienceStore {
  readonly #db: Database;

  /** The database is migrated, and the caller's to close. */
  constructor(db: Database) {
    this.#db = db;
  }

  async apply(changes: readonly MembershipChange[]): Promise<void> {
    for (let at = 0; at < changes.length; at += limits.subscriptionsPerWrite) {
      const part = changes.slice(at, at + limits.subscriptionsPerWrite);
      await this.#db.transaction((queries) => this.#applySome(queries, part));
    }
  }

  async members(key: AudienceKey, after: string | null, max: number): Promise<MemberPage> {
    return this.#page(key, after, { max, which: 'present' });
  }

  askedForPush(key: AudienceKey, after: string | null, max: number): Promise<MemberPage> {
    return this.#page(key, after, { max, which: 'present AND notify' });
  }

  async #page(
    key: AudienceKey,
    after: string | null,
    { max, which }: { max: number; which: string },
  ): Promise<MemberPage> {
    const { tenant, audience } = splitAudienceKey(key);
    const rows = await this.#db.query<Pick<Row, 'person' | 'notify'>>(
      `SELECT person, notify FROM ${this.#db.schema}.audience_members
       WHERE tenant = $1 AND audience = $2 AND person > $3 AND ${which} ORDER BY person LIMIT $4`,
      [tenant, audience, after ?? '', max],
    );
    const members = rows.map(({ person, notify }) => ({ user: person, notify }));
    return { members, next: rows.length < max ? null : (rows.at(-1)?.person ?? null) };
  }

  async count(key: AudienceKey): Promise<number> {
    return (await this.#audience(key))?.members ?? 0;
  }

  async membership(key: AudienceKey, user: string): Promise<Membership | null> {
    const { tenant, audience } = splitAudienceKey(key);
    const [row] = await this.#db.query<Row>(
      `SELECT ${columns} FROM ${this.#db.schema}.audience_members WHERE tenant = $1 AND audience = $2 AND person = $3`,
      [tenant, audience, user],
    );
    return row === undefined ? null : toMembership(row);
  }

  async memberships(places: readonly PlaceInAudience[]): Promise<(Membership | null)[]> {
    const stored = await this.#stored(this.#db, places);
    return places.map((place) => stored.get(nameOf(place)) ?? null);
  }

  async isKnown(key: AudienceKey): Promise<boolean> {
    return (await this.#audience(key)) !== undefined;
  }

  async audiencesOf(person: PersonKey, above: number, after: string | null): Promise<AudiencesPage> {
    const { tenant, user } = splitPersonKey(person);
    const { schema } = this.#db;
    const max = limits.audiencesPageMax;
    const rows = await this.#db.query<{ audience: string; members: number }>(
      `SELECT audience, members::float8 AS members FROM (
         SELECT tenant, audience FROM ${schema}.audience_members
         WHERE tenant = $1 AND person = $2 AND present AND audience > $3 ORDER BY audience LIMIT $4
       ) AS own JOIN ${schema}.audiences USING (tenant, audience) ORDER BY audience`,
      [tenant, user, after ?? '', max],
    );
    const audiences = rows.filter(({ members }) => members > above).map(({ audience }) => audience);
    return { audiences, next: rows.length < max ? null : (rows.at(-1)?.audience ?? null) };
  }

  async prune(beforeMs: number): Promise<number> {
    const { schema } = this.#db;
    const rows = await this.#db.query(
      `DELETE FROM ${schema}.audience_members WHERE ctid IN (
         SELECT ctid FROM ${schema}.audience_members WHERE NOT present AND taken_ms < $1 LIMIT $2 FOR UPDATE SKIP LOCKED
       ) AND NOT present AND taken_ms < $1 RETURNING 1`,
      [beforeMs, pruneRowsMax],
    );
    return rows.length;
  }

  async #audience(key: AudienceKey): Promise<{ members: number } | undefined> {
    const { tenant, audience } = splitAudienceKey(key);
    const [row] = await this.#db.query<{ members: number }>(
      `SELECT members::float8 AS members FROM ${this.#db.schema}.audiences WHERE tenant = $1 AND audience = $2`,
      [tenant, audience],
    );
    return row;
  }

  async #applySome(queries: Queries, changes: readonly MembershipChange[]): Promise<void> {
    // In one order for all, so that no two wait for each other.
    await queries.query(
      `SELECT pg_advisory_xact_lock(key)
       FROM (SELECT DISTINCT hashtextextended(name, 1) AS key FROM unnest($1::text[]) AS name ORDER BY key) AS keys`,
      [[...new Set(changes.map(({ audience }) => audience))]],
    );
    const drafts = await this.#drafts(queries, changes);
    for (const change of changes) {
      const draft = drafts.get(nameOf(change)) as Draft;
      draft.after = changed(draft.after, change) ?? draft.after;
    }
    const written = [...drafts.values()].filter(({ before, after }) => after !== before);
    if (written.length === 0) return;
    await this.#write(queries, written);
    await this.#count(queries, written);
  }

  async #drafts(queries: Queries, changes: readonly MembershipChange[]): Promise<Map<string, Draft>> {
    const stored = await this.#stored(queries, changes);
    return new Map(
      changes.map((change) => {
        const { audience, user } = change;
        const before = stored.get(nameOf(change));
        return [nameOf(change), { audience, user, before, after: before }];
      }),
    );
  }

  async #stored(queries: Queries, changes: readonly PlaceInAudience[]): Promise<Map<string, Membership>> {
    const rows = await queries.query<Row>(
      `SELECT ${columns} FROM ${this.#db.schema}.audience_members
       JOIN (SELECT DISTINCT * FROM unnest($1::text[], $2::text[], $3::text[])) AS asked (tenant, audience, person)
       USING (tenant, audience, person)`,
      [
        changes.map(({ audience }) => splitAudienceKey(audience).tenant),
        changes.map(({ audience }) => splitAudienceKey(audience).audience),
        changes.map(({ user }) => user),
      ],
    );
    return new Map(rows.map((row) => [`${row.tenant}\u0001${row.audience}\0${row.person}`, toMembership(row)]));
  }

  async #write(queries: Queries, drafts: readonly Draft[]): Promise<void> {
    const names = drafts.map(({ audience }) => splitAudienceKey(audience));
    const states = drafts.map(({ after }) => after as Membership);
    await queries.query(
      `INSERT INTO ${this.#db.schema}.audience_members (${columns})
       SELECT * FROM unnest(
         $1::text[], $2::text[], $3::text[], $4::boolean[], $5::boolean[], $6::float8[], $7::float8[], $8::float8[], $9::float8[])
       ON CONFLICT (tenant, audience, person) DO UPDATE SET present = excluded.present, notify = excluded.notify,
         seq = excluded.seq, time_ms = excluded.time_ms, taken_ms = excluded.taken_ms,
         since_ms = excluded.since_ms`,
      [
        names.map(({ tenant }) => tenant),
        names.map(({ audience }) => audience),
        drafts.map(({ user }) => user),
        states.map(({ present }) => present),
        states.map(({ notify }) => notify),
        states.map(({ seq }) => seq),
        states.map(({ timeMs }) => timeMs),
        states.map(({ takenMs }) => takenMs),
        states.map(({ sinceMs }) => sinceMs),
      ],
    );
  }

  async #count(queries: Queries, drafts: readonly Draft[]): Promise<void> {
    const growth = new Map<AudienceKey, number>();
    for (const { audience, before, after } of drafts) {
      const by = Number(after?.present ?? false) - Number(before?.present ?? false);
      if (by !== 0) growth.set(audience, (growth.get(audience) ?? 0) + by);
    }
    if (growth.size === 0) return;
    const names = [...growth.keys()].map(splitAudienceKey);
    await queries.query(
      `INSERT INTO ${this.#db.schema}.audiences (tenant, audience, members)
       SELECT * FROM unnest($1::text[], $2::text[], $3::bigint[])
       ON CONFLICT (tenant, audience) DO UPDATE SET members = audiences.members + excluded.members`,
      [names.map(({ tenant }) => tenant), names.map(({ audience }) => audience), [...growth.values()]],
    );
  }
}

function nameOf({ audience, user }: Pick<MembershipChange, 'audience' | 'user'>): string {
  return `${audience}\0${user}`;
}

function toMembership({ present, notify, seq, time_ms: timeMs, taken_ms: takenMs, since_ms }: Row): Membership {
  return { present, notify, seq, timeMs, takenMs, sinceMs: since_ms ?? takenMs };
}
