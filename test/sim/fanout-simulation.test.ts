/**
 * 300 seeded runs of fan-out with crashes at every await, while members come and go. A failure names its seed:
 * `SEED=123 node --test test/sim/fanout-simulation.test.ts` runs that one alone.
 */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { FanoutSimulation, users } from './fanout-simulation.ts';

const only = process.env.SEED;
const seeds = only === undefined ? Array.from({ length: 300 }, (_, index) => index + 1) : [Number(only)];
const phases = 4;

/** What is wrong with a run that has come to rest. */
async function findings(simulation: FanoutSimulation): Promise<string[]> {
  const found: string[] = [];
  for (const { audience, stored, meant, count } of await simulation.members()) {
    if (stored.join() !== meant.join()) found.push(`${audience} holds ${stored}, not ${meant}`);
    if (count !== meant.length) found.push(`${audience} counts ${count}, not ${meant.length}`);
  }
  if ((await simulation.unfinished()) > 0) found.push('a fan-out is not done');
  for (const user of users) {
    const rows = await simulation.rowsOf(user);
    for (const { id, must, may } of simulation.posts) {
      const about = rows.filter(({ object }) => object.id === id).length;
      if (must.has(user) && about === 0) found.push(`${user} was not told of ${id}`);
      if (!may.has(user) && about > 0) found.push(`${user} was told of ${id} and never was a member`);
      if (about > 1) found.push(`${user} has ${about} rows of ${id}`);
    }
  }
  for (const [what, times] of simulation.told) if (times > 1) found.push(`told ${times} times: ${what}`);
  return found;
}

it(`fans out without loss or repeat in ${seeds.length} simulated runs`, async () => {
  let crashes = 0;
  let posts = 0;
  let kept = 0;
  for (const seed of seeds) {
    const simulation = new FanoutSimulation(seed);
    await simulation.run(phases);
    assert.deepEqual(await findings(simulation), [], `seed ${seed}`);
    crashes += simulation.faults.crashes;
    posts += simulation.posts.length;
    kept += await simulation.kept();
  }
  if (only === undefined) {
    const isMuch = crashes > seeds.length && posts > 2 * seeds.length && kept > seeds.length / 2;
    assert.ok(isMuch, `too little to prove anything: ${kept} broadcasts`);
  }
  console.log(`${seeds.length} seeds, ${posts} posts, ${kept} broadcasts, ${crashes} crashes`);
});
