/**
 * Profiles in PostgreSQL, for the cluster: a row per person, and a row for a while that says who has changed, written
 * together. Changes of one person wait for each other on a lock of the person's name, since there may be no row yet.
 */
import type { Clock } from '../base/clock.ts';
import type { Database, Queries } from '../base/database.ts';
import { type PersonKey, personKey, splitPersonKey, type TenantId } from '../base/ids.ts';
import { limits } from '../base/limits.ts';
import type { SecretBox } from '../base/secret-box.ts';
import { applyChanges } from './apply-changes.ts';
import { ChangeFeed } from './postgres/change-feed.ts';
import type { PersonProfile, Profile } from './profile.ts';
import type { ChangeOutcome, PersonChange } from './profile-change.ts';
import { decodeMutes, encodeMutes, type FactsRow, type MuteRow, ProfileCodec } from './profile-codec.ts';
import type { PostgresProfiles, ProfileStep } from './profile-step.ts';
import type { ProfileStore, ProfileWatcher } from './profile-store.ts';
import { changedPeople, ProfileWatchers } from './profile-watchers.ts';
import type { Resealable, Resealed } from './resealing.ts';

interface Row {
  readonly tenant: string;
  readonly person: string;
  /** The driver gives 64 bits as text. */
  readonly revision: string;
  readonly version: string;
  readonly choices: Profile['choices'];
  readonly facts: FactsRow | null;
  readonly mutes: readonly MuteRow[];
  readonly devices: number;
}

const columns = 'tenant, person, revision, version, choices, facts, mutes, devices';

export class ProfileStorePostgres implements ProfileStore, PostgresProfiles, Resealable {
  readonly feed: ChangeFeed;
  readonly #db: Database;
  readonly #clock: Clock;
  readonly #codec: ProfileCodec;
  readonly #watchers = new ProfileWatchers();
  #changedAtMs = 0;
  #cancelTrim: (() => void) | null = null;
  #trimming: Promise<unknown> = Promise.resolve();

