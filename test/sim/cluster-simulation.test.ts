/**
 * Seeded runs of a whole cluster in one process, with deaths, standstills, deploys, a bus that comes and goes. A failure
 * names its seed: `SEED=123 npm test -- cluster-simulation` runs that one alone.
 */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { checkSimulation } from './check-simulation.ts';
import { ClusterSimulation } from './cluster-simulation.ts';

const only = process.env.SEED;
const seeds = only === undefined ? Array.from({ length: 100 }, (_, index) => index + 1) : [Number(only)];
const steps = 30;

it(`holds its promises in ${seeds.length} simulated clusters`, async () => {
  const seen = { events: 0, crashes: 0, moves: 0 };
  for (const seed of seeds) {
    const simulation = new ClusterSimulation(seed);
    await simulation.run(steps);
    const found = await checkSimulation(simulation);
    assert.deepEqual(found, [], `seed ${seed}`);
    seen.events += simulation.acknowledged.length;
    seen.crashes += simulation.faults.crashes;
    seen.moves += simulation.group.moves;
  }
  if (only === undefined) assert.ok(seen.crashes > seeds.length, 'too few crashes to prove anything');
  console.log(`${seeds.length} seeds, ${JSON.stringify(seen)}`);
});
