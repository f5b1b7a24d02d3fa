/**
 * The real pipeline in a small world: log, shard host, inbox and feed on virtual time, with a seeded story, seeded
 * faults, and an app and a person at either end who do what real ones do: the app sends again what it got no answer
 * for, the person connects, loses the connection, marks things read and resumes.
 *
 * The same seed is the same run.
 */
import type { ActedEvent } from '@carillon/contract/event.ts';
import type { NotificationPage } from '@carillon/contract/notification.ts';
import type { ServerFrame } from '@carillon/contract/stream.ts';
import { type PersonKey, personKey } from '../../server/src/base/ids.ts';
import { type Random, seededRandom } from '../../server/src/base/random.ts';
import { VirtualClock } from '../../server/src/base/virtual-clock.ts';
import { describeInApp } from '../../server/src/content/describe-in-app.ts';
import { readFrameBatch } from '../../server/src/deliver/realtime/frame-batch.ts';
import type { FeedFrame } from '../../server/src/deliver/realtime/live-feed.ts';
import { createProgress } from '../../server/src/embedded/progress.ts';
import { ShardHost } from '../../server/src/embedded/shard-host.ts';
import type { InboxService } from '../../server/src/inbox/inbox-service.ts';
import { InboxServiceStore } from '../../server/src/inbox/inbox-service-store.ts';
import type { InboxStore } from '../../server/src/inbox/inbox-store.ts';
import { InboxStoreMemory } from '../../server/src/inbox/inbox-store-memory.ts';
import type { EventLog } from '../../server/src/log/event-log.ts';
import { EventLogMemory, MemoryLogState } from '../../server/src/log/event-log-memory.ts';
import type { ShardMemory } from '../../server/src/shard/shard-memory.ts';
import { Faults, outcomeOf, ProcessLife } from './faults.ts';
import { OutsideWorld } from './outside-world.ts';
import { packEvents } from './pack-event.ts';
import type { Planted } from './planted.ts';
import { createStory } from './story.ts';
import { StreamClient } from './stream-client.ts';

export const people: readonly PersonKey[] = ['r1', 'r2', 'r3'].map((user) => personKey('default', user));

/** So little that people, rows and members come and go all the time. */
export function tinyMemory(random: Random): ShardMemory {
  return {
    cachedPeopleMax: 1 + random.below(4),
    cachedRowsMax: 10,
    cachedMembersMax: 10,
    cachedHeadRows: 1 + random.below(4),
    cachedProfileWeightMax: 1 + random.below(10),
    cachedRowsPerPerson: 1 + random.below(4),
    exactPeopleMax: 1000,
    evictEveryBatches: 1 + random.below(4),
  };
}

const same = <Part>(part: Part): Part => part;

