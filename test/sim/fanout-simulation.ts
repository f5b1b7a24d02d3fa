/**
 * Audiences in the real pipeline, in a small world: the log, the shards, fan-out and their stores on virtual time. The app
 * sends follows, unfollows and posts until they are acknowledged, members come and go through the API, and the process
 * crashes at any await. In half of the runs, audiences of a few members are large already: what is for them is kept once,
 * and comes to an inbox when it is opened (F3). The same seed is the same run.
 */
import type { Event } from '@carillon/contract/event.ts';
import type { AudienceStore } from '../../server/src/audience/audience-store.ts';
import { AudienceStoreMemory } from '../../server/src/audience/audience-store-memory.ts';
import type { BroadcastStore } from '../../server/src/audience/broadcast-store.ts';
import { BroadcastStoreMemory } from '../../server/src/audience/broadcast-store-memory.ts';
import { FanoutStoreMemory } from '../../server/src/audience/fanout-store-memory.ts';
import { LaneRoom } from '../../server/src/audience/lane-room.ts';
import { shardOf } from '../../server/src/base/hash.ts';
import { audienceKey, defaultTenant, personKey } from '../../server/src/base/ids.ts';
import { type Random, seededRandom } from '../../server/src/base/random.ts';
import { VirtualClock } from '../../server/src/base/virtual-clock.ts';
import { describeInApp } from '../../server/src/content/describe-in-app.ts';
import { builtInTypes } from '../../server/src/content/type-catalogue.ts';
import { AudienceWork } from '../../server/src/embedded/audience-work.ts';
import { createProgress } from '../../server/src/embedded/progress.ts';
import { ShardHost } from '../../server/src/embedded/shard-host.ts';
import { InboxServiceStore } from '../../server/src/inbox/inbox-service-store.ts';
import type { InboxStore } from '../../server/src/inbox/inbox-store.ts';
import { InboxStoreMemory } from '../../server/src/inbox/inbox-store-memory.ts';
import type { Item } from '../../server/src/inbox/item.ts';
import { RecordBuilder } from '../../server/src/intake/record-builder.ts';
import { EventScanner } from '../../server/src/intake/scan-event.ts';
import { EventLogMemory, MemoryLogState } from '../../server/src/log/event-log-memory.ts';
import { type PackedBatch, RecordWriter } from '../../server/src/log/record.ts';
import { Faults, outcomeOf, ProcessLife } from './faults.ts';
import { tinyMemory } from './simulation.ts';

/** What may and must have come of one post. */
export interface PostOutlook {
  readonly id: string;
  /** Members from before it was sent until it had arrived. */
  readonly must: ReadonlySet<string>;
  /** Whoever was a member at some moment meanwhile. */
  readonly may: ReadonlySet<string>;
}

export const users: readonly string[] = Array.from({ length: 9 }, (_, n) => `m${n}`);
const authors = ['a1', 'a2'];
const thread = 'thread:t1';
const audiences = [...authors.map((author) => `followers:${author}`), thread];
export class FanoutSimulation {
  readonly random: Random;
  readonly faults: Faults;
  readonly posts: PostOutlook[] = [];
  /** How often each person was told of each thing, counting what was written only. */
  readonly told = new Map<string, number>();
  readonly shards: number;
  readonly #clock = new VirtualClock(Date.UTC(2026, 2, 10, 12));
  readonly #log = new MemoryLogState();
  readonly #store = new InboxStoreMemory();
  readonly #audiences = new AudienceStoreMemory();
  readonly #fanouts = new FanoutStoreMemory();
  readonly #broadcasts = new BroadcastStoreMemory();
  readonly #broadcastAbove: number;
  /** Members of each audience, as the app means them to be. */
  readonly #members = new Map(audiences.map((audience) => [audience, new Set<string>()]));
  /** By shard: what was decided and is not written yet. */
  #toldUnwritten: string[][] = [];
  #made = 0;
  #life!: ProcessLife;
  #host!: ShardHost;
  #work!: AudienceWork;

  constructor(seed: number) {
    this.random = seededRandom(seed);
    this.shards = 1 + this.random.below(3);
    this.#broadcastAbove = seed % 2 === 0 ? 1 + this.random.below(3) : 10_000;
    this.faults = new Faults(this.random, { crashOneIn: 20 + this.random.below(150), failOneIn: 15, slowOneIn: 4 });
  }

