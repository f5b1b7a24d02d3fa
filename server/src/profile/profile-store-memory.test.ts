import { VirtualClock } from '../base/virtual-clock.ts';
import { profileStoreContract } from './profile-store.contract.ts';
import { ProfileStoreMemory } from './profile-store-memory.ts';

profileStoreContract({
  name: 'memory',
  open: async (nowMs) => new ProfileStoreMemory(new VirtualClock(nowMs)),
  reopen: null,
  heard: async () => {},
});
