/**
 * Suppressions in LevelDB, under a prefix of the database that others use too: `<prefix><tenant> NUL <blind index>` holds
 * one. Changes go one after another, read and written with a sync each; only this store writes its keys.
 */
import type { Clock } from '../base/clock.ts';
import type { TenantId } from '../base/ids.ts';
import type { SecretBox } from '../base/secret-box.ts';
import type { ProfileBatch, ProfileDatabase } from './profile-step.ts';
import type { Resealable, Resealed } from './resealing.ts';
import { changeSuppression, type Suppression } from './suppression.ts';
import { type SuppressionRow, SuppressionRows } from './suppression-row.ts';
import type {
  AddressChange,
  ChangedSuppression,
  StoredSuppression,
  StoredSuppressionPage,
  SuppressionPage,
  SuppressionStore,
} from './suppression-store.ts';

export interface SuppressionStoreLevelParts {
  readonly db: ProfileDatabase;
  /** Ends with a slash. */
  readonly prefix: string;
  readonly clock: Clock;
  readonly box: SecretBox;
  readonly softBouncesMax: number;
}

const end = '\u0000';
const format = '1';

export class SuppressionStoreLevel implements SuppressionStore, Resealable {
  readonly #parts: SuppressionStoreLevelParts;
  readonly #rows: SuppressionRows;
  #changing: Promise<unknown> = Promise.resolve();

  constructor(parts: SuppressionStoreLevelParts) {
    this.#parts = parts;
    this.#rows = new SuppressionRows(parts.box);
  }

  async find(tenant: TenantId, addresses: readonly string[]): Promise<readonly (Suppression | null)[]> {
    return addresses.map((address) => this.#get(tenant, this.#keyOf(tenant, address)));
  }

  change(changes: readonly AddressChange[]): Promise<readonly ChangedSuppression[]> {
    const turn = this.#changing.then(() => this.#change(changes));
    this.#changing = turn.catch(() => {});
    return turn;
  }

  async page(tenant: TenantId, after: string | null, max: number): Promise<SuppressionPage> {
    const { db, prefix } = this.#parts;
    const start = `${prefix}${tenant}${end}`;
    const items: Suppression[] = [];
    const range = { gt: start + (after ?? ''), lt: `${prefix}${tenant}\u0001` };
    for await (const [key, text] of db.iterator(range)) {
      const suppression = this.#decode(tenant, text);
      if (suppression.reason === null) continue;
      items.push(suppression);
      if (items.length === max) return { items, next: key.slice(start.length) };
    }
    return { items, next: null };
  }

  async everything(after: string | null, max: number): Promise<StoredSuppressionPage> {
    const { db, prefix } = this.#parts;
    const items: StoredSuppression[] = [];
    for await (const [key, text] of db.iterator({ gt: prefix + (after ?? ''), lt: `${prefix.slice(0, -1)}0` })) {
      const place = key.slice(prefix.length);
      const tenant = place.split(end)[0] as TenantId;
      const suppression = this.#decode(tenant, text);
      if (suppression.address === '') continue;
      items.push({ tenant, suppression });
      if (items.length === max) return { items, next: place };
    }
    return { items, next: null };
  }

  async restore(suppressions: readonly StoredSuppression[]): Promise<void> {
    const batch = this.#parts.db.batch();
    for (const { tenant, suppression } of suppressions)
      this.#put(batch, { key: this.#keyOf(tenant, suppression.address), tenant, suppression });
    await batch.write({ sync: true });
  }

  reseal(after: string | null, max: number): Promise<Resealed> {
    const { db, prefix } = this.#parts;
    const turn = this.#changing.then(async () => {
      const range = { gt: prefix + (after ?? ''), lt: `${prefix.slice(0, -1)}0`, limit: max };
      const entries = await db.iterator(range).all();
      const batch = db.batch();
      let changed = 0;
      for (const [key, text] of entries) {
        const tenant = key.slice(prefix.length).split(end)[0] as TenantId;
        const row = this.#rows.reseal(tenant, this.#row(text));
        if (row === null) continue;
        batch.put(key, format + JSON.stringify(row));
        changed++;
      }
      if (changed > 0) await batch.write({ sync: true });
      return { next: entries.at(-1)?.[0].slice(prefix.length) ?? null, changed };
    });
    this.#changing = turn.catch(() => {});
    return turn;
  }

  async #change(changes: readonly AddressChange[]): Promise<readonly ChangedSuppression[]> {
    const { db, clock, softBouncesMax } = this.#parts;
    if (db.isBroken) await db.mend?.();
    const rules = { softBouncesMax, nowMs: clock.now() };
    const written = new Map<string, { readonly tenant: TenantId; readonly suppression: Suppression }>();
    const outcomes = changes.map(({ tenant, address, change }) => {
      const key = this.#keyOf(tenant, address);
      const before = written.get(key)?.suppression ?? this.#get(tenant, key);
      const suppression = changeSuppression(before, address, change, rules);
      if (suppression !== null && suppression !== before) written.set(key, { tenant, suppression });
      return { suppression, hasNewReason: suppression?.reason !== before?.reason };
    });
    const batch = db.batch();
    for (const [key, { tenant, suppression }] of written) this.#put(batch, { key, tenant, suppression });
    await batch.write({ sync: true });
    return outcomes;
  }

  #put(batch: ProfileBatch, { key, tenant, suppression }: StoredSuppression & { readonly key: string }): void {
    batch.put(key, format + JSON.stringify(this.#rows.toRow(tenant, suppression)));
  }

  #get(tenant: TenantId, key: string): Suppression | null {
    const text = this.#parts.db.getSync(key);
    return text === undefined ? null : this.#decode(tenant, text);
  }

  #decode(tenant: TenantId, text: string): Suppression {
    return this.#rows.toSuppression(tenant, this.#row(text));
  }

  #row(text: string): SuppressionRow {
    if (text[0] !== format)
      throw new Error(`a suppression is stored in format ${text[0]}, which this release cannot read`);
    return JSON.parse(text.slice(1)) as SuppressionRow;
  }

  #keyOf(tenant: TenantId, address: string): string {
    return `${this.#parts.prefix}${tenant}${end}${this.#rows.indexOf(tenant, address)}`;
  }
}
