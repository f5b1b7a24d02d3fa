import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import fc from 'fast-check';
import { limits } from '../base/limits.ts';
import { type Random, seededRandom } from '../base/random.ts';
import { VirtualClock } from '../base/virtual-clock.ts';
import { RateLimit } from './rate-limit.ts';
import { rateShareContract } from './rate-share.contract.ts';
import { RateShareMemory } from './rate-share-memory.ts';
import { shareRate } from './share-rate.ts';

rateShareContract('in memory', async () => {
  const clock = new VirtualClock();
  const rate = { perSecond: 50, burst: 100 };
  const share = new RateShareMemory(clock, rate);
  return { open: () => share, rate, clock, passTime: () => clock.advance(100), close: async () => {} };
});

const rate = { perSecond: 1000, burst: 500 };
const requestMax = 100;
const stepMs = 20;

/** What is let through at each process of a caller that never stops, in `steps` of 20 ms. */
async function run(clock: VirtualClock, processes: readonly RateLimit[], steps: number, random: Random) {
  const passed = processes.map(() => 0);
  for (let step = 0; step < steps; step++) {
    for (const [index, limit] of processes.entries()) {
      // Some are busy, some are not, and it changes.
      if (random.below(3) === 0) continue;
      for (let request = 0; request < 3; request++) {
        try {
          limit.check('caller');
        } catch (error) {
          assert.equal((error as { code?: string }).code, 'CARILLON_RATE_LIMITED');
          break;
        }
        const events = 1 + random.below(requestMax);
        limit.spend('caller', events);
        passed[index] = (passed[index] as number) + events;
      }
    }
    clock.advance(stepMs);
    await turn();
  }
  return passed.reduce((sum, each) => sum + each, 0);
}

function start(clock: VirtualClock, count: number) {
  const share = new RateShareMemory(clock, rate);
  const processes = Array.from({ length: count }, () => new RateLimit(clock, rate));
  const stops = processes.map((limit) => shareRate(limit, share, clock));
  return { share, processes, stop: () => stops.forEach((stop) => void stop()) };
}

test('E6: several processes together keep to the rate, but for what they cannot know of each other', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 5 }), fc.nat(), async (count, seed) => {
      const clock = new VirtualClock();
      const random = seededRandom(seed);
      const { processes, stop } = start(clock, count);
      let slack = rate.burst + requestMax + (rate.perSecond * (limits.rateShareMs + stepMs)) / 1000;
      slack *= count;
      // Any window, not only the first.
      await run(clock, processes, random.below(200), random);
      const steps = 1000;
      const passed = await run(clock, processes, steps, random);
      const allowed = (rate.perSecond * steps * stepMs) / 1000;
      assert.ok(passed <= allowed + slack, `${passed} of ${allowed}`);
      assert.ok(passed >= 0.75 * allowed - slack, `only ${passed} of ${allowed}`);
      stop();
    }),
    { numRuns: 20 },
  );
});

test('while the shared buckets are away each keeps to the rate alone; afterwards more than a burst of it is not held against callers', async () => {
  const clock = new VirtualClock();
  const random = seededRandom(1);
  const { share, processes, stop } = start(clock, 3);
  share.isAway = true;
  const alone = await run(clock, processes, 500, random);
  const each = (rate.perSecond * 500 * stepMs) / 1000;
  assert.ok(alone > 2 * each && alone <= 3 * (each + rate.burst + requestMax), `${alone} of ${each} each`);
  share.isAway = false;
  const later = await run(clock, processes, 500, random);
  assert.ok(later > 0.75 * each - 3 * rate.burst && later < each + 3 * rate.burst, `${later} of ${each}`);
  stop();
});
