/**
 * A whole cluster in a small world: intake, shard, gateway and API processes on virtual time over a log, a store, presence
 * and a bus in memory. Processes die, stand still and come back, shards move, the bus is away and loses hints; the app
 * sends again what it got no answer for, people connect to any gateway and mark through any API.
 *
 * The same seed is the same run.
 */
import type { ActedEvent } from '@carillon/contract/event.ts';
import { type Lane, lanes } from '@carillon/contract/lanes.ts';
import type { NotificationPage } from '@carillon/contract/notification.ts';
import type { ServerFrame } from '@carillon/contract/stream.ts';
import type { Role } from '../../server/src/base/config-schema.ts';
import type { PersonKey } from '../../server/src/base/ids.ts';
import { limits } from '../../server/src/base/limits.ts';
import { type Random, seededRandom } from '../../server/src/base/random.ts';
import { VirtualClock } from '../../server/src/base/virtual-clock.ts';
import { describeInApp } from '../../server/src/content/describe-in-app.ts';
import { BusHub } from '../../server/src/deliver/realtime/bus-memory.ts';
import { PresenceMemory } from '../../server/src/deliver/realtime/presence-memory.ts';
import type { InboxService } from '../../server/src/inbox/inbox-service.ts';
import { InboxServiceStore } from '../../server/src/inbox/inbox-service-store.ts';
import { InboxStoreMemory } from '../../server/src/inbox/inbox-store-memory.ts';
import { EventLogMemory } from '../../server/src/log/event-log-memory.ts';
import { ClusterProcess, type SharedServices } from './cluster-process.ts';
import { Faults, turn } from './faults.ts';
import { SimulatedGroup } from './simulated-group.ts';
import { people, tinyMemory } from './simulation.ts';
import { createStory } from './story.ts';
import { StreamClient, type StreamSource } from './stream-client.ts';

const shards = 4;
const roleSets: readonly (readonly Role[])[] = [
  ['intake'],
  ['intake'],
  ['shard'],
  ['shard'],
  ['shard'],
  ['gateway', 'api'],
  ['gateway', 'api'],
];
const intakes = [0, 1];
const workers = [2, 3, 4];
const fronts = [5, 6];

/** Nothing in this small world takes longer. */
const turnsMax = 100_000;

export class ClusterSimulation {
  readonly random: Random;
  readonly clock = new VirtualClock();
  readonly faults: Faults;
  readonly acknowledged: ActedEvent[] = [];
  readonly clients: StreamClient[] = people.map((person) => new StreamClient(person));
  readonly inbox: InboxService;
  /** Shards that changed their owner. */
  readonly group = new SimulatedGroup(shards);
  readonly #log = new EventLogMemory();
  readonly #store = new InboxStoreMemory();
  readonly #hub = new BusHub();
  readonly #services: SharedServices;
  readonly #processes: (ClusterProcess | null)[] = roleSets.map(() => null);
  /** Of each client: how to leave its gateway, and which that is. */
  readonly #connections = new Map<StreamClient, { front: number; source: FeedSource }>();
  #starts = 0;

  constructor(seed: number) {
    this.random = seededRandom(seed);
    const crashOneIn = 60 + this.random.below(600);
    this.faults = new Faults(this.random, { crashOneIn, failOneIn: 30, slowOneIn: 5 });
    const { clock, faults, group } = this;
    const [log, store, hub] = [this.#log, this.#store, this.#hub];
    const memory = tinyMemory(this.random);
    const behind = () => this.#behind();
    this.#services = {
      shards,
      log,
      store,
      hub,
      presence: new PresenceMemory(clock),
      group,
      clock,
      faults,
      memory,
      behind,
    };
    this.inbox = new InboxServiceStore({ store, clock, cursorSecret: new Uint8Array(32), describe: describeInApp });
  }

