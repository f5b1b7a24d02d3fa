/**
 * A channel's worker with faults at every await: crashes, stores that fail, providers that fail by plan and answers that are
 * lost (R1). In the end every delivery has ended, and nothing that a provider took, or may have taken, was sent again.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { personKey } from '../../server/src/base/ids.ts';
import { type Random, seededRandom } from '../../server/src/base/random.ts';
import { VirtualClock } from '../../server/src/base/virtual-clock.ts';
import { builtInTypes } from '../../server/src/content/type-catalogue.ts';
import { DeadLetterStoreMemory } from '../../server/src/deliver/dead-letter-store-memory.ts';
import { isSettled } from '../../server/src/deliver/delivery-state.ts';
import type { DeliveryStore } from '../../server/src/deliver/delivery-store.ts';
import { DeliveryStoreMemory } from '../../server/src/deliver/delivery-store-memory.ts';
import { DeliveryWorker } from '../../server/src/deliver/delivery-worker.ts';
import { Gates } from '../../server/src/deliver/gates.ts';
import { LastLook } from '../../server/src/deliver/last-look.ts';
import { LogChannel } from '../../server/src/deliver/log-channel.ts';
import type { Outcome } from '../../server/src/deliver/outcome.ts';
import type { Endpoint, Outlet } from '../../server/src/deliver/outlet.ts';
import type { Dispatch } from '../../server/src/deliver/outward-channel.ts';
import { InboxStoreMemory } from '../../server/src/inbox/inbox-store-memory.ts';
import type { Item } from '../../server/src/inbox/item.ts';
import { noonMs, personWrite, testItem } from '../../server/src/inbox/test-items.ts';
import type { EventLog } from '../../server/src/log/event-log.ts';
import { EventLogMemory, MemoryLogState } from '../../server/src/log/event-log-memory.ts';
import { ProfileStoreMemory } from '../../server/src/profile/profile-store-memory.ts';
import { TimerStoreMemory } from '../../server/src/shard/timer-store-memory.ts';
import { Faults, ProcessLife, turn } from './faults.ts';

const people = ['r1', 'r2', 'r3'].map((user) => personKey('default', user));
const dayMs = 86_400_000;

class DeliverySimulation {
  readonly #random: Random;
  readonly #faults: Faults;
  readonly #clock = new VirtualClock(noonMs);
  readonly #inbox = new InboxStoreMemory();
  readonly #profiles = new ProfileStoreMemory(this.#clock);
  readonly #state = new MemoryLogState();
  readonly #timers = new TimerStoreMemory();
  readonly #letters = new DeadLetterStoreMemory();
  readonly deliveries = new DeliveryStoreMemory();
  /** By delivery: what the provider made of each call. */
  readonly calls = new Map<string, Outcome['kind'][]>();
  readonly told = new Set<string>();
  /** Whose row it is. */
  readonly #owners = new Map<string, string>();
  #life!: ProcessLife;
  #worker!: DeliveryWorker;
  #channel!: LogChannel;

  constructor(seed: number) {
    this.#random = seededRandom(seed);
    const crashOneIn = 30 + this.#random.below(300);
    this.#faults = new Faults(this.#random, { crashOneIn, failOneIn: 15, slowOneIn: 5 });
  }

  get crashes(): number {
    return this.#faults.crashes;
  }

  async run(steps: number): Promise<void> {
    await this.#restart();
    const items: Item[] = [];
    for (let step = 0; step < steps; step++) {
      const person = people[this.#random.below(people.length)] as (typeof people)[number];
      const item = testItem(person, `e${step}`, this.#clock.now(), { revision: step + 1 });
      await this.#inbox.write(0, [personWrite(person, [item])], [0, 0, 0]);
      items.push(item);
      // Alone, with what was told before, or both: as a shard that begins anew may decide.
      const others = items.filter((each) => each.groupKey !== item.groupKey && this.#owners.get(each.id) === person);
      await this.#take(person, this.#random.below(3) === 0 ? [item, ...others.slice(-2)] : [item]);
      await this.#pass(this.#random.below(4) * 1000);
    }
    this.#faults.isQuiet = true;
    // What waits for its quota has no timer.
    for (let idle = 0; idle < 10; ) {
      await this.#pass(100);
      const dueMs = await this.#timers.nextDueMs(0);
      if (dueMs !== null) await this.#pass(Math.max(0, dueMs - this.#clock.now()) + 1);
      idle = dueMs === null && this.#worker.isAsleep ? idle + 1 : 0;
    }
  }

  /** Until it was taken, as a shard does. */
  async #take(person: (typeof people)[number], items: readonly Item[]): Promise<void> {
    for (const { id } of items) this.#owners.set(id, person);
    const nowMs = this.#clock.now();
    const tells = items.map(({ id }) => ({ notification: id, number: 1 }));
    for (const { notification } of tells) this.told.add(notification);
    const times = { decidedAtMs: nowMs, expiresAtMs: nowMs + dayMs };
    const dispatch: Dispatch = { person, tells, lane: 'direct', moment: 'now', ...times };
    for (let isTaken = false; !isTaken; ) {
      let ended = false;
      this.#channel.take([dispatch]).then(
        () => {
          isTaken = true;
          ended = true;
        },
        () => {
          ended = true;
        },
      );
      const life = this.#life;
      while (!ended && !life.isDead) await this.#pass(1);
      if (life.isDead && !isTaken) await this.#pass(1);
    }
  }

  async #pass(ms: number): Promise<void> {
    for (let left = ms; left >= 0; left -= 500) {
      for (let turns = 0; turns < 6; turns++) await turn();
      this.#clock.advance(Math.min(500, Math.max(1, left)));
      if (this.#life.isDead) await this.#restart();
    }
  }

  async #restart(): Promise<void> {
    for (;;) {
      const life = new ProcessLife(this.#faults, this.#clock);
      this.#life = life;
      const log = life.around<EventLog>(new EventLogMemory(this.#state), ['append']);
      this.#channel = new LogChannel({ name: 'push', log, shards: 1, endpointOf: () => 'ready' });
      const { clock } = life;
      const outlet = this.#outlet(life);
      this.#worker = new DeliveryWorker({
        shard: 0,
        log,
        store: life.around<DeliveryStore>(this.deliveries, ['write', 'find']),
        timers: life.around(this.#timers, ['write', 'due', 'nextDueMs']),
        deadLetters: life.around(this.#letters, ['put', 'remove']),
        outlet,
        look: new LastLook({
          outlet,
          profiles: this.#profiles,
          inbox: life.around(this.#inbox, ['item', 'marks']),
          catalogue: builtInTypes,
          clock,
        }),
        unreadOf: async () => 1,
        gates: new Gates(clock),
        clock,
        random: this.#random,
        listener: {
          attempted() {},
          ended() {},
          putOff() {},
          overQuota() {},
          unusable() {},
          failed() {},
          unplannable: (_, error) => assert.fail(error as Error),
        },
      });
      const started = this.#worker.start().then(
        () => true,
        () => false,
      );
      let outcome: boolean | null = null;
      void Promise.race([started, life.crashed.then(() => false)]).then((how) => {
        outcome = how;
      });
      while (outcome === null) {
        await turn();
        this.#clock.advance(1);
      }
      if (outcome) return;
      life.end();
    }
  }

  #outlet(life: ProcessLife): Outlet {
    return {
      channel: 'push',
      reach: async () => ({ state: 'ready', endpoints: [{ id: 'd1' }, { id: 'd2' }] }),
      prepare: (_outgoing, { id }: Endpoint, delivery) => [
        {
          provider: `apns${id}`,
          project: id,
          sendsMax: 3,
          quotas: [{ name: id, rate: { burst: 2, perMs: 0.02, from: 0.5, risePerMs: 0.001 } }],
          send: async () => {
            if (life.isDead) return new Promise(() => {});
            const outcome = this.#answer();
            const known = this.calls.get(delivery) ?? [];
            this.calls.set(delivery, [...known, outcome.kind]);
            const around = life.around({ answer: async () => outcome });
            return around.answer();
          },
        },
      ],
      ended: async () => {},
    };
  }

  #answer(): Outcome {
    const drawn = this.#random.below(100);
    if (this.#faults.isQuiet || drawn < 80) return { kind: 'accepted', providerId: null };
    if (drawn < 88) return { kind: 'retry', code: '503', afterMs: null };
    if (drawn < 93)
      return { kind: 'throttled', code: '429', afterMs: 2000, scope: drawn < 91 ? 'endpoint' : 'project' };
    return drawn < 96 ? { kind: 'unknown', code: 'lost' } : { kind: 'refused', code: '400' };
  }
}

const mayHaveIt = new Set<Outcome['kind']>(['accepted', 'unknown', 'refused']);

test('R1: whatever crashes or fails, each delivery ends once, and what may have been taken is not sent again', async () => {
  let crashes = 0;
  for (let seed = 1; seed <= 60; seed++) {
    const simulation = new DeliverySimulation(seed);
    await simulation.run(12);
    crashes += simulation.crashes;
    const jobs = [...simulation.deliveries.jobs.values()];
    const told = new Set(jobs.flatMap(({ tells }) => tells.map(({ notification }) => notification as string)));
    assert.deepEqual(
      [...simulation.told].filter((id) => !told.has(id)),
      [],
      `seed ${seed}: not told`,
    );
    assert.equal(jobs.flatMap(({ tells }) => tells).length, told.size, `seed ${seed}: told twice`);
    for (const { deliveries } of jobs) {
      for (const { state, endpoint } of deliveries)
        assert.ok(isSettled(state), `seed ${seed}: ${endpoint} is ${state}`);
    }
    for (const [delivery, kinds] of simulation.calls) {
      const first = kinds.findIndex((kind) => mayHaveIt.has(kind));
      assert.ok(first === -1 || first === kinds.length - 1, `seed ${seed}: ${delivery} was ${kinds.join(', ')}`);
    }
  }
  assert.ok(crashes > 60, `only ${crashes} crashes`);
});
