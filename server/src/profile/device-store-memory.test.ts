import { VirtualClock } from '../base/virtual-clock.ts';
import { deviceStoreContract } from './device-store.contract.ts';
import { DeviceStoreMemory } from './device-store-memory.ts';
import { ProfileStoreMemory } from './profile-store-memory.ts';

deviceStoreContract({
  name: 'memory',
  async open() {
    const clock = new VirtualClock();
    const profiles = new ProfileStoreMemory(clock);
    return { devices: new DeviceStoreMemory(profiles, clock), profiles, clock };
  },
  reopen: null,
  heard: async () => {},
  rotate: null,
});
