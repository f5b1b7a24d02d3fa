/**
 * Devices in LevelDB, beside the profiles, in whose turn everything here is changed:
 *
 *   <prefix>p/<person> NUL <id>                        the device, its address encrypted
 *   <prefix>i/<blind index>                            whose it is: <person> NUL <id>
 *   <prefix>s/<session> NUL <person> NUL <id>          what was registered in a session
 *   <prefix>t/<provider>/<seen> NUL <person> NUL <id>  what was not seen for the longest time comes first
 *
 * All keys of a device follow from the device, and are written and deleted with it.
 */
import type { Clock } from '../base/clock.ts';
import type { PersonKey, TenantId } from '../base/ids.ts';
import { splitPersonKey } from '../base/ids.ts';
import { limits } from '../base/limits.ts';
import type { SecretBox } from '../base/secret-box.ts';
import type { Device, DeviceAddress, DeviceRegistration, PushProviderName, StoredDevice } from './device.ts';
import { type DeviceRow, DeviceRows } from './device-row.ts';
import { bySeen, type DeviceStep, eraseStep, isDead, newRow, registerStep, removeStep } from './device-step.ts';
import type { DevicePlace, DeviceStore } from './device-store.ts';
import type { LevelProfiles, ProfileBatch, ProfileDatabase } from './profile-step.ts';
import type { Resealable, Resealed } from './resealing.ts';

const end = '\u0000';
const format = '1';
/** Digits of a time, so that texts stand in the order of times. */
const timeDigits = 15;

export interface DeviceStoreLevelParts {
  /** That of the profiles. */
  readonly db: ProfileDatabase;
  /** Ends with a slash. */
  readonly prefix: string;
  readonly profiles: LevelProfiles;
  readonly clock: Clock;
  readonly box: SecretBox;
}

export class DeviceStoreLevel implements DeviceStore, Resealable {
  readonly #parts: DeviceStoreLevelParts;
  readonly #rows: DeviceRows;

  constructor(parts: DeviceStoreLevelParts) {
    this.#parts = parts;
    this.#rows = new DeviceRows(parts.box);
  }

