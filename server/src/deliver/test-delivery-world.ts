/** A channel's worker in a small world, for tests: rows and dispatches in, calls to a provider out, on virtual time. */
import { setImmediate as turn } from 'node:timers/promises';
import { type PersonKey, personKey } from '../base/ids.ts';
import { limits } from '../base/limits.ts';
import { seededRandom } from '../base/random.ts';
import { VirtualClock } from '../base/virtual-clock.ts';
import { builtInTypes } from '../content/type-catalogue.ts';
import { InboxStoreMemory } from '../inbox/inbox-store-memory.ts';
import type { Item } from '../inbox/item.ts';
import { noonMs, personWrite, testItem } from '../inbox/test-items.ts';
import { EventLogMemory } from '../log/event-log-memory.ts';
import { ProfileStoreMemory } from '../profile/profile-store-memory.ts';
import { TimerStoreMemory } from '../shard/timer-store-memory.ts';
import { DeadLetterStoreMemory } from './dead-letter-store-memory.ts';
import { DeadLetters } from './dead-letters.ts';
import type { Delivery } from './delivery.ts';
import { DeliveryStoreMemory } from './delivery-store-memory.ts';
import { DeliveryWorker, type DeliveryWorkerParts } from './delivery-worker.ts';
import { Gates } from './gates.ts';
import { LastLook } from './last-look.ts';
import { LogChannel } from './log-channel.ts';
import type { Outcome } from './outcome.ts';
import type { Endpoint, Outgoing, Outlet, Reached, Route } from './outlet.ts';
import type { Dispatch } from './outward-channel.ts';
import type { Quota } from './quotas.ts';

export interface Call {
  readonly endpoint: string;
  readonly delivery: string;
  readonly tells: readonly string[];
  readonly atMs: number;
}

export const accepted: Outcome = { kind: 'accepted', providerId: null };
export const down: Outcome = { kind: 'retry', code: '503', afterMs: null };
export const slow = (afterMs: number): Outcome => ({ kind: 'throttled', code: '429', afterMs, scope: 'provider' });

/** A provider that records every call, and answers as it is told. An endpoint's provider is what stands before its `:`. */
export class TestOutlet implements Outlet {
  readonly channel = 'push';
  readonly calls: Call[] = [];
  readonly ends: string[] = [];
  readonly endpoints = new Map<PersonKey, readonly string[]>();
  sendsMax = 100;
  quotasOf: (endpoint: string) => readonly Quota[] = () => [];
  /** `nth`: how often this endpoint was called before. */
  answer: (endpoint: string, nth: number) => Outcome | Promise<Outcome> = () => accepted;
  readonly #clock: VirtualClock;

  constructor(clock: VirtualClock) {
    this.#clock = clock;
  }

  async reach(person: PersonKey): Promise<Reached> {
    const endpoints = (this.endpoints.get(person) ?? ['apns:d1']).map((id) => ({ id }));
    return { state: endpoints.length === 0 ? 'none' : 'ready', endpoints };
  }

