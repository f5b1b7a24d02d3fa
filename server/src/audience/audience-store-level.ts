/**
 * Subscriptions in LevelDB, for the embedded engine, under a prefix of the database that others use too:
 *
 *     <prefix>a<audience>              number of members; there once it has had one
 *             m<audience> NUL <user>   a membership, also of whoever left lately
 *             p<person> NUL <audience> an audience of a person
 *             n<audience> NUL <user>   a member who asked to be pushed
 *             l<taken>:<audience> NUL <user>   departures in order of time, to be forgotten
 *
 * NUL cannot occur in a name, so no audience's range reaches into another's. Changes go one call after another, since
 * they read before they write.
 */
import { type AudienceKey, type PersonKey, personKey, splitAudienceKey } from '../base/ids.ts';
import { limits } from '../base/limits.ts';
import type { MemberPage } from './audience-source.ts';
import type { ApplyOptions, AudienceStore, AudiencesPage, PlaceInAudience } from './audience-store.ts';
import { type LevelDatabase, LevelWrites } from './level-database.ts';
import { changed, decodeMembership, encodeMembership, type Membership, type MembershipChange } from './membership.ts';

type Batch = ReturnType<LevelDatabase['batch']>;

/** What one write does, gathered so that changes of the same call see each other. */
interface Draft {
  readonly batch: Batch;
  readonly memberships: Map<string, Membership>;
  readonly counts: Map<AudienceKey, number>;
}

const timeDigits = 16;
/** Removed at once; the next turn takes the rest. */
const pruneRowsMax = 1000;

export class AudienceStoreLevel implements AudienceStore {
  readonly #db: LevelDatabase;
  readonly #prefix: string;
  readonly #writes: LevelWrites;

  /** Takes an open database, which stays the caller's to close. */
  constructor(db: LevelDatabase, prefix = 'audience/') {
    this.#db = db;
    this.#writes = new LevelWrites(db);
    this.#prefix = prefix;
  }