  async register(registration: DeviceRegistration): Promise<Device> {
    const row = newRow(this.#rows, registration, this.#parts.clock.now());
    await this.#step(async () => {
      const owner = this.#ownerOf(row.index);
      const others = owner !== null && owner.person !== row.person ? [owner] : [];
      return registerStep(row, { own: await this.#of(row.person), others });
    });
    return this.#rows.toDevice(row);
  }

  async list(person: PersonKey): Promise<readonly Device[]> {
    const rows = await this.#of(person);
    return rows.sort(bySeen).map((row) => this.#rows.toDevice(row));
  }

  async remove(person: PersonKey, id: string): Promise<boolean> {
    return (await this.#remove(async () => this.#some([{ person, id }]))) > 0;
  }

  async removeDead(person: PersonKey, id: string, asOfMs: number): Promise<boolean> {
    const removed = await this.#remove(async () => this.#some([{ person, id }]).filter((row) => isDead(row, asOfMs)));
    return removed > 0;
  }

  removeSession(session: string): Promise<number> {
    return this.#remove(async () => {
      const places = await this.#placesIn(`${this.#parts.prefix}s/${session}${end}`);
      // A session's name may begin another's.
      return this.#some(places).filter((row) => row.session === session);
    });
  }

  removeIdle(provider: PushProviderName, beforeMs: number): Promise<number> {
    return this.#remove(async () => {
      const { db, prefix } = this.#parts;
      const start = `${prefix}t/${provider}/`;
      const range = { gte: start, lt: start + timeText(beforeMs), limit: limits.devicesPerStep };
      return this.#some((await db.keys(range).all()).map(placeAtEnd));
    });
  }

  erase(person: PersonKey): Promise<void> {
    return this.#step(async () => eraseStep(person, await this.#of(person)));
  }

  async find(tenant: TenantId, provider: PushProviderName, address: DeviceAddress): Promise<Device | null> {
    const row = this.#ownerOf(this.#rows.indexOf(provider, address));
    return row === null || splitPersonKey(row.person).tenant !== tenant ? null : this.#rows.toDevice(row);
  }

  async page(after: DevicePlace | null, max: number): Promise<readonly StoredDevice[]> {
    return (await this.#behind(after, max)).map((row) => this.#rows.toStored(row));
  }

  restore(devices: readonly StoredDevice[]): Promise<void> {
    const puts = devices.map((device) => this.#rows.toRow(device));
    return this.#step(async () => ({ puts, removes: [], changes: [] }));
  }

  async reseal(after: string | null, max: number): Promise<Resealed> {
    let resealed: Resealed = { next: null, changed: 0 };
    await this.#step(async () => {
      const rows = await this.#behind(after === null ? null : placeAtEnd(after), max);
      const puts = rows.map((row) => this.#rows.reseal(row)).filter((row) => row !== null);
      const last = rows.at(-1);
      resealed = { next: last === undefined ? null : placeText(last), changed: puts.length };
      return { puts, removes: [], changes: [] };
    });
    return resealed;
  }

  async #remove(find: () => Promise<readonly DeviceRow[]>): Promise<number> {
    let removed = 0;
    await this.#step(async () => {
      const rows = await find();
      removed = rows.length;
      return removeStep(rows);
    });
    return removed;
  }

  async #step(plan: () => Promise<DeviceStep>): Promise<void> {
    await this.#parts.profiles.changeWith(async () => {
      const { puts, removes, changes } = await plan();
      const replaced = this.#some(puts);
      const write = (batch: ProfileBatch): void => {
        for (const row of [...removes, ...replaced]) for (const key of this.#keysOf(row)) batch.del(key);
        for (const row of puts) this.#put(batch, row);
      };
      return { changes, write: puts.length + removes.length > 0 ? write : null, result: undefined };
    });
  }

  #put(batch: ProfileBatch, row: DeviceRow): void {
    const { person, id, ...rest } = row;
    const [own, index, ...others] = this.#keysOf(row);
    batch.put(own, format + JSON.stringify(rest)).put(index, placeText({ person, id }));
    for (const key of others) batch.put(key, '');
  }

  #keysOf(row: DeviceRow): [own: string, index: string, ...others: string[]] {
    const { prefix } = this.#parts;
    const place = placeText(row);
    const { index, session, provider, seenAtMs } = row;
    return [
      `${prefix}p/${place}`,
      `${prefix}i/${index}`,
      `${prefix}t/${provider}/${timeText(seenAtMs)}${end}${place}`,
      ...(session === null ? [] : [`${prefix}s/${session}${end}${place}`]),
    ];
  }

  async #of(person: PersonKey): Promise<DeviceRow[]> {
    return this.#some(await this.#placesIn(`${this.#parts.prefix}p/${person}${end}`));
  }

  /** Of every key that begins with `start`, which ends with NUL. */
  async #placesIn(start: string): Promise<DevicePlace[]> {
    const keys = await this.#parts.db.keys({ gte: start, lt: `${start.slice(0, -1)}\u0001` }).all();
    return keys.map((key) => placeAtEnd(key.slice(this.#parts.prefix.length + 2)));
  }

  async #behind(after: DevicePlace | null, max: number): Promise<DeviceRow[]> {
    const start = `${this.#parts.prefix}p/`;
    const range = { gt: after === null ? start : start + placeText(after), lt: `${start.slice(0, -1)}0`, limit: max };
    const keys = await this.#parts.db.keys(range).all();
    return this.#some(keys.map((key) => placeAtEnd(key.slice(start.length))));
  }

  #ownerOf(index: string): DeviceRow | null {
    const place = this.#parts.db.getSync(`${this.#parts.prefix}i/${index}`);
    return place === undefined ? null : (this.#some([placeAtEnd(place)])[0] ?? null);
  }

  /** Those of them that are there. */
  #some(places: readonly DevicePlace[]): DeviceRow[] {
    return places.flatMap(({ person, id }) => {
      const text = this.#parts.db.getSync(`${this.#parts.prefix}p/${placeText({ person, id })}`);
      if (text === undefined) return [];
      if (text[0] !== format)
        throw new Error(`a device is stored in format ${text[0]}, which this release cannot read`);
      return [{ person, id, ...(JSON.parse(text.slice(1)) as Omit<DeviceRow, 'person' | 'id'>) }];
    });
  }
}

function placeText({ person, id }: DevicePlace): string {
  return person + end + id;
}

/** Of a text that ends with one, and has nothing or NUL before it. */
function placeAtEnd(text: string): DevicePlace {
  const [person = '', id = ''] = text.split(end).slice(-2);
  return { person: person as PersonKey, id };
}

function timeText(ms: number): string {
  return String(Math.max(0, Math.floor(ms))).padStart(timeDigits, '0');
}
