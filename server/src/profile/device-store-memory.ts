/** Devices in memory, beside profiles in memory, for tests. */
import type { Clock } from '../base/clock.ts';
import type { PersonKey, TenantId } from '../base/ids.ts';
import { splitPersonKey } from '../base/ids.ts';
import { limits } from '../base/limits.ts';
import { drawKeys, SecretBox } from '../base/secret-box.ts';
import type { Device, DeviceAddress, DeviceRegistration, PushProviderName, StoredDevice } from './device.ts';
import { type DeviceRow, DeviceRows } from './device-row.ts';
import { bySeen, type DeviceStep, eraseStep, isDead, newRow, registerStep, removeStep } from './device-step.ts';
import type { DevicePlace, DeviceStore } from './device-store.ts';
import type { MemoryProfiles } from './profile-step.ts';

export class DeviceStoreMemory implements DeviceStore {
  readonly #profiles: MemoryProfiles;
  readonly #clock: Clock;
  readonly #rows: DeviceRows;
  /** By index. */
  readonly #stored = new Map<string, DeviceRow>();

  constructor(profiles: MemoryProfiles, clock: Clock, box: SecretBox = new SecretBox(drawKeys('test'))) {
    this.#profiles = profiles;
    this.#clock = clock;
    this.#rows = new DeviceRows(box);
  }

  async register(registration: DeviceRegistration): Promise<Device> {
    const row = newRow(this.#rows, registration, this.#clock.now());
    const others = this.#where(({ index, person }) => index === row.index && person !== row.person);
    this.#take(registerStep(row, { own: this.#of(row.person), others }));
    return this.#rows.toDevice(row);
  }

  async list(person: PersonKey): Promise<readonly Device[]> {
    return this.#of(person)
      .sort(bySeen)
      .map((row) => this.#rows.toDevice(row));
  }

  async remove(person: PersonKey, id: string): Promise<boolean> {
    return this.#remove((row) => row.person === person && row.id === id) > 0;
  }

  async removeDead(person: PersonKey, id: string, asOfMs: number): Promise<boolean> {
    return this.#remove((row) => row.person === person && row.id === id && isDead(row, asOfMs)) > 0;
  }

  async removeSession(session: string): Promise<number> {
    return this.#remove((row) => row.session === session);
  }

  async removeIdle(provider: PushProviderName, beforeMs: number): Promise<number> {
    const idle = this.#where((row) => row.provider === provider && row.seenAtMs < beforeMs);
    const some = idle.slice(0, limits.devicesPerStep);
    this.#take(removeStep(some));
    return some.length;
  }

  async erase(person: PersonKey): Promise<void> {
    this.#take(eraseStep(person, this.#of(person)));
  }

  async find(tenant: TenantId, provider: PushProviderName, address: DeviceAddress): Promise<Device | null> {
    const row = this.#stored.get(this.#rows.indexOf(provider, address));
    return row === undefined || splitPersonKey(row.person).tenant !== tenant ? null : this.#rows.toDevice(row);
  }

  async page(after: DevicePlace | null, max: number): Promise<readonly StoredDevice[]> {
    return this.#behind(after, max).map((row) => this.#rows.toStored(row));
  }

  async restore(devices: readonly StoredDevice[]): Promise<void> {
    for (const row of devices.map((device) => this.#rows.toRow(device))) this.#stored.set(row.index, row);
  }

  #behind(after: DevicePlace | null, max: number): DeviceRow[] {
    return [...this.#stored.values()]
      .filter((row) => after === null || placeText(row) > placeText(after))
      .sort((a, b) => (placeText(a) < placeText(b) ? -1 : 1))
      .slice(0, max);
  }

  #of(person: PersonKey): DeviceRow[] {
    return this.#where((row) => row.person === person);
  }

  #where(fits: (row: DeviceRow) => boolean): DeviceRow[] {
    return [...this.#stored.values()].filter(fits);
  }

  #remove(fits: (row: DeviceRow) => boolean): number {
    const rows = this.#where(fits);
    this.#take(removeStep(rows));
    return rows.length;
  }

  #take({ puts, removes, changes }: DeviceStep): void {
    for (const { index } of removes) this.#stored.delete(index);
    for (const row of puts) this.#stored.set(row.index, row);
    this.#profiles.apply(changes);
  }
}

function placeText({ person, id }: DevicePlace): string {
  return `${person}\u0000${id}`;
}