  apply(changes: readonly MembershipChange[], { logged }: ApplyOptions): Promise<void> {
    return this.#writes.inTurn(async () => {
      const draft = this.#draft();
      for (const change of changes) this.#put(draft, change);
      for (const [audience, count] of draft.counts) draft.batch.put(`${this.#prefix}a${audience}`, String(count));
      if (draft.batch.length > 0) await draft.batch.write({ sync: !logged });
      else await draft.batch.close();
    });
  }

  async members(audience: AudienceKey, after: string | null, max: number): Promise<MemberPage> {
    const start = this.#memberKey(audience, '');
    const range = { gt: start + (after ?? ''), lt: `${this.#prefix}m${audience}\u0001`, limit: max };
    const entries = await this.#db.iterator(range).all();
    const members = entries.flatMap(([key, text]) => {
      const { present, notify } = decodeMembership(text);
      return present ? [{ user: key.slice(start.length), notify }] : [];
    });
    const last = entries.length < max ? undefined : entries.at(-1);
    return { members, next: last === undefined ? null : last[0].slice(start.length) };
  }

  async askedForPush(audience: AudienceKey, after: string | null, max: number): Promise<MemberPage> {
    const start = `${this.#prefix}n${audience}\0`;
    const range = { gt: start + (after ?? ''), lt: `${this.#prefix}n${audience}\u0001`, limit: max };
    const users = (await this.#db.keys(range).all()).map((key) => key.slice(start.length));
    const members = users.map((user) => ({ user, notify: true }));
    return { members, next: users.length < max ? null : (users.at(-1) ?? null) };
  }

  async count(audience: AudienceKey): Promise<number> {
    return Number(this.#db.getSync(`${this.#prefix}a${audience}`) ?? 0);
  }

  async membership(audience: AudienceKey, user: string): Promise<Membership | null> {
    const text = this.#db.getSync(this.#memberKey(audience, user));
    return text === undefined ? null : decodeMembership(text);
  }

  async memberships(places: readonly PlaceInAudience[]): Promise<(Membership | null)[]> {
    return places.map(({ audience, user }) => {
      const text = this.#db.getSync(this.#memberKey(audience, user));
      return text === undefined ? null : decodeMembership(text);
    });
  }

  async isKnown(audience: AudienceKey): Promise<boolean> {
    return this.#db.getSync(`${this.#prefix}a${audience}`) !== undefined;
  }

  async audiencesOf(person: PersonKey, above: number, after: string | null): Promise<AudiencesPage> {
    const start = `${this.#prefix}p${person}\0`;
    const tenant = person.slice(0, person.indexOf('\u0001') + 1);
    const max = limits.audiencesPageMax;
    const range = { gt: start + (after ?? ''), lt: `${this.#prefix}p${person}\u0001`, limit: max };
    const found = (await this.#db.keys(range).all()).map((key) => key.slice(start.length));
    const audiences: string[] = [];
    for (const audience of found) {
      if ((await this.count(`${tenant}${audience}` as AudienceKey)) > above) audiences.push(audience);
    }
    return { audiences, next: found.length < max ? null : (found.at(-1) ?? null) };
  }

  /** All memberships, departures among them, as changes that make them anew: for a copy. */
  async *all(): AsyncIterable<MembershipChange> {
    const start = `${this.#prefix}m`;
    for await (const [key, text] of this.#db.iterator({ gte: start, lt: `${this.#prefix}n` })) {
      const [audience, user] = key.slice(start.length).split('\0') as [AudienceKey, string];
      yield { audience, user, ...decodeMembership(text) };
    }
  }

  /** All audiences that are known, with how many are in them: for a copy. */
  async *counts(): AsyncIterable<{ audience: AudienceKey; count: number }> {
    const start = `${this.#prefix}a`;
    for await (const [key, text] of this.#db.iterator({ gte: start, lt: `${this.#prefix}b` })) {
      yield { audience: key.slice(start.length) as AudienceKey, count: Number(text) };
    }
  }

  prune(beforeMs: number): Promise<number> {
    return this.#writes.inTurn(async () => {
      const range = { gte: `${this.#prefix}l`, lt: this.#leftKey(beforeMs, ''), limit: pruneRowsMax };
      const due = await this.#db.keys(range).all();
      if (due.length === 0) return 0;
      const batch = this.#db.batch();
      const skip = this.#leftKey(0, '').length;
      for (const key of due) {
        const memberKey = `${this.#prefix}m${key.slice(skip)}`;
        const text = this.#db.getSync(memberKey);
        batch.del(key);
        const membership = text === undefined ? null : decodeMembership(text);
        // Whoever came back since is a member, or has left anew.
        if (membership !== null && !membership.present && membership.takenMs < beforeMs) batch.del(memberKey);
      }
      await batch.write();
      return due.length;
    });
  }

  #draft(): Draft {
    return { batch: this.#db.batch(), memberships: new Map(), counts: new Map() };
  }

  #put(draft: Draft, change: MembershipChange): void {
    const { audience, user, takenMs } = change;
    const key = this.#memberKey(audience, user);
    const before = this.#read(draft, key);
    const after = changed(before, change);
    if (after === null) return;
    draft.memberships.set(key, after);
    draft.batch.put(key, encodeMembership(after));
    if (!after.present) draft.batch.put(this.#leftKey(takenMs, `${audience}\0${user}`), '');
    const asked = `${this.#prefix}n${audience}\0${user}`;
    if (after.notify) draft.batch.put(asked, '');
    else if (before?.notify === true) draft.batch.del(asked);
    const wasPresent = before?.present ?? false;
    if (after.present === wasPresent) return;
    const { tenant, audience: name } = splitAudienceKey(audience);
    const personAudience = `${this.#prefix}p${personKey(tenant, user)}\0${name}`;
    if (after.present) draft.batch.put(personAudience, '');
    else draft.batch.del(personAudience);
    draft.counts.set(audience, this.#countIn(draft, audience) + (after.present ? 1 : -1));
  }

  #read(draft: Draft, key: string): Membership | undefined {
    const drafted = draft.memberships.get(key);
    if (drafted !== undefined) return drafted;
    const text = this.#db.getSync(key);
    return text === undefined ? undefined : decodeMembership(text);
  }

  #countIn(draft: Draft, audience: AudienceKey): number {
    return draft.counts.get(audience) ?? Number(this.#db.getSync(`${this.#prefix}a${audience}`) ?? 0);
  }

  #memberKey(audience: AudienceKey, user: string): string {
    return `${this.#prefix}m${audience}\0${user}`;
  }

  #leftKey(takenMs: number, member: string): string {
    return `${this.#prefix}l${String(Math.max(0, takenMs)).padStart(timeDigits, '0')}:${member}`;
  }
}
