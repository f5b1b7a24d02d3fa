import { timerStoreContract } from './timer-store.contract.ts';
import { TimerStoreMemory } from './timer-store-memory.ts';

let store = new TimerStoreMemory();
timerStoreContract({
  name: 'memory',
  open: async () => {
    store = new TimerStoreMemory();
    return store;
  },
  reopen: async () => store,
  refusesLateWrites: false,
  propertyRuns: 1000,
  close: async () => {},
});