  async run(steps: number): Promise<void> {
    await this.#during(Promise.all(roleSets.keys().map((index) => this.#keep(index, true))));
    const story = createStory(this.random);
    for (let step = 0; step < steps; step++) {
      this.#passTime();
      const batch = Array.from({ length: 1 + this.random.below(4) }, () => story.next(this.clock.now()));
      await this.#send(batch);
      if (this.random.below(3) === 0) await this.#someoneActs();
      if (this.random.below(6) === 0) await this.#somethingHappens();
    }
    await this.#comeToRest();
  }

  async listed(person: PersonKey): Promise<NotificationPage['items']> {
    const items: NotificationPage['items'] = [];
    for (let cursor: string | null = null; ; ) {
      const query = { limit: 3, cursor, type: null, category: null, state: null };
      const page: NotificationPage = await this.inbox.page(person, query);
      items.push(...page.items);
      cursor = page.nextCursor;
      if (cursor === null) return items;
    }
  }

  #passTime(): void {
    this.clock.advance(this.random.below(3) * 400);
  }

  /** Keeps a process running: whenever it dies another takes its place. */
  async #keep(index: number, isFirst = false): Promise<void> {
    for (let attempt = 0; ; attempt++) {
      if (!isFirst || attempt > 0) await turn();
      try {
        const process = await ClusterProcess.start(
          this.#services,
          roleSets[index] ?? [],
          `p${index}-${this.#starts++}`,
        );
        this.#processes[index] = process;
        void process.life.crashed.then(() => this.#replace(index, process));
        return;
      } catch {}
    }
  }

  async #replace(index: number, process: ClusterProcess): Promise<void> {
    this.#processes[index] = null;
    for (const [client, { front }] of this.#connections) if (front === index) this.#lost(client);
    await process.buried();
    await this.#keep(index);
  }

  /** Sends until there is an answer; what was acknowledged must never be lost. Now and then sends a second time. */
  async #send(events: readonly ActedEvent[]): Promise<void> {
    const times = this.random.below(10) === 0 ? 2 : 1;
    for (let time = 0; time < times; time++) {
      for (let isDone = false; !isDone; ) {
        const process = this.#processes[this.#pick(intakes)];
        isDone = process != null && (await this.#attempt(process, process.take(events)));
        if (process == null) await this.#during(turn());
      }
    }
    this.acknowledged.push(...events);
  }

  async #someoneActs(): Promise<void> {
    const client = this.clients[this.random.below(this.clients.length)] as StreamClient;
    switch (this.random.below(3)) {
      case 0:
        await this.#connect(client);
        break;
      case 1:
        this.#disconnect(client);
        break;
      default: {
        const process = this.#processes[this.#pick(fronts)];
        if (process != null) await this.#attempt(process, client.markSomething(new FeedSource(process), this.random));
      }
    }
  }

  async #somethingHappens(): Promise<void> {
    switch (this.random.below(3)) {
      case 0:
        this.#hub.takeAway();
        this.clock.advance(this.random.below(4000));
        this.#hub.bringBack();
        break;
      case 1:
        await this.#standStill(this.#pick(workers));
        break;
      default:
        // Told to stop, as in a deploy.
        await this.#deploy(this.#pick(workers));
    }
  }

  /** A process stands still, is taken for dead, and wakes while others have its shards. It then ends itself. */
  async #standStill(index: number): Promise<void> {
    const process = this.#processes[index];
    if (process == null) return;
    process.life.sleep();
    this.#processes[index] = null;
    await this.#during(process.buried());
    await this.#during(this.#turns(this.random.below(50)));
    process.life.wake();
    await this.#during(this.#turns(this.random.below(50)));
    process.life.end();
    await this.#during(this.#keep(index));
  }

  async #deploy(index: number): Promise<void> {
    const process = this.#processes[index];
    if (process == null) return;
    if (await this.#attempt(process, process.engine.stop())) await this.#during(this.#keep(index));
  }

  async #connect(client: StreamClient): Promise<void> {
    const front = this.#pick(fronts);
    const process = this.#processes[front];
    if (process == null || client.isConnected) return;
    const source = new FeedSource(process, (frame, after) => client.receiveLive(frame, after));
    this.#connections.set(client, { front, source });
    await this.#attempt(
      process,
      client.connect(source, () => this.listed(client.person)),
    );
    if (client.isConnected) source.goOn();
    else this.#lost(client);
  }

  #disconnect(client: StreamClient): void {
    const connection = this.#connections.get(client);
    if (connection !== undefined) client.disconnect(connection.source);
    this.#connections.delete(client);
  }

  #lost(client: StreamClient): void {
    this.#connections.get(client)?.source.closeFeed();
    this.#connections.delete(client);
    client.lostConnection();
  }

  /** Faults end, everybody comes back and connects, and all that was acknowledged is applied and told. */
  async #comeToRest(): Promise<void> {
    this.faults.isQuiet = true;
    await this.#during(this.#applied());
    for (const client of this.clients) while (!client.isConnected) await this.#connect(client);
    await this.#during(this.#applied());
    for (let passed = 0; passed < 2 * limits.lateWriteMs; passed += 100) {
      this.clock.advance(100);
      await turn();
    }
  }

  async #applied(): Promise<void> {
    while (this.#processes.includes(null)) await turn();
    while ((await this.#behind()).some((records) => records > 0)) await turn();
  }

  async #behind(): Promise<number[]> {
    const counts = lanes.map(() => 0);
    for (const [key, records] of this.#log.state.lanes) {
      const [shard, lane] = key.split(':') as [string, Lane];
      const index = lanes.indexOf(lane);
      const position = (await this.#store.positions(Number(shard)))?.[index] ?? 0;
      counts[index] = (counts[index] as number) + records.filter(({ start }) => start >= position).length;
    }
    return counts;
  }

  /** False when the process died meanwhile, or the call was refused. */
  async #attempt(process: ClusterProcess, call: Promise<unknown>): Promise<boolean> {
    const done = call.then(
      () => true,
      () => false,
    );
    return this.#during(Promise.race([done, process.life.crashed.then(() => false)]));
  }

  /** Virtual time passes while somebody waits, so that retries come due. */
  async #during<Value>(waited: Promise<Value>): Promise<Value> {
    let isOver = false;
    void waited.finally(() => {
      isOver = true;
    });
    for (let turns = 0; !isOver; turns++) {
      if (turns > turnsMax) throw new Error('the cluster is stuck');
      await turn();
      this.clock.advance(1);
    }
    return waited;
  }

  async #turns(count: number): Promise<void> {
    for (let left = count; left > 0; left--) await turn();
  }

  #pick(from: readonly number[]): number {
    return from[this.random.below(from.length)] as number;
  }
}

/** A front process as a device sees it. Frames that come while it takes the catch-up in wait for `goOn`. */
class FeedSource implements StreamSource {
  readonly #process: ClusterProcess;
  readonly #receive: (frame: ServerFrame, after: number) => void;
  #close = (): void => {};
  #waiting: (() => void)[] | null = [];

  constructor(process: ClusterProcess, receive: (frame: ServerFrame, after: number) => void = () => {}) {
    this.#process = process;
    this.#receive = receive;
  }

  openFeed(person: PersonKey, since: number | null) {
    return new Promise<Parameters<Parameters<ClusterProcess['front']['feed']['open']>[2]>[0]>((resolve) => {
      this.#close = this.#process.front.feed.open(person, since, resolve, ({ json, after }) => {
        const take = (): void => this.#receive(JSON.parse(json.toString()) as ServerFrame, after);
        if (this.#waiting === null) take();
        else this.#waiting.push(take);
      });
    });
  }

  goOn(): void {
    for (const take of this.#waiting ?? []) take();
    this.#waiting = null;
  }

  closeFeed(): Promise<void> {
    this.#close();
    this.#waiting = [];
    return Promise.resolve();
  }

  mark: StreamSource['mark'] = (person, request) => this.#process.front.inbox.mark(person, request);
}
