/** A device as stores keep it: its address encrypted, beside it the blind index by which it is found (S4). */
import { digest } from '../base/hash.ts';
import type { PersonKey } from '../base/ids.ts';
import type { SecretBox, SecretPlace } from '../base/secret-box.ts';
import type { Device, DeviceAddress, PushProviderName, StoredDevice } from './device.ts';

export interface DeviceRow extends Omit<StoredDevice, 'address'> {
  readonly index: string;
  readonly sealed: string;
}

export class DeviceRows {
  readonly #box: SecretBox;

  constructor(box: SecretBox) {
    this.#box = box;
  }

  /**
   * Not apart by tenant: a browser that goes from one tenant to another must leave the first (BC-66). Of a subscription
   * the endpoint alone counts: it may come with new keys.
   */
  indexOf(provider: PushProviderName, address: DeviceAddress): string {
    const value = address.kind === 'subscription' ? address.endpoint : address.value;
    return this.#box.indexOf('deviceAddress', [provider, address.kind, value]);
  }

  toRow({ address, ...device }: StoredDevice): DeviceRow {
    const sealed = this.#box.seal(JSON.stringify(address), placeOf(device.person));
    return { ...device, index: this.indexOf(device.provider, address), sealed };
  }

  toStored({ index: _, sealed, ...row }: DeviceRow): StoredDevice {
    const address = JSON.parse(this.#box.open(sealed, placeOf(row.person))) as DeviceAddress;
    return { ...row, address };
  }

  toDevice(row: DeviceRow): Device {
    const { session: _, ...device } = this.toStored(row);
    return device;
  }

  /** Null: it is sealed by the current key already. */
  reseal(row: DeviceRow): DeviceRow | null {
    return this.#box.isCurrent(row.sealed) ? null : this.toRow(this.toStored(row));
  }
}

const idChars = 22;

export function deviceId(person: PersonKey, index: string): string {
  return `d_${digest(['device', person, index], idChars)}`;
}

function placeOf(person: PersonKey): SecretPlace {
  return { purpose: 'deviceAddress', owner: person };
}
