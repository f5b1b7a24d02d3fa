import { limits } from '../../base/limits.ts';
import { VirtualClock } from '../../base/virtual-clock.ts';
import { presenceContract } from './presence.contract.ts';
import { PresenceMemory } from './presence-memory.ts';

presenceContract('in memory', async () => {
  const clock = new VirtualClock();
  const presence = new PresenceMemory(clock);
  return {
    open: () => presence,
    passTime: () => clock.advance(limits.presenceKeptMs / 10),
    takeAway: async () => {
      presence.isAway = true;
    },
    bringBack: async () => {
      presence.forgetAll();
      presence.isAway = false;
    },
    close: async () => {},
  };
});
