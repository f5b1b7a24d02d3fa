/**
 * Devices in PostgreSQL, beside the profiles: whoever changes devices of a person holds that person's lock, and whoever
 * registers an address that of the address too. Who else is concerned is looked up before, and once more under the locks.
 */
import type { Clock } from '../base/clock.ts';
import type { Database, Queries } from '../base/database.ts';
import { type PersonKey, personKey, splitPersonKey, type TenantId } from '../base/ids.ts';
import { limits } from '../base/limits.ts';
import type { SecretBox } from '../base/secret-box.ts';
import type { Device, DeviceAddress, DeviceRegistration, PushProviderName, StoredDevice } from './device.ts';
import { type DeviceRow, DeviceRows } from './device-row.ts';
import { bySeen, type DeviceStep, eraseStep, isDead, newRow, registerStep, removeStep } from './device-step.ts';
import type { DevicePlace, DeviceStore } from './device-store.ts';
import type { PostgresProfiles } from './profile-step.ts';
import type { Resealable, Resealed } from './resealing.ts';

export interface DeviceStorePostgresParts {
  readonly db: Database;
  readonly profiles: PostgresProfiles;
  readonly clock: Clock;
  readonly box: SecretBox;
}

const end = '\u0000';

/** As selected by `columns`. */
type Row = Omit<DeviceRow, 'person'> & { readonly tenant: string; readonly person: string };

const columns = `tenant, person, id, provider, address_index AS "index", address AS sealed, app,
  app_version AS "appVersion", environment, locale, time_zone AS "timeZone", session,
  registered_ms AS "registeredAtMs", seen_ms AS "seenAtMs"`;
const names = `tenant, person, id, provider, address_index, address, app,
  app_version, environment, locale, time_zone, session, registered_ms, seen_ms`;

export class DeviceStorePostgres implements DeviceStore, Resealable {
  readonly #parts: DeviceStorePostgresParts;
  readonly #rows: DeviceRows;
  readonly #table: string;

  constructor(parts: DeviceStorePostgresParts) {
    this.#parts = parts;
    this.#rows = new DeviceRows(parts.box);
    this.#table = `${parts.db.schema}.devices`;
  }