  prepare({ items }: Outgoing, { id: endpoint }: Endpoint, delivery: string): readonly Route[] {
    const tells = items.map(({ object }) => object.id);
    if (tells.includes('unrenderable')) throw new Error('told to fail');
    const provider = endpoint.slice(0, endpoint.indexOf(':'));
    const send = async (): Promise<Outcome> => {
      const nth = this.calls.filter((call) => call.endpoint === endpoint).length;
      this.calls.push({ endpoint, delivery, tells, atMs: this.#clock.now() });
      return this.answer(endpoint, nth);
    };
    return [{ provider, project: provider, sendsMax: this.sendsMax, quotas: this.quotasOf(endpoint), send }];
  }

  async ended({ id }: Endpoint, { kind }: Outcome): Promise<void> {
    this.ends.push(`${id} ${kind}`);
  }

  /** Objects told of, by endpoint, in the order of the calls. */
  told(endpoint: string): string[] {
    return this.calls.filter((call) => call.endpoint === endpoint).map(({ tells }) => tells.join('+'));
  }
}

export class DeliveryWorld {
  readonly clock = new VirtualClock(noonMs);
  readonly profiles = new ProfileStoreMemory(this.clock);
  readonly inbox = new InboxStoreMemory();
  readonly deliveries = new DeliveryStoreMemory();
  readonly timers = new TimerStoreMemory();
  readonly deadLetters = new DeadLetterStoreMemory();
  readonly outlet = new TestOutlet(this.clock);
  readonly problems: string[] = [];
  readonly unusable: number[] = [];
  overQuota = 0;
  readonly #replaced: Partial<DeliveryWorkerParts>;
  #log = new EventLogMemory();
  #worker: DeliveryWorker;

  constructor(replaced: Partial<DeliveryWorkerParts> = {}) {
    this.#replaced = replaced;
    this.#worker = this.#newWorker();
  }

  static async start(replaced: Partial<DeliveryWorkerParts> = {}): Promise<DeliveryWorld> {
    const world = new DeliveryWorld(replaced);
    await world.#worker.start();
    return world;
  }

  /** A row about `p1`, live and unread. */
  async row(user: string, object: string, change: Partial<Item> = {}): Promise<Item> {
    const person = personKey('default', user);
    const about = { kind: 'post', id: object, title: null, url: null, image: null, parent: null };
    const item = testItem(person, `${user} ${object}`, this.clock.now(), { object: about, revision: 5, ...change });
    await this.inbox.write(0, [personWrite(person, [item])], [0, 0, 0]);
    return item;
  }

  /** Hands a telling of each row over, in one dispatch. */
  async tell(user: string, items: readonly Item[], change: Partial<Dispatch> = {}): Promise<void> {
    const nowMs = this.clock.now();
    const dispatch: Dispatch = {
      person: personKey('default', user),
      tells: items.map(({ id }) => ({ notification: id, number: 1 })),
      lane: items[0]?.lane ?? 'social',
      moment: 'now',
      decidedAtMs: nowMs,
      expiresAtMs: nowMs + 86_400_000,
      ...change,
    };
    const channel = new LogChannel({ name: 'push', log: this.#log, shards: 1, endpointOf: () => 'ready' });
    const taking = channel.take([dispatch]);
    await this.settled();
    await taking;
    await this.settled();
  }

  /** A row and its telling. */
  async push(user: string, object: string, change: Partial<Item> = {}): Promise<Item> {
    const item = await this.row(user, object, change);
    await this.tell(user, [item]);
    return item;
  }

  /** As an operator's process has them. */
  letters(): DeadLetters {
    const { clock, profiles, inbox, outlet, deliveries, deadLetters } = this;
    const channel = new LogChannel({ name: 'push', log: this.#log, shards: 1, endpointOf: () => 'ready' });
    const look = new LastLook({ outlet, profiles, inbox, catalogue: builtInTypes, clock });
    return new DeadLetters({
      letters: deadLetters,
      deliveries,
      channels: [channel],
      looks: new Map([['push', look]]),
      clock,
    });
  }

  /** Lets time pass, with all that comes due in it. */
  async pass(ms: number): Promise<void> {
    const untilMs = this.clock.now() + ms;
    for (;;) {
      await this.settled();
      const nextMs = await this.timers.nextDueMs(0);
      if (nextMs === null || nextMs > untilMs) break;
      this.clock.advance(Math.max(1, nextMs - this.clock.now()));
    }
    this.clock.advance(Math.max(0, untilMs - this.clock.now()));
    await this.settled();
  }

  /** Until nothing can be done without time passing, but for calls that are told not to be answered. */
  async settled(): Promise<void> {
    for (let quiet = 0, turns = 0; quiet < 5; turns++) {
      await turn();
      quiet = this.#worker.isAsleep ? quiet + 1 : 0;
      if (turns % 200 === 199) this.clock.advance(limits.storeRetryMs);
      if (turns > 20_000) throw new Error('the worker does not come to rest');
    }
  }

  /** As a deploy does. */
  async restart(): Promise<void> {
    await this.stop();
    await this.#startAnew();
  }

  /** As SIGKILL does: whatever is under way never comes back. */
  async crash(): Promise<void> {
    this.#log = new EventLogMemory(this.#log.state);
    await this.#startAnew();
  }

  async stop(): Promise<void> {
    let isStopped = false;
    const stopping = this.#worker.stop().then(() => {
      isStopped = true;
    });
    while (!isStopped) {
      await turn();
      this.clock.advance(50);
    }
    await stopping;
  }

  async deliveriesOf(item: Item): Promise<readonly Delivery[]> {
    const person = [...this.deliveries.jobs.values()].find(({ tells }) =>
      tells.some((tell) => tell.notification === item.id),
    );
    return person?.deliveries ?? [];
  }

  /** `apns:d1 accepted`, with the code where there is one. */
  async states(item: Item): Promise<string[]> {
    const all = await this.deliveriesOf(item);
    return all.map(({ endpoint, state, code }) => [endpoint, state, code].filter(Boolean).join(' ')).sort();
  }

  async #startAnew(): Promise<void> {
    this.#worker = this.#newWorker();
    await this.#worker.start();
    await this.settled();
  }

  #newWorker(): DeliveryWorker {
    const { clock, profiles, inbox, outlet, deliveries, timers, deadLetters } = this;
    return new DeliveryWorker({
      shard: 0,
      log: this.#log,
      store: deliveries,
      timers,
      deadLetters,
      outlet,
      look: new LastLook({ outlet, profiles, inbox, catalogue: builtInTypes, clock }),
      unreadOf: async () => 1,
      gates: new Gates(clock),
      clock,
      random: seededRandom(7),
      listener: {
        attempted: () => {},
        ended: () => {},
        putOff: () => {},
        overQuota: (_channel, count) => {
          this.overQuota += count;
        },
        unusable: ({ bytes }) => this.unusable.push(bytes.length),
        failed: (_channel, error) => this.problems.push(String(error)),
        unplannable: (_channel, error) => this.problems.push(String(error)),
      },
      ...this.#replaced,
    });
  }
}
