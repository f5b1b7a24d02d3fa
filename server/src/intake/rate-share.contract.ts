/** What shared token buckets promise, wherever they are kept. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { eventually } from '../../../test/flow/eventually.ts';
import type { Clock } from '../base/clock.ts';
import type { Rate } from './rate-limit.ts';
import type { RateShare } from './rate-share.ts';

export interface RateShareWorld {
  /** As a process of its own has them. */
  open(): RateShare;
  readonly rate: Rate;
  /** Runs as the buckets' own. */
  readonly clock: Clock;
  /** Time goes on, by itself or by a step. */
  passTime(): void;
  close(): Promise<void>;
}

export function rateShareContract(name: string, createWorld: () => Promise<RateShareWorld>): void {
  describe(`shared rates ${name}`, { timeout: 60_000 }, () => {
    let world: RateShareWorld;
    let callers = 0;
    before(async () => {
      world = await createWorld();
    });
    after(() => world.close());
    const spend = async (share: RateShare, caller: string, events: number): Promise<number> =>
      (await share.spend(new Map([[caller, events]]))).get(caller) as number;

    test('what all have spent together is gone, and comes back at the rate, up to the burst', async () => {
      const [one, two] = [world.open(), world.open()];
      const { burst, perSecond } = world.rate;
      const caller = `caller ${++callers} "ü`;
      const beganMs = world.clock.monotonic();
      /** Asserts what is left but for what has come back since, which is not known exactly. */
      const assertLeft = (left: number, least: number): void => {
        const sinceMs = world.clock.monotonic() - beganMs + 50;
        assert.ok(left >= least - 0.01, `${left} left, not ${least}`);
        assert.ok(left <= Math.min(burst, least + (sinceMs * perSecond) / 1000), `${left} left after ${sinceMs} ms`);
      };
      assertLeft(await spend(one, caller, 10), burst - 10);
      assertLeft(await spend(two, caller, 20), burst - 30);
      assertLeft(await spend(one, caller, burst), -30);
      await eventually(async () => {
        world.passTime();
        const left = await spend(two, caller, 0);
        assertLeft(left, -30);
        return left === burst;
      });
      assertLeft(await spend(one, caller, 1), -30);
    });

    test('each caller has a bucket of its own, however many are told of at once', async () => {
      const share = world.open();
      const spent = new Map(Array.from({ length: 500 }, (_, n) => [`many ${++callers} ${n}`, n % 10]));
      const left = await share.spend(spent);
      assert.equal(left.size, 500);
      for (const [caller, events] of spent) {
        assert.ok(Math.abs((left.get(caller) as number) - (world.rate.burst - events)) < 1, caller);
      }
      assert.equal((await share.spend(new Map())).size, 0);
    });
  });
}
