/**
 * 500 seeded runs of the whole pipeline with crashes at every await. A failure names its seed:
 * `SEED=123 node --test test/sim/simulation.test.ts` runs that one alone.
 */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { checkSimulation, checkTold } from './check-simulation.ts';
import { Simulation } from './simulation.ts';

const only = process.env.SEED;
const seeds = only === undefined ? Array.from({ length: 500 }, (_, index) => index + 1) : [Number(only)];
const steps = 30;

it(`holds its promises in ${seeds.length} simulated runs`, async () => {
  let crashes = 0;
  let events = 0;
  for (const seed of seeds) {
    const simulation = new Simulation(seed);
    await simulation.run(steps);
    const found = [...(await checkSimulation(simulation)), ...checkTold(simulation)];
    assert.deepEqual(found, [], `seed ${seed}`);
    crashes += simulation.faults.crashes;
    events += simulation.acknowledged.length;
  }
  if (only === undefined) assert.ok(crashes > seeds.length, 'too few crashes to prove anything');
  console.log(`${seeds.length} seeds, ${events} events acknowledged, ${crashes} crashes`);
});
