/** Who looks at the app, in one process and over a presence in memory. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { personKey } from '../../base/ids.ts';
import { limits } from '../../base/limits.ts';
import { VirtualClock } from '../../base/virtual-clock.ts';
import { lookingPeopleContract } from './looking-people.contract.ts';
import { LookingPeopleMemory } from './looking-people-memory.ts';
import { LookingNotesPresence, LookingPeoplePresence } from './looking-people-presence.ts';
import { PresenceMemory } from './presence-memory.ts';

const keptMs = limits.lookingKeptMs;

const passing = (clock: VirtualClock) => async (): Promise<void> => {
  clock.advance(keptMs / 10);
  for (let turns = 0; turns < 10; turns++) await turn();
};

lookingPeopleContract('in one process', async () => {
  const clock = new VirtualClock();
  const people = new LookingPeopleMemory(clock, keptMs);
  return { gateways: [people, null], asked: people, passTime: passing(clock), close: async () => {} };
});

lookingPeopleContract('over a presence', async () => {
  const clock = new VirtualClock();
  const presence = new PresenceMemory(clock, keptMs);
  const notes = ['g1', 'g2'].map((gateway) => new LookingNotesPresence({ gateway, presence, clock, keptMs }));
  return {
    gateways: [notes[0] as LookingNotesPresence, notes[1] as LookingNotesPresence],
    asked: new LookingPeoplePresence(presence, clock),
    passTime: passing(clock),
    close: async () => {
      for (const each of notes) await each.close();
    },
  };
});

test('an answer that is late or missing means nobody, and is not waited for again at once', async () => {
  const clock = new VirtualClock();
  const ana = personKey('default', 'ana');
  let asked = 0;
  const never = {
    gatewaysOf(): Promise<never> {
      asked++;
      return new Promise(() => {});
    },
  };
  const people = new LookingPeoplePresence(never, clock);
  const answer = people.among([ana]);
  await turn();
  clock.advance(limits.lookingWaitMs);
  assert.equal((await answer).size, 0);
  assert.equal((await people.among([ana])).size, 0);
  assert.equal(asked, 1);
  clock.advance(limits.busRetryMs);
  void people.among([ana]);
  assert.equal(asked, 2);
  const failing = new LookingPeoplePresence({ gatewaysOf: () => Promise.reject(new Error('away')) }, clock);
  assert.equal((await failing.among([ana])).size, 0);
});
