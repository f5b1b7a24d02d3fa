/**
 * That the simulation finds what it is for: faults such as we might make, planted in each part, and found within a few
 * seeds. One that is not found here would not be found by the real runs either (R1).
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkSimulation, checkTold } from './check-simulation.ts';
import type { Planted } from './planted.ts';
import { people, Simulation } from './simulation.ts';

const seedsMax = 60;
const steps = 30;

/** Every so-manieth call. */
function nowAndThen(every: number): () => boolean {
  let calls = 0;
  return () => ++calls % every === 0;
}

/** `part` with some of its methods replaced; the others are called as before. */
function changed<Part extends object>(part: Part, methods: Partial<Part>): Part {
  return new Proxy(part, {
    get: (target, name) => {
      const member = (name in methods ? methods[name as keyof Part] : Reflect.get(target, name)) as unknown;
      return typeof member === 'function' && !(name in methods) ? member.bind(target) : member;
    },
  });
}

const faults: Record<string, () => Planted> = {
  'the log acknowledges what it does not keep': () => {
    const isLost = nowAndThen(25);
    return {
      log: (log) => changed(log, { append: async (batch) => (isLost() ? ['accepted'] : log.append(batch)) }),
    };
  },
  'positions move without the rows of their micro-batch': () => {
    const isLost = nowAndThen(25);
    return {
      store: (store) =>
        changed(store, {
          write: (shard, writes, positions) => store.write(shard, isLost() ? [] : writes, positions),
        }),
    };
  },
  'who joins a row later is not stored': () => ({
    store: (store) =>
      changed(store, {
        write: (shard, writes, positions) =>
          store.write(
            shard,
            writes.map((write) => ({ ...write, members: [] })),
            positions,
          ),
      }),
  }),
  'timers are forgotten': () => {
    const isLost = nowAndThen(10);
    return {
      timers: (timers) =>
        changed(timers, {
          write: (shard, change) => timers.write(shard, isLost() ? { ...change, set: [] } : change),
        }),
    };
  },
  'timers are done before their work is': () => ({
    timers: (timers) =>
      changed(timers, {
        async due(shard, nowMs, max) {
          const due = await timers.due(shard, nowMs, max);
          await timers.write(shard, { done: due });
          return due;
        },
      }),
  }),
  'what was sent is not remembered': () => ({
    store: (store) => changed(store, { head: async (...args) => ({ ...(await store.head(...args)), notes: '' }) }),
  }),
  'wishes are read once and never again': () => ({
    profiles: (profiles) => changed(profiles, { watch: () => () => {} }),
  }),
};

for (const [fault, plant] of Object.entries(faults)) {
  test(`it is found that ${fault}`, async () => {
    for (let seed = 1; seed <= seedsMax; seed++) {
      const simulation = new Simulation(seed, plant());
      // A world with a fault may also come to a stop.
      const isStuck = await simulation.run(steps).then(
        () => false,
        () => true,
      );
      if (isStuck) return;
      const found = [
        ...(await checkSimulation(simulation)),
        ...checkTold(simulation),
        ...(await simulation.outside.check(people)),
      ];
      if (found.length > 0) return;
    }
    assert.fail(`not within ${seedsMax} seeds`);
  });
}
