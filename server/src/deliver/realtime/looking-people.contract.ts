/** What is promised of who looks at the app, wherever it is kept. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { eventually } from '../../../../test/flow/eventually.ts';
import { type PersonKey, personKey } from '../../base/ids.ts';
import type { LookingNotes, LookingPeople } from './looking-people.ts';

export interface LookingWorld {
  /** As a gateway of its own would have it; `null`: there can be one only. */
  gateways: readonly [LookingNotes, LookingNotes | null];
  asked: LookingPeople;
  /** Time goes on by a step far shorter than it takes to be forgotten. */
  passTime(): Promise<void>;
  close(): Promise<void>;
}

export function lookingPeopleContract(name: string, open: () => Promise<LookingWorld>): void {
  describe(`who looks at the app, ${name}`, { timeout: 60_000 }, () => {
    let world: LookingWorld;
    let people = 0;
    const person = (): PersonKey => personKey('default', `r${++people} "ü`);
    const looks = async (who: PersonKey): Promise<boolean> => (await world.asked.among([who])).has(who);
    const becomes = (expected: boolean, who: PersonKey): Promise<void> =>
      eventually(async () => {
        await world.passTime();
        return (await looks(who)) === expected;
      });
    before(async () => {
      world = await open();
    });
    after(() => world.close());

    test('nobody does of whom nothing was said, or only that they hide it or have gone', async () => {
      const [a, b, c] = [person(), person(), person()];
      world.gateways[0].hidden(b);
      world.gateways[0].gone(c);
      await world.passTime();
      assert.deepEqual([...(await world.asked.among([a, b, c, a]))], []);
      assert.deepEqual([...(await world.asked.among([]))], []);
    });

    test('whoever has it visible does, for as long as it is', async () => {
      const [a, b] = [person(), person()];
      world.gateways[0].visible(a);
      await becomes(true, a);
      for (let step = 0; step < 30; step++) {
        await world.passTime();
        assert.ok(await looks(a));
      }
      assert.deepEqual([...(await world.asked.among([b, a, a]))], [a]);
      world.gateways[0].gone(a);
      await becomes(false, a);
    });

    test('who hides it counts for a while, and no longer', async () => {
      const a = person();
      world.gateways[0].visible(a);
      await becomes(true, a);
      world.gateways[0].hidden(a);
      assert.ok(await looks(a));
      await becomes(false, a);
      world.gateways[0].visible(a);
      await becomes(true, a);
      world.gateways[0].hidden(a);
      world.gateways[0].visible(a);
      for (let step = 0; step < 30; step++) {
        await world.passTime();
        assert.ok(await looks(a), 'shown again in time');
      }
    });

    test('who has hidden it and then gone counts no more', async () => {
      const a = person();
      world.gateways[0].visible(a);
      await becomes(true, a);
      world.gateways[0].hidden(a);
      world.gateways[0].gone(a);
      await becomes(false, a);
    });

    test('somebody with two gateways looks while one of them says so', async (t) => {
      const [one, other] = world.gateways;
      if (other === null) return t.skip('there is one gateway only');
      const a = person();
      one.visible(a);
      other.visible(a);
      await becomes(true, a);
      one.gone(a);
      for (let step = 0; step < 30; step++) {
        await world.passTime();
        assert.ok(await looks(a));
      }
      other.gone(a);
      await becomes(false, a);
    });
  });
}