  /** The database is migrated, and the caller's to close. */
  constructor(db: Database, { clock, box }: { clock: Clock; box: SecretBox }) {
    this.#db = db;
    this.#codec = new ProfileCodec(box);
    this.#clock = clock;
    this.feed = new ChangeFeed(db, clock, this.#watchers);
  }

  async read(people: readonly PersonKey[]): Promise<readonly (Profile | null)[]> {
    const stored = await this.#stored(this.#db, [...new Set(people)]);
    return people.map((person) => stored.get(person) ?? null);
  }

  async change(changes: readonly PersonChange[]): Promise<readonly ChangeOutcome[]> {
    const outcomes: ChangeOutcome[] = [];
    for (let at = 0; at < changes.length; at += limits.profileChangesPerStep) {
      outcomes.push(...(await this.#changeSome(changes.slice(at, at + limits.profileChangesPerStep))));
    }
    return outcomes;
  }

  async changeWith<Result>(
    names: readonly string[],
    plan: (queries: Queries) => Promise<ProfileStep<Result>>,
  ): Promise<Result> {
    const { result } = await this.#step(names, plan);
    return result;
  }

  async page(after: PersonKey | null, max: number): Promise<readonly PersonProfile[]> {
    const { tenant, user } = after === null ? { tenant: '', user: '' } : splitPersonKey(after);
    const rows = await this.#db.query<Row>(
      `SELECT ${columns} FROM ${this.#db.schema}.profiles
       WHERE (tenant, person) > ($1, $2) ORDER BY tenant, person LIMIT $3`,
      [tenant, user, max],
    );
    return rows.map((row) => ({ person: personKey(row.tenant, row.person), profile: this.#toProfile(row) }));
  }

  async findByEmail(tenant: TenantId, email: string): Promise<readonly PersonKey[]> {
    const sql = `SELECT person FROM ${this.#db.schema}.profiles WHERE email_index = $1 AND tenant = $2`;
    const rows = await this.#db.query<Pick<Row, 'person'>>(sql, [this.#codec.emailIndex(tenant, email), tenant]);
    return rows.map(({ person }) => personKey(tenant, person));
  }

  async reseal(after: string | null, max: number): Promise<Resealed> {
    const { tenant, user } = after === null ? { tenant: '', user: '' } : splitPersonKey(after as PersonKey);
    const rows = await this.#db.query<Row>(
      `SELECT ${columns} FROM ${this.#db.schema}.profiles
       WHERE (tenant, person) > ($1, $2) ORDER BY tenant, person LIMIT $3`,
      [tenant, user, max],
    );
    let changed = 0;
    for (const row of rows) {
      if (!this.#codec.isOutdated(row.facts)) continue;
      const person = personKey(row.tenant, row.person);
      const profile = this.#toProfile(row);
      const facts = JSON.stringify(this.#codec.encodeFacts(person, profile.facts));
      // Whoever changes it meanwhile encrypts it anew as well.
      await this.#db.query(
        `UPDATE ${this.#db.schema}.profiles SET facts = $1, email_index = $2
         WHERE tenant = $3 AND person = $4 AND revision = $5`,
        [facts, this.#codec.indexOf(person, profile), row.tenant, row.person, row.revision],
      );
      changed++;
    }
    const last = rows.at(-1);
    return { next: last === undefined ? null : personKey(last.tenant, last.person), changed };
  }

  watch(watcher: ProfileWatcher): () => void {
    const stop = this.#watchers.add(watcher);
    this.feed.start();
    return stop;
  }

  async close(): Promise<void> {
    this.#watchers.clear();
    this.#cancelTrim?.();
    // For good: one under way asks for no other.
    this.#cancelTrim = () => {};
    await this.feed.stop();
    await this.trimmed();
  }

  /** Resolves when no removal of old rows is under way. */
  async trimmed(): Promise<void> {
    await this.#trimming;
  }

  async #changeSome(changes: readonly PersonChange[]): Promise<readonly ChangeOutcome[]> {
    const people = changes.map(({ person }) => person);
    const { outcomes } = await this.#step(people, async () => ({ changes, result: null }));
    return outcomes;
  }

  async #step<Result>(
    names: readonly string[],
    plan: (queries: Queries) => Promise<ProfileStep<Result>>,
  ): Promise<{ result: Result; outcomes: readonly ChangeOutcome[] }> {
    const { changes, result, outcomes } = await this.#db.transaction(async (queries) => {
      // In one order for all, so that no two wait for each other.
      await queries.query(
        `SELECT pg_advisory_xact_lock(key)
         FROM (SELECT DISTINCT hashtextextended(name, 0) AS key FROM unnest($1::text[]) AS name ORDER BY key) AS keys`,
        [names],
      );
      const step = await plan(queries);
      const people = [...new Set(step.changes.map(({ person }) => person))];
      const applied = applyChanges(step.changes, await this.#stored(queries, people), this.#clock.now());
      if (applied.writes.size > 0) await this.#write(queries, applied.writes);
      return { ...step, outcomes: applied.outcomes };
    });
    if (changes.length > 0) {
      this.#changedAtMs = this.#clock.monotonic();
      this.#trimLater();
      this.#watchers.changed(changedPeople(changes, outcomes));
    }
    return { result, outcomes };
  }

  async #stored(queries: Queries, people: readonly PersonKey[]): Promise<Map<PersonKey, Profile>> {
    if (people.length === 0) return new Map();
    const rows = await queries.query<Row>(
      `SELECT ${columns} FROM ${this.#db.schema}.profiles JOIN unnest($1::text[], $2::text[]) AS asked (tenant, person)
       USING (tenant, person)`,
      namesOf(people),
    );
    return new Map(rows.map((row) => [personKey(row.tenant, row.person), this.#toProfile(row)]));
  }

  async #write(queries: Queries, writes: ReadonlyMap<PersonKey, Profile | null>): Promise<void> {
    const { schema } = this.#db;
    const all = [...writes.keys()];
    const kept = [...writes].flatMap(([person, profile]) => (profile === null ? [] : [{ person, profile }]));
    await queries.query(
      `INSERT INTO ${schema}.profiles (${columns}, email_index)
       SELECT tenant, person, revision, version, choices::jsonb, facts::jsonb, mutes::jsonb, devices, email_index
       FROM unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[], $5::text[], $6::text[], $7::text[], $8::int[],
         $9::text[]) AS given (${columns}, email_index)
       ON CONFLICT (tenant, person) DO UPDATE SET revision = excluded.revision, version = excluded.version,
         choices = excluded.choices, facts = excluded.facts, mutes = excluded.mutes, devices = excluded.devices,
         email_index = excluded.email_index`,
      [
        ...namesOf(kept.map(({ person }) => person)),
        kept.map(({ profile }) => profile.revision),
        kept.map(({ profile }) => profile.version),
        kept.map(({ profile }) => JSON.stringify(profile.choices)),
        kept.map(({ person, profile }) => {
          const facts = this.#codec.encodeFacts(person, profile.facts);
          return facts === null ? null : JSON.stringify(facts);
        }),
        kept.map(({ profile }) => JSON.stringify(encodeMutes(profile.mutes))),
        kept.map(({ profile }) => profile.devices),
        kept.map(({ person, profile }) => this.#codec.indexOf(person, profile)),
      ],
    );
    const erased = all.filter((person) => writes.get(person) === null);
    if (erased.length > 0) {
      await queries.query(
        `DELETE FROM ${schema}.profiles USING unnest($1::text[], $2::text[]) AS erased (tenant, person)
         WHERE profiles.tenant = erased.tenant AND profiles.person = erased.person`,
        namesOf(erased),
      );
    }
    await queries.query(
      `INSERT INTO ${schema}.profile_changes (tenant, person) SELECT * FROM unnest($1::text[], $2::text[])`,
      namesOf(all),
    );
  }

  #toProfile({ tenant, person, revision, version, choices, facts, mutes, devices }: Row): Profile {
    return {
      revision: Number(revision),
      version: Number(version),
      choices,
      facts: this.#codec.decodeFacts(personKey(tenant, person), facts),
      mutes: decodeMutes(mutes),
      devices,
    };
  }

  /** Who writes rows about changes also removes them, soon after everybody has read them. */
  #trimLater(): void {
    this.#cancelTrim ??= this.#clock.after(limits.profileChangesKeptMs + limits.profileWatchMs, () => {
      this.#cancelTrim = null;
      this.#trimming = this.#trim();
    });
  }

  async #trim(): Promise<void> {
    const beganMs = this.#clock.monotonic();
    const sql = `DELETE FROM ${this.#db.schema}.profile_changes WHERE at < now() - $1 * interval '1 millisecond'`;
    const isDone = await this.#db.query(sql, [limits.profileChangesKeptMs]).then(
      () => true,
      () => false,
    );
    // What was written meanwhile was too young.
    if (!isDone || this.#changedAtMs > beganMs - limits.profileChangesKeptMs) this.#trimLater();
  }
}

/** Tenants and names, as two lists of values. */
function namesOf(people: readonly PersonKey[]): [tenants: string[], users: string[]] {
  const names = people.map(splitPersonKey);
  return [names.map(({ tenant }) => tenant), names.map(({ user }) => user)];
}
