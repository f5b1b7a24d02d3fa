/** Devices as the sockets' thread sees them: asked of the store's thread. */
import type { PersonKey, TenantId } from '../base/ids.ts';
import type { Device, DeviceAddress, DeviceRegistration, PushProviderName, StoredDevice } from '../profile/device.ts';
import type { DevicePlace, DeviceStore } from '../profile/device-store.ts';
import type { Caller, Handler } from './channel.ts';

export class RemoteDevices implements DeviceStore {
  readonly #caller: Caller;

  constructor(caller: Caller) {
    this.#caller = caller;
  }

  register(registration: DeviceRegistration): Promise<Device> {
    return this.#caller.call('devicesRegister', [registration]);
  }

  list(person: PersonKey): Promise<readonly Device[]> {
    return this.#caller.call('devicesList', [person]);
  }

  remove(person: PersonKey, id: string): Promise<boolean> {
    return this.#caller.call('devicesRemove', [person, id]);
  }

  removeDead(person: PersonKey, id: string, asOfMs: number): Promise<boolean> {
    return this.#caller.call('devicesRemoveDead', [person, id, asOfMs]);
  }

  removeSession(session: string): Promise<number> {
    return this.#caller.call('devicesRemoveSession', [session]);
  }

  removeIdle(provider: PushProviderName, beforeMs: number): Promise<number> {
    return this.#caller.call('devicesRemoveIdle', [provider, beforeMs]);
  }

  erase(person: PersonKey): Promise<void> {
    return this.#caller.call('devicesErase', [person]);
  }

  find(tenant: TenantId, provider: PushProviderName, address: DeviceAddress): Promise<Device | null> {
    return this.#caller.call('devicesFind', [tenant, provider, address]);
  }

  page(after: DevicePlace | null, max: number): Promise<readonly StoredDevice[]> {
    return this.#caller.call('devicesPage', [after, max]);
  }

  restore(devices: readonly StoredDevice[]): Promise<void> {
    return this.#caller.call('devicesRestore', [devices]);
  }
}

/** The answering side. */
export function deviceHandlers(devices: DeviceStore): Record<string, Handler> {
  return {
    devicesRegister: devices.register.bind(devices),
    devicesList: devices.list.bind(devices),
    devicesRemove: devices.remove.bind(devices),
    devicesRemoveDead: devices.removeDead.bind(devices),
    devicesRemoveSession: devices.removeSession.bind(devices),
    devicesRemoveIdle: devices.removeIdle.bind(devices),
    devicesErase: devices.erase.bind(devices),
    devicesFind: devices.find.bind(devices),
    devicesPage: devices.page.bind(devices),
    devicesRestore: devices.restore.bind(devices),
  };
}
