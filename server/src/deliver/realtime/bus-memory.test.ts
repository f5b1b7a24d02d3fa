import { busContract } from './bus.contract.ts';
import { BusHub, BusMemory } from './bus-memory.ts';

busContract('in memory', async () => {
  const hub = new BusHub();
  return {
    open: () => new BusMemory(hub),
    takeAway: async () => hub.takeAway(),
    bringBack: async () => hub.bringBack(),
    close: async () => {},
  };
});