  async register(registration: DeviceRegistration): Promise<Device> {
    const row = newRow(this.#rows, registration, this.#parts.clock.now());
    const { index, person } = row;
    // Again if meanwhile somebody else has come to have it.
    for (let isDone = false; !isDone; ) {
      const before = await this.#select(this.#parts.db, 'address_index = $1', [index]);
      const people = new Set([person, ...before.map((owner) => owner.person)]);
      isDone = await this.#step([addressLock(index), ...people], async (queries) => {
        const owners = await this.#select(queries, 'address_index = $1', [index]);
        if (owners.some((owner) => !people.has(owner.person))) return null;
        const others = owners.filter((owner) => owner.person !== person);
        return registerStep(row, { own: await this.#of(queries, person), others });
      });
    }
    return this.#rows.toDevice(row);
  }

  async list(person: PersonKey): Promise<readonly Device[]> {
    const rows = await this.#of(this.#parts.db, person);
    return rows.sort(bySeen).map((row) => this.#rows.toDevice(row));
  }

  async remove(person: PersonKey, id: string): Promise<boolean> {
    return (await this.#removeOf([person], (row) => row.id === id)) > 0;
  }

  async removeDead(person: PersonKey, id: string, asOfMs: number): Promise<boolean> {
    return (await this.#removeOf([person], (row) => row.id === id && isDead(row, asOfMs))) > 0;
  }

  async removeSession(session: string): Promise<number> {
    const found = await this.#select(this.#parts.db, 'session = $1', [session]);
    return this.#removeOf(peopleOf(found), (row) => row.session === session);
  }

  async removeIdle(provider: PushProviderName, beforeMs: number): Promise<number> {
    const found = await this.#select(
      this.#parts.db,
      'provider = $1 AND seen_ms < $2 ORDER BY provider, seen_ms LIMIT $3',
      [provider, beforeMs, limits.devicesPerStep],
    );
    return this.#removeOf(peopleOf(found), (row) => row.provider === provider && row.seenAtMs < beforeMs);
  }

  async erase(person: PersonKey): Promise<void> {
    await this.#step([person], async (queries) => eraseStep(person, await this.#of(queries, person)));
  }

  async find(tenant: TenantId, provider: PushProviderName, address: DeviceAddress): Promise<Device | null> {
    const index = this.#rows.indexOf(provider, address);
    const [row] = await this.#select(this.#parts.db, 'address_index = $1 AND tenant = $2', [index, tenant]);
    return row === undefined ? null : this.#rows.toDevice(row);
  }

  async page(after: DevicePlace | null, max: number): Promise<readonly StoredDevice[]> {
    return (await this.#behind(after, max)).map((row) => this.#rows.toStored(row));
  }

  async restore(devices: readonly StoredDevice[]): Promise<void> {
    await this.#put(
      this.#parts.db,
      devices.map((device) => this.#rows.toRow(device)),
    );
  }

  async reseal(after: string | null, max: number): Promise<Resealed> {
    const [person, id] = after?.split(end) ?? [];
    const rows = await this.#behind(person === undefined ? null : { person: person as PersonKey, id: id ?? '' }, max);
    const anew = rows.flatMap((row) => {
      const sealed = this.#rows.reseal(row)?.sealed;
      return sealed === undefined ? [] : [{ index: row.index, old: row.sealed, sealed }];
    });
    // Whoever registers it meanwhile seals it anew as well.
    await this.#parts.db.query(
      `UPDATE ${this.#table} SET address = given.sealed
       FROM unnest($1::text[], $2::text[], $3::text[]) AS given (index, old, sealed)
       WHERE address_index = given.index AND address = given.old`,
      [anew.map(({ index }) => index), anew.map(({ old }) => old), anew.map(({ sealed }) => sealed)],
    );
    const last = rows.at(-1);
    return { next: last === undefined ? null : last.person + end + last.id, changed: anew.length };
  }

  async #removeOf(people: readonly PersonKey[], fits: (row: DeviceRow) => boolean): Promise<number> {
    if (people.length === 0) return 0;
    let removed = 0;
    await this.#step(people, async (queries) => {
      const rows: DeviceRow[] = [];
      for (const person of people) rows.push(...(await this.#of(queries, person)).filter(fits));
      removed = rows.length;
      return removeStep(rows);
    });
    return removed;
  }

  /** False when `plan` gave none. */
  #step(locks: readonly string[], plan: (queries: Queries) => Promise<DeviceStep | null>): Promise<boolean> {
    return this.#parts.profiles.changeWith(locks, async (queries) => {
      const step = await plan(queries);
      if (step === null) return { changes: [], result: false };
      // First, for an address that goes to another has one row only.
      await this.#delete(queries, step.removes);
      await this.#put(queries, step.puts);
      return { changes: step.changes, result: true };
    });
  }

  async #delete(queries: Queries, rows: readonly DeviceRow[]): Promise<void> {
    if (rows.length === 0) return;
    await queries.query(`DELETE FROM ${this.#table} WHERE address_index = ANY($1::text[])`, [
      rows.map(({ index }) => index),
    ]);
  }

  async #put(queries: Queries, rows: readonly DeviceRow[]): Promise<void> {
    if (rows.length === 0) return;
    await queries.query(
      `INSERT INTO ${this.#table} (${names})
       SELECT * FROM jsonb_to_recordset($1::jsonb) AS given (tenant text, person text, id text, provider text,
         address_index text, address text, app text, app_version text, environment text, locale text, time_zone text,
         session text, registered_ms double precision, seen_ms double precision)
       ON CONFLICT (tenant, person, id) DO UPDATE SET address = excluded.address, app = excluded.app,
         app_version = excluded.app_version, environment = excluded.environment, locale = excluded.locale,
         time_zone = excluded.time_zone, session = excluded.session, registered_ms = excluded.registered_ms,
         seen_ms = excluded.seen_ms`,
      [JSON.stringify(rows.map(fieldsOf))],
    );
  }

  #of(queries: Queries, person: PersonKey): Promise<DeviceRow[]> {
    const { tenant, user } = splitPersonKey(person);
    return this.#select(queries, 'tenant = $1 AND person = $2', [tenant, user]);
  }

  #behind(after: DevicePlace | null, max: number): Promise<DeviceRow[]> {
    const { tenant, user } = after === null ? { tenant: '', user: '' } : splitPersonKey(after.person);
    return this.#select(this.#parts.db, '(tenant, person, id) > ($1, $2, $3) ORDER BY tenant, person, id LIMIT $4', [
      tenant,
      user,
      after?.id ?? '',
      max,
    ]);
  }

  async #select(queries: Queries, where: string, values: readonly unknown[]): Promise<DeviceRow[]> {
    const rows = await queries.query<Row>(`SELECT ${columns} FROM ${this.#table} WHERE ${where}`, values);
    return rows.map(({ tenant, person, ...row }) => ({ ...row, person: personKey(tenant, person) }));
  }
}

/** No person's name has a space at its start and is without a tenant. */
function addressLock(index: string): string {
  return ` device ${index}`;
}

function peopleOf(rows: readonly DeviceRow[]): PersonKey[] {
  return [...new Set(rows.map(({ person }) => person))];
}

function fieldsOf(row: DeviceRow): Record<string, unknown> {
  const { tenant, user } = splitPersonKey(row.person);
  return {
    tenant,
    person: user,
    id: row.id,
    provider: row.provider,
    address_index: row.index,
    address: row.sealed,
    app: row.app,
    app_version: row.appVersion,
    environment: row.environment,
    locale: row.locale,
    time_zone: row.timeZone,
    session: row.session,
    registered_ms: row.registeredAtMs,
    seen_ms: row.seenAtMs,
  };
}
