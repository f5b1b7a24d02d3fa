/**
 * Port: the devices that people can be pushed on (V11).
 *
 * One owner: an address belongs to one person of all tenants, the one who registered it last; it moves in one step, so
 *   that it never has two (BC-52, BC-66).
 * Identity: a device's id is made of its person and its address. So the same address registered again is the same device,
 *   and the id that another owner knew it by is nobody's any more.
 * Atomicity: a device and the number of devices in its person's profile change in one step, by which the watchers of the
 *   ProfileStore hear of it too.
 * Durability: as of the ProfileStore. Addresses are encrypted at rest and found again by a blind index (S4).
 */
import type { PersonKey, TenantId } from '../base/ids.ts';
import type { Device, DeviceAddress, DeviceRegistration, PushProviderName, StoredDevice } from './device.ts';

/** Where a device stands in the order of `page`. */
export type DevicePlace = Pick<Device, 'person' | 'id'>;

export interface DeviceStore {
  /**
   * Takes the address for the person, whoever had it, and everything said of it for what holds from now on. Beyond
   * `limits.devicesMax` the person's device that was not seen for the longest time goes.
   */
  register(registration: DeviceRegistration): Promise<Device>;
  /** Those of a person, the one seen last first. */
  list(person: PersonKey): Promise<readonly Device[]>;
  /** False: the person has none of this id. */
  remove(person: PersonKey, id: string): Promise<boolean>;
  /**
   * Removes a device that by proof nobody was at any more at this time, unless it was registered then or since (BC-46).
   * False: it stays, or is not there.
   */
  removeDead(person: PersonKey, id: string, asOfMs: number): Promise<boolean>;
  /** Removes what was registered in the session; answers how many that were. */
  removeSession(session: string): Promise<number>;
  /** Removes some of those not seen since that time; answers how many, 0 when there are none. */
  removeIdle(provider: PushProviderName, beforeMs: number): Promise<number>;
  /** Forgets all of a person's devices and their profile, in one step (S7). */
  erase(person: PersonKey): Promise<void>;
  /** The device of this address, if it is of the tenant. */
  find(tenant: TenantId, provider: PushProviderName, address: DeviceAddress): Promise<Device | null>;
  /** Each once, in a stable order of the store's own. */
  page(after: DevicePlace | null, max: number): Promise<readonly StoredDevice[]>;
  /** Devices as another store had them; profiles, with their numbers, are copied apart from them. */
  restore(devices: readonly StoredDevice[]): Promise<void>;
}
