/**
 * Who has changed, from the table `profile_changes`, for the watchers of one process: asked for every
 * `limits.profileWatchMs`. So nothing gets lost with a connection, and it costs the same whatever is in memory.
 *
 * Rows carry the number of their transaction. A transaction may become visible long after one with a greater number, so
 * it is always read on from the oldest that had not ended at the time of the last reading; rows that come twice for that
 * are told once.
 *
 *   lost ──read──▶ following (after telling `missed`: changes until now may be in memory already)
 *   following ──no answer for so long that a change could be too old──▶ still following, but `missed` at every look
 *   following ──more rows than are taken at once, or rows are gone already──▶ lost
 */
import type { Clock } from '../../base/clock.ts';
import type { Database } from '../../base/database.ts';
import { type PersonKey, personKey } from '../../base/ids.ts';
import { limits } from '../../base/limits.ts';
import { series, telemetry } from '../../base/telemetry.ts';
import type { ProfileWatchers } from '../profile-watchers.ts';

const doubted = series('carillon_profiles_doubted_total', {});

interface ChangeRow {
  readonly id: string;
  readonly tenant: string;
  readonly person: string;
}

/** After this without an answer a change could become older than promised before the next look but one. */
const silentMaxMs = limits.profileStaleMs - 2 * limits.profileWatchMs;

export class ChangeFeed {
  readonly #db: Database;
  readonly #clock: Clock;
  readonly #watchers: ProfileWatchers;
  /** The oldest transaction not known to have ended; null: lost. */
  #from: string | null = null;
  /** When the last reading that succeeded began. */
  #readAtMs = Number.NEGATIVE_INFINITY;
  /** Rows that were told and may come again. */
  #told: ReadonlySet<string> = new Set();
  #reading: Promise<void> | null = null;
  #cancel: (() => void) | null = null;

  constructor(db: Database, clock: Clock, watchers: ProfileWatchers) {
    this.#db = db;
    this.#clock = clock;
    this.#watchers = watchers;
  }

  /** Begins with the first watcher; called again, nothing happens. */
  start(): void {
    if (this.#cancel !== null) return;
    this.#cancel = this.#clock.every(limits.profileWatchMs, () => this.#look());
    this.#look();
  }

  async stop(): Promise<void> {
    this.#cancel?.();
    this.#cancel = null;
    await this.#reading;
  }

  /** Resolves once everything committed before the call has been told. */
  async read(): Promise<void> {
    await this.#reading;
    await this.#begin();
  }

  #look(): void {
    if (this.#clock.monotonic() - this.#readAtMs > silentMaxMs) {
      // At the start nothing is in memory yet.
      if (this.#from !== null) telemetry.add(doubted);
      this.#watchers.missed();
    }
    void this.#begin();
  }

  #begin(): Promise<void> {
    this.#reading ??= this.#read().finally(() => {
      this.#reading = null;
    });
    return this.#reading;
  }

  async #read(): Promise<void> {
    const beganMs = this.#clock.monotonic();
    // Rows may have been removed since.
    if (beganMs - this.#readAtMs > limits.profileChangesKeptMs / 2) this.#from = null;
    try {
      if (this.#from === null) await this.#findPlace();
      else await this.#readOn(this.#from);
      this.#readAtMs = beganMs;
    } catch {
      // Until one succeeds, each look tells `missed`.
    }
  }

  async #findPlace(): Promise<void> {
    const [row] = await this.#db.query<{ oldest: string }>('SELECT pg_snapshot_xmin(pg_current_snapshot()) AS oldest');
    this.#from = row?.oldest ?? null;
    this.#told = new Set();
    this.#watchers.missed();
  }

  async #readOn(from: string): Promise<void> {
    const rows = await this.#db.query<ChangeRow & { oldest: string }>(
      `SELECT pg_snapshot_xmin(pg_current_snapshot()) AS oldest, id, tenant, person
       FROM (SELECT 1) AS one
       LEFT JOIN (
         SELECT id, tenant, person FROM ${this.#db.schema}.profile_changes WHERE changed >= $1::xid8 LIMIT $2
       ) AS changes ON true`,
      [from, limits.profileChangesMax + 1],
    );
    if (rows.length > limits.profileChangesMax) {
      await this.#findPlace();
      return;
    }
    const found = rows.filter(({ id }) => id !== null);
    const fresh = found.filter(({ id }) => !this.#told.has(id));
    this.#told = new Set(found.map(({ id }) => id));
    this.#from = rows[0]?.oldest ?? from;
    const people = new Set<PersonKey>(fresh.map(({ tenant, person }) => personKey(tenant, person)));
    this.#watchers.changed([...people]);
  }
}
