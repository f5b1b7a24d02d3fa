/** What presence promises, wherever it is kept. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { eventually } from '../../../../test/flow/eventually.ts';
import { type PersonKey, personKey } from '../../base/ids.ts';
import { limits } from '../../base/limits.ts';
import type { GatewayId, Presence } from './presence.ts';

export interface PresenceWorld {
  /** As a process of its own would have it. */
  open(): Presence;
  /** Time goes on, by itself or by a step far shorter than entries are kept. */
  passTime(): void;
  /** All entries are lost, or it cannot be reached any more, from when this resolves. */
  takeAway(): Promise<void>;
  /** It is there again, and has forgotten everything. */
  bringBack(): Promise<void>;
  close(): Promise<void>;
}

export function presenceContract(name: string, createWorld: () => Promise<PresenceWorld>): void {
  describe(`presence ${name}`, { timeout: 120_000 }, () => {
    let world: PresenceWorld;
    let people = 0;
    const person = (): PersonKey => personKey('default', `r${++people} "ü`);
    const found = async (presence: Presence, who: PersonKey): Promise<GatewayId[]> =>
      [...((await presence.gatewaysOf([who])).get(who) ?? [])].sort();
    before(async () => {
      world = await createWorld();
    });
    after(() => world.close());

    test('who is entered is found by everybody, at each gateway once', async () => {
      const [g1, g2, looking] = [world.open(), world.open(), world.open()];
      const [a, b, nobody] = [person(), person(), person()];
      assert.deepEqual(await g1.enter('g1', [a, b]), [false, false]);
      assert.deepEqual(await g2.enter('g2', [b]), [false]);
      assert.deepEqual(await g1.enter('g1', [b, nobody]), [true, false]);
      await g1.leave('g1', [nobody]);
      const all = await looking.gatewaysOf([a, nobody, b]);
      assert.deepEqual([...all.keys()].sort(), [a, b].sort());
      assert.deepEqual([await found(looking, a), await found(looking, b)], [['g1'], ['g1', 'g2']]);
    });

    test('who has left is there no more, at that gateway alone', async () => {
      const presence = world.open();
      const [a, b] = [person(), person()];
      await presence.enter('g1', [a, b]);
      await presence.enter('g2', [a]);
      await presence.leave('g1', [a, b, person()]);
      assert.deepEqual([await found(presence, a), await found(presence, b)], [['g2'], []]);
      assert.deepEqual(await presence.enter('g1', [a]), [false]);
    });

    test('nobody is asked for, entered and taken out', async () => {
      const presence = world.open();
      assert.equal((await presence.gatewaysOf([])).size, 0);
      assert.deepEqual(await presence.enter('g1', []), []);
      await presence.leave('g1', []);
    });

    test('many at once, more than fit into one call', async () => {
      const presence = world.open();
      const many = Array.from({ length: 2 * limits.presencePeoplePerCall + 7 }, person);
      const some = many.filter((_, n) => n % 3 === 0);
      await presence.enter('g1', some);
      assert.deepEqual([...(await presence.gatewaysOf(many)).keys()], some);
      assert.deepEqual(
        await presence.enter('g1', many),
        many.map((_, n) => n % 3 === 0),
      );
      await presence.leave('g1', many);
      assert.equal((await presence.gatewaysOf(many)).size, 0);
    });

    test('an entry ends by itself unless it is entered again, and says that it was missing', async () => {
      const presence = world.open();
      const [dies, lives] = [person(), person()];
      await presence.enter('dead', [dies, lives]);
      await presence.enter('alive', [lives]);
      let wasThere = true;
      await eventually(async () => {
        world.passTime();
        wasThere &&= (await presence.enter('alive', [lives]))[0] === true;
        const gone = (await found(presence, dies)).length === 0;
        return gone && (await found(presence, lives)).length === 1;
      });
      assert.ok(wasThere, 'what is entered again and again was always there');
      assert.deepEqual(await found(presence, lives), ['alive']);
      assert.deepEqual(await presence.enter('dead', [dies]), [false]);
    });

    test('while it cannot be reached every call rejects; afterwards it is usable, and says what it has forgotten', async () => {
      const presence = world.open();
      const a = person();
      await presence.enter('g1', [a]);
      await world.takeAway();
      await assert.rejects(presence.enter('g1', [a]));
      await assert.rejects(presence.leave('g1', [a]));
      await assert.rejects(presence.gatewaysOf([a]));
      await world.bringBack();
      let wasThere: readonly boolean[] = [];
      await eventually(async () => {
        wasThere = await presence.enter('g1', [a]).catch(() => []);
        return wasThere.length === 1;
      });
      assert.deepEqual(wasThere, [false]);
      assert.deepEqual(await found(presence, a), ['g1']);
    });
  });
}
