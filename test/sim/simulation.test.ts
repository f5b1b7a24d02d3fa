/**
 * 2,000 seeded runs of the whole pipeline with crashes at every await. A failure names its seed:
 * `SEED=123 node --test test/sim/simulation.test.ts` runs that one alone.
 */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { checkSimulation, checkTold } from './check-simulation.ts';
import { people, Simulation } from './simulation.ts';

const only = process.env.SEED;
const steps = 30;
// So many that a test ends in time on a busy machine, too.
const seedsEach = 250;

async function holdsFor(seeds: readonly number[]): Promise<void> {
  let crashes = 0;
  let events = 0;
  let pushes = 0;
  for (const seed of seeds) {
    const simulation = new Simulation(seed);
    await simulation.run(steps);
    const found = [
      ...(await checkSimulation(simulation)),
      ...checkTold(simulation),
      ...(await simulation.outside.check(people)),
    ];
    assert.deepEqual(found, [], `seed ${seed}`);
    crashes += simulation.faults.crashes;
    events += simulation.acknowledged.length;
    pushes += simulation.outside.taken.size;
  }
  if (only === undefined) assert.ok(crashes > seeds.length, 'too few crashes to prove anything');
  console.log(`${seeds.length} seeds, ${events} events acknowledged, ${pushes} pushes, ${crashes} crashes`);
}

if (only === undefined) {
  for (let part = 0; part < 8; part++) {
    const seeds = Array.from({ length: seedsEach }, (_, index) => part * seedsEach + index + 1);
    it(`holds its promises in simulated runs ${seeds[0]} to ${seeds.at(-1)}`, () => holdsFor(seeds));
  }
} else it(`holds its promises in simulated run ${only}`, () => holdsFor([Number(only)]));