export class Simulation {
  readonly random: Random;
  readonly clock = new VirtualClock();
  readonly faults: Faults;
  readonly acknowledged: ActedEvent[] = [];
  readonly clients: StreamClient[];
  /** How often each meaning was told to each person, counting what was written only. */
  readonly told = new Map<string, number>();
  #toldUnwritten: string[] = [];
  readonly #log = new MemoryLogState();
  readonly #store = this.#countTold(new InboxStoreMemory());
  readonly outside = new OutsideWorld(this.clock, this.#store);
  readonly #memory: ShardMemory;
  readonly #planted: Planted;
  #host!: ShardHost;
  #inbox!: InboxService;
  #life!: ProcessLife;

  constructor(seed: number, planted: Planted = {}) {
    this.#planted = planted;
    this.random = seededRandom(seed);
    const crashOneIn = 20 + this.random.below(200);
    this.faults = new Faults(this.random, { crashOneIn, failOneIn: 15, slowOneIn: 5 });
    this.#memory = tinyMemory(this.random);
    this.clients = people.map((person) => new StreamClient(person));
  }

  /** Runs a whole story, then lets everything come to rest without faults. */
  async run(steps: number): Promise<void> {
    await this.#restart();
    const story = createStory(this.random);
    for (let step = 0; step < steps; step++) {
      this.#passTime();
      const batch = Array.from({ length: 1 + this.random.below(4) }, () => story.next(this.clock.now()));
      if (this.random.below(4) === 0) batch.reverse();
      await this.#send(batch);
      if (this.random.below(3) === 0) await this.#someoneActs();
    }
    this.faults.isQuiet = true;
    await this.#settle();
    await this.#runTimers();
    for (const client of this.clients) await this.#connect(client);
    await this.#settle();
  }

  /** Everything the list shows of a person, page by page, as a client would read it. */
  async listed(person: PersonKey): Promise<NotificationPage['items']> {
    const items: NotificationPage['items'] = [];
    for (let cursor: string | null = null; ; ) {
      const page: NotificationPage = await this.#inbox.page(person, {
        limit: 3,
        cursor,
        type: null,
        category: null,
        state: null,
      });
      items.push(...page.items);
      cursor = page.nextCursor;
      if (cursor === null) return items;
    }
  }

  get inbox(): InboxService {
    return this.#inbox;
  }

  #passTime(): void {
    this.clock.advance(this.random.below(3) * 400);
    // So that windows end in the middle of things.
    if (this.random.below(6) === 0) this.clock.advance(this.random.below(90_000));
    if (this.random.below(20) === 0) this.clock.step(this.random.below(20_000) - 10_000);
  }

  /** Sends until there is an answer; what was acknowledged must never be lost. Now and then sends a second time. */
  async #send(events: readonly ActedEvent[]): Promise<void> {
    const times = this.random.below(10) === 0 ? 2 : 1;
    for (let time = 0; time < times; time++) {
      for (;;) {
        const answered = await this.#attempt(() => this.#host.append(packEvents(events, this.clock.now())));
        if (answered) break;
      }
    }
    this.acknowledged.push(...events);
  }

  async #someoneActs(): Promise<void> {
    const client = this.clients[this.random.below(this.clients.length)] as StreamClient;
    switch (this.random.below(4)) {
      case 0:
        await this.#connect(client);
        break;
      case 1:
        client.disconnect(this.#host);
        break;
      case 2:
        await this.outside.changeWish(client.person, this.random);
        break;
      default:
        await this.#attempt(() => client.markSomething(this.#host, this.random));
    }
  }

  async #connect(client: StreamClient): Promise<void> {
    await this.#attempt(() => client.connect(this.#host, () => this.listed(client.person)));
  }

  /** Until nothing is due any more. */
  async #runTimers(): Promise<void> {
    for (;;) {
      const dueMs = await this.outside.timers.nextDueMs(0);
      if (dueMs === null) return;
      this.clock.advance(Math.max(0, dueMs - this.clock.now()));
      await this.#settle();
    }
  }

  async #settle(): Promise<void> {
    while (!(await this.#attempt(() => this.#host.settled())));
  }

  /** False when the process died meanwhile (it has been started again), or the call was refused. */
  async #attempt(call: () => Promise<unknown>): Promise<boolean> {
    const outcome = await outcomeOf(call(), this.#life, this.clock);
    if (outcome === 'crashed') await this.#restart();
    return outcome === 'done';
  }

  async #restart(): Promise<void> {
    for (;;) {
      const life = new ProcessLife(this.faults, this.clock);
      this.#life = life;
      for (const client of this.clients) client.lostConnection();
      const { log = same, store: inStore = same } = this.#planted;
      const store = inStore(life.around<InboxStore>(this.#store, ['write']));
      this.#toldUnwritten = [];
      this.#inbox = this.#serviceOver(this.#store);
      this.#host = new ShardHost({
        log: log(life.around<EventLog>(new EventLogMemory(this.#log))),
        store,
        inbox: this.#serviceOver(store),
        ...this.outside.portsOf(life, this.#planted),
        clock: this.clock,
        shards: 1,
        progress: createProgress(),
        memory: this.#memory,
        onFrames: (bytes) => {
          if (!life.isDead) readFrameBatch(bytes, (person, frame) => this.#deliver(person, frame));
        },
        onDecided: ({ type, actorId, thing }, user, { tells }) => {
          if (tells && !life.isDead) this.#toldUnwritten.push(`${user}: ${type.name} by ${actorId} on ${thing}`);
        },
        onProblem: () => {},
      });
      const started = this.#host.start().then(() => true);
      if (await Promise.race([started, life.crashed.then(() => false)])) return;
    }
  }

  #serviceOver(store: InboxStore): InboxService {
    return new InboxServiceStore({
      store,
      clock: this.clock,
      cursorSecret: new Uint8Array(32),
      describe: describeInApp,
    });
  }

  /** Notes what was told when the write that tells it has taken effect. */
  #countTold(store: InboxStore): InboxStore {
    const write = store.write.bind(store);
    store.write = async (...args) => {
      await write(...args);
      for (const key of this.#toldUnwritten) this.told.set(key, (this.told.get(key) ?? 0) + 1);
      this.#toldUnwritten = [];
      this.outside.written();
    };
    return store;
  }

  #deliver(person: PersonKey, { json, after }: FeedFrame): void {
    const frame = JSON.parse(json.toString()) as ServerFrame;
    for (const client of this.clients) if (client.person === person) client.receiveLive(frame, after);
  }
}