  async run(phases: number): Promise<void> {
    await this.#restart();
    for (let phase = 0; phase < phases; phase++) {
      for (let times = this.random.below(6); times > 0; times--) await this.#someoneMoves(() => {});
      await this.#settle();
      await this.#openAll();
      await this.#postMeanwhile();
    }
    this.faults.isQuiet = true;
    await this.#settle();
  }

  /** All rows of somebody that tell of a post. */
  async rowsOf(user: string): Promise<readonly Item[]> {
    const rows = await this.#store.rows(personKey('default', user), null, 1000);
    return rows.flatMap((row) => (row.kind === 'item' && row.item.type === 'post.published' ? [row.item] : []));
  }

  /** Members that the store holds, beside those meant. */
  async members(): Promise<{ audience: string; stored: string[]; meant: string[]; count: number }[]> {
    const found = audiences.map(async (audience) => {
      const key = audienceKey('default', audience);
      const stored = (await this.#audiences.members(key, null, 100)).members.map(({ user }) => user);
      const meant = [...(this.#members.get(audience) as Set<string>)].sort();
      return { audience, stored, meant, count: await this.#audiences.count(key) };
    });
    return Promise.all(found);
  }

  async unfinished(): Promise<number> {
    return (await this.#fanouts.list({ tenant: 'default', audience: null }, 1000)).filter(
      ({ doneMs }) => doneMs === null,
    ).length;
  }

  /** Posts while people come and go; until all of it has arrived. */
  async #postMeanwhile(): Promise<void> {
    const before = new Map([...this.#members].map(([audience, members]) => [audience, new Set(members)]));
    const moved: { audience: string; user: string; present: boolean }[] = [];
    const sent: { id: string; audience: string }[] = [];
    for (let times = 1 + this.random.below(6); times > 0; times--) {
      if (this.random.below(4) === 0) await this.#open(users[this.random.below(users.length)] as string);
      if (this.random.below(2) === 0) await this.#someoneMoves((move) => moved.push(move));
      else sent.push(await this.#someonePosts());
    }
    await this.#settle();
    await this.#openAll();
    for (const { id, audience } of sent) {
      const must = new Set(before.get(audience));
      const may = new Set(must);
      for (const move of moved) {
        if (move.audience !== audience) continue;
        if (move.present) may.add(move.user);
        else must.delete(move.user);
      }
      this.posts.push({ id, must, may });
    }
  }

  /** Somebody opens their inbox. */
  #open(user: string): Promise<void> {
    const person = personKey('default', user);
    const shard = shardOf(person, this.shards);
    return this.#until(() => this.#work.merge(defaultTenant, [person], (batches) => this.#host.take(shard, batches)));
  }

  async #openAll(): Promise<void> {
    for (const user of users) await this.#open(user);
  }

  /** Events that were kept once for their audience. */
  async kept(): Promise<number> {
    return this.#broadcasts.newest(defaultTenant);
  }

  async #someonePosts(): Promise<{ id: string; audience: string }> {
    const author = authors[this.random.below(authors.length)] as string;
    const isThread = (this.#members.get(thread)?.size ?? 0) > 0 && this.random.below(3) === 0;
    const audience = isThread ? thread : `followers:${author}`;
    const id = `p${this.#made++}`;
    const post = this.#event('post.published', author, { kind: 'post', id }, { audience });
    await this.#send([post]);
    if (this.random.below(4) === 0) await this.#send([post]);
    return { id, audience };
  }

  async #someoneMoves(moved: (move: { audience: string; user: string; present: boolean }) => void): Promise<void> {
    const audience = audiences[this.random.below(audiences.length)] as string;
    const user = users[this.random.below(users.length)] as string;
    const present = this.random.below(3) > 0;
    this.#clock.advance(1 + this.random.below(50));
    const members = this.#members.get(audience) as Set<string>;
    if (present) members.add(user);
    else members.delete(user);
    moved({ audience, user, present });
    if (audience === thread) {
      const wish = { audience: audienceKey('default', audience), user, present, notify: null };
      await this.#until(() => this.#work.service.set(wish));
      return;
    }
    const whom = audience.slice('followers:'.length);
    const type = present ? 'user.followed' : 'user.unfollowed';
    const follow = this.#event(type, user, { kind: 'user', id: whom }, { user: whom });
    const earlier = this.#event(
      present ? 'user.unfollowed' : 'user.followed',
      user,
      { kind: 'user', id: whom },
      { user: whom },
    );
    // Now and then what came before overtakes, or comes after.
    const overtaken = { ...earlier, time: new Date(this.#clock.now() - 1).toISOString() };
    await this.#send(this.random.below(4) === 0 ? [follow, overtaken] : [follow]);
  }

  #event(type: string, actor: string, object: { kind: string; id: string }, to: Event['to']): Event {
    const time = new Date(this.#clock.now()).toISOString();
    return { id: `e${this.#made++}`, source: 'app', type, time, actor: { id: actor }, object, to };
  }

  #send(events: readonly Event[]): Promise<void> {
    return this.#until(() => this.#host.append(this.#pack(events)));
  }

  #pack(events: readonly Event[]): PackedBatch {
    const writer = new RecordWriter();
    const builder = new RecordBuilder(builtInTypes, this.shards, writer);
    const scanner = new EventScanner();
    const nowMs = this.#clock.now();
    for (const event of events) {
      const bytes = Buffer.from(JSON.stringify(event));
      if (!scanner.scan(bytes, 0, bytes.length)) throw new Error(`the scanner does not take ${bytes}`);
      builder.add(scanner, { tenant: 'default', sources: ['*'], nowMs, closedLanes: [], unknownAudiences: new Set() });
    }
    return writer.take();
  }

  /** Everything acknowledged has arrived, fan-outs included. */
  async #settle(): Promise<void> {
    do await this.#until(() => this.#host.settled());
    while ((await this.unfinished()) > 0);
  }

  /** Repeats a call until it is answered, however often the process dies. */
  async #until(call: () => Promise<unknown>): Promise<void> {
    for (;;) {
      const outcome = await outcomeOf(call(), this.#life, this.#clock);
      if (outcome === 'crashed') await this.#restart();
      if (outcome === 'done') return;
    }
  }

  async #restart(): Promise<void> {
    for (;;) {
      const life = new ProcessLife(this.faults, this.#clock);
      this.#life = life;
      this.#toldUnwritten = Array.from({ length: this.shards }, () => []);
      const { clock } = life;
      const log = life.around(new EventLogMemory(this.#log));
      const store = this.#countTold(life.around<InboxStore>(this.#store, ['write']), life);
      const kept = life.around<AudienceStore>(this.#audiences, [
        'apply',
        'members',
        'askedForPush',
        'memberships',
        'count',
      ]);
      const fanouts = life.around(this.#fanouts, ['begin', 'load', 'advance', 'finish']);
      const broadcasts = life.around<BroadcastStore>(this.#broadcasts, ['keep', 'through', 'records', 'advance']);
      const room = new LaneRoom({ behindBytes: () => host.behindBytes('bulk'), bytesMax: 500, batchesMax: 8 });
      const work = new AudienceWork({
        audiences: kept,
        fanouts,
        broadcasts,
        types: builtInTypes,
        announced: this.#audiences,
        kept: () => {},
        log,
        shards: this.shards,
        clock,
        settings: { followersKind: 'followers', sources: [], broadcastAbove: this.#broadcastAbove, broadcastDays: 30 },
        chunkMembers: 1 + this.random.below(4),
        room,
        onProblem: () => {},
      });
      const host: ShardHost = new ShardHost({
        log,
        store,
        inbox: new InboxServiceStore({ store, clock, cursorSecret: new Uint8Array(32), describe: describeInApp }),
        clock,
        shards: this.shards,
        progress: createProgress(),
        memory: tinyMemory(this.random),
        onFrames: () => {},
        onDecided: ({ type, thing }, user, { tells }) => {
          if (!tells || type.name !== 'post.published' || life.isDead) return;
          this.#toldUnwritten[shardOf(personKey('default', user), this.shards)]?.push(`${user}: ${thing}`);
        },
        onProblem: () => {},
        watch: () => work.watch(),
        onApplied: () => life.isDead || room.applied(),
      });
      this.#work = work;
      this.#host = host;
      const started = work.start().then(() => host.start());
      if (await Promise.race([started.then(() => true), life.crashed.then(() => false)])) return;
    }
  }

  /** Notes what was told when the write that tells it has taken effect. */
  #countTold(store: InboxStore, life: ProcessLife): InboxStore {
    const write = async (...args: Parameters<InboxStore['write']>): Promise<void> => {
      await store.write(...args);
      if (life.isDead) return;
      const [shard] = args;
      for (const key of this.#toldUnwritten[shard] ?? []) this.told.set(key, (this.told.get(key) ?? 0) + 1);
      this.#toldUnwritten[shard] = [];
    };
    return new Proxy(store, { get: (target, name) => (name === 'write' ? write : Reflect.get(target, name)) });
  }
}
