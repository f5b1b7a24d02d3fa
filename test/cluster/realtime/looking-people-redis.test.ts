/** Who looks at the app, over a real Redis. */
import { systemClock } from '../../../server/src/base/clock.ts';
import { lookingPeopleContract } from '../../../server/src/deliver/realtime/looking-people.contract.ts';
import {
  LookingNotesPresence,
  LookingPeoplePresence,
} from '../../../server/src/deliver/realtime/looking-people-presence.ts';
import { PresenceRedis } from '../../../server/src/deliver/realtime/presence-redis.ts';
import { OwnRedis } from './own-redis.ts';

/** So short that a test can wait for it. */
const keptMs = 1500;

lookingPeopleContract('over a presence in Redis', async () => {
  const redis = await OwnRedis.start();
  const [one, two] = await Promise.all([redis.client('one'), redis.client('two')]);
  const presenceOf = (client: typeof one): PresenceRedis => new PresenceRedis(client, 'test:looking:', keptMs);
  const notesOf = (gateway: string, client: typeof one): LookingNotesPresence =>
    new LookingNotesPresence({ gateway, presence: presenceOf(client), clock: systemClock, keptMs });
  const gateways = [notesOf('g1', one), notesOf('g2', two)] as const;
  return {
    gateways,
    asked: new LookingPeoplePresence(presenceOf(two), systemClock),
    passTime: () => new Promise((resolve) => systemClock.after(keptMs / 10, () => resolve())),
    close: async () => {
      for (const each of gateways) await each.close();
      await redis.stop();
    },
  };
});
