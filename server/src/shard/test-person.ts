/** One person on a whole shard in memory, for tests: events in, list, counts, frames and dispatches out. */
import assert from 'node:assert/strict';
import { setImmediate as turn } from 'node:timers/promises';
import type { Event } from '@carillon/contract/event.ts';
import type { Counts } from '@carillon/contract/notification.ts';
import { packEvents } from '../../../test/sim/pack-event.ts';
import { AudienceStoreMemory } from '../audience/audience-store-memory.ts';
import { chunkRecords } from '../audience/chunk-records.ts';
import { audienceKey, personKey } from '../base/ids.ts';
import { limits } from '../base/limits.ts';
import { VirtualClock } from '../base/virtual-clock.ts';
import { describeInApp } from '../content/describe-in-app.ts';
import { builtInContent, type LiveContent } from '../content/live-content.ts';
import { builtInTypes } from '../content/type-catalogue.ts';
import { type CapRules, usualCaps } from '../decide/caps.ts';
import type { EndpointState } from '../decide/decide-channels.ts';
import type { SimulatedDecision } from '../decide/event-simulator.ts';
import type { Dispatch, OutwardChannel } from '../deliver/outward-channel.ts';
import { LookingPeopleMemory } from '../deliver/realtime/looking-people-memory.ts';
import { createProgress } from '../embedded/progress.ts';
import { ShardHost } from '../embedded/shard-host.ts';
import type { ExplainedDecision, MarkRequest, PageQuery } from '../inbox/inbox-service.ts';
import { InboxServiceStore } from '../inbox/inbox-service-store.ts';
import { InboxStoreMemory } from '../inbox/inbox-store-memory.ts';
import type { Item } from '../inbox/item.ts';
import { EventLogMemory, MemoryLogState } from '../log/event-log-memory.ts';
import type { ProfileChange } from '../profile/profile-change.ts';
import { ProfileStoreMemory } from '../profile/profile-store-memory.ts';
import { StoredRelations } from './relation-reader.ts';
import { Simulator } from './simulator.ts';
import { TimerStoreMemory } from './timer-store-memory.ts';

export const t0 = Date.parse('2026-03-10T12:00:00Z');
const person = personKey('default', 'r1');
/** More than a micro-batch takes where nothing has to wait. */
const turnsToRetry = 200;
const everything: PageQuery = { cursor: null, limit: 50, type: null, category: null, state: null };

/** A channel that keeps what it is given, each telling once. */
export class RecordingChannel implements OutwardChannel {
  readonly name: 'push' | 'email';
  endpoint: EndpointState = 'ready';
  readonly taken: Dispatch[] = [];
  /** Rejects so many calls from now on. */
  failures = 0;
  readonly #known = new Set<string>();

  constructor(name: 'push' | 'email') {
    this.name = name;
  }

  endpointOf(): EndpointState {
    return this.endpoint;
  }

  async take(dispatches: readonly Dispatch[]): Promise<void> {
    if (this.failures-- > 0) throw new Error('the channel takes nothing just now');
    for (const dispatch of dispatches) {
      const tells = dispatch.tells.filter(({ notification, number }) => !this.#known.has(`${notification} ${number}`));
      for (const { notification, number } of tells) this.#known.add(`${notification} ${number}`);
      if (tells.length > 0) this.taken.push({ ...dispatch, tells });
    }
  }
}

/** `crash` is what a host leaves behind: the next one goes on from the same stores. */
export class TestPerson {
  readonly clock: VirtualClock;
  readonly profiles: ProfileStoreMemory;
  readonly audiences = new AudienceStoreMemory();
  readonly timers = new TimerStoreMemory();
  readonly push = new RecordingChannel('push');
  readonly email = new RecordingChannel('email');
  readonly reasons: string[] = [];
  readonly store = new InboxStoreMemory();
  readonly looking: LookingPeopleMemory;
  readonly #log = new MemoryLogState();
  readonly #service: InboxServiceStore;
  #host: ShardHost;
  #events = 0;
  #frames = '';

  readonly #content: LiveContent;
  readonly #capRules: CapRules;
  #zoneData = '2026e';

  /** `content`: types and words, the built-in ones unless given. */
  constructor(startMs: number, content: LiveContent = builtInContent, capRules: CapRules = usualCaps) {
    this.#content = content;
    this.#capRules = capRules;
    this.clock = new VirtualClock(startMs);
    this.profiles = new ProfileStoreMemory(this.clock);
    this.looking = new LookingPeopleMemory(this.clock, limits.lookingKeptMs);
    const { clock, store } = this;
    this.#service = new InboxServiceStore({ store, clock, cursorSecret: new Uint8Array(32), describe: describeInApp });
    this.#host = this.#newHost();
  }

  static async start(at = new Date(t0).toISOString(), content?: LiveContent, capRules?: CapRules): Promise<TestPerson> {
    const one = new TestPerson(Date.parse(at), content, capRules);
    await one.#open();
    return one;
  }

  /** Another owner of the shard, from what is stored; maybe with other rules of zones. */
  async restart(zones = this.#zoneData): Promise<void> {
    await this.#host.stop();
    this.#zoneData = zones;
    this.#host = this.#newHost();
    await this.#open();
  }

  async change(change: ProfileChange, user = 'r1'): Promise<void> {
    await this.profiles.change([{ person: personKey('default', user), change }]);
  }

  async follow(follower: string, followed: string): Promise<void> {
    const audience = audienceKey('default', `followers:${followed}`);
    const nowMs = this.clock.now();
    const change = { audience, user: follower, present: true, notify: null, seq: null, timeMs: nowMs, takenMs: nowMs };
    await this.audiences.apply([change]);
  }

  choose(choices: Extract<ProfileChange, { kind: 'choices' }>['choices']): Promise<void> {
    return this.change({ kind: 'choices', choices, expected: null });
  }

  /** Takes no time. */
  async send(type: string, actor: string, on: string, more: Partial<Omit<Event, 'actor'>> = {}): Promise<void> {
    await this.#host.append(packEvents([this.#event(type, actor, on, more)], this.clock.now()));
    await this.#host.settled();
  }

  /** As a member of the audience that it is for. Takes no time. */
  async fanOut(type: string, actor: string, on: string, member: { notify: boolean }): Promise<void> {
    const packed = packEvents([this.#event(type, actor, on, {})], this.clock.now());
    await this.#host.append(chunkRecords(Buffer.from(packed.bytes), [{ user: 'r1', ...member }], 1));
    await this.#host.settled();
  }

  /** All in one micro-batch. */
  async sendTogether(events: readonly Parameters<TestPerson['send']>[]): Promise<void> {
    const made = events.map(([type, actor, on, more = {}]) => this.#event(type, actor, on, more));
    await this.#host.append(packEvents(made, this.clock.now()));
    await this.#host.settled();
  }

  /** What would happen to the person. */
  async simulate(type: string, actor: string, on: string): Promise<SimulatedDecision> {
    const { store, profiles, looking, push, email } = this;
    const known = { store, profiles, looking, relations: new StoredRelations(profiles, null) };
    const simulator = new Simulator({ ...known, channels: [push, email], catalogue: builtInTypes });
    const [found] = await simulator.simulate(packEvents([this.#event(type, actor, on, {})], this.clock.now()).bytes);
    return found as SimulatedDecision;
  }

  #event(type: string, actor: string, on: string, more: Partial<Omit<Event, 'actor'>>): Event {
    const [kind = '', id = ''] = on.split(':');
    return {
      id: `e${++this.#events}`,
      source: 'app',
      type,
      time: new Date(this.clock.now()).toISOString(),
      ...(actor === '' ? {} : { actor: { id: actor } }),
      object: { kind, id, owner: 'r1' },
      to: { user: 'r1' },
      ...more,
    };
  }

  /** Lets time pass, with all that is due in it. */
  async pass(ms: number): Promise<void> {
    const untilMs = this.clock.now() + ms;
    for (;;) {
      await this.#settled();
      const nextMs = await this.timers.nextDueMs(0);
      if (nextMs === null || nextMs > untilMs) break;
      this.clock.advance(Math.max(0, nextMs - this.clock.now()));
      await this.#settled();
    }
    this.clock.advance(Math.max(0, untilMs - this.clock.now()));
    await this.#settled();
  }

  until(time: string): Promise<void> {
    return this.pass(Date.parse(time) - this.clock.now());
  }

  mark(request: MarkRequest): Promise<unknown> {
    return this.#host.mark(person, request);
  }

  async items(): Promise<readonly Item[]> {
    return (await this.store.head(person, 1000)).items;
  }

  async shown(state: PageQuery['state'] = null): Promise<string[]> {
    const { items } = await this.#service.page(person, { ...everything, state });
    return items.map((item) => `${item.type} ${item.object.id} ${item.actors.map(({ id }) => id).join('+')}`);
  }

  /** Of the service, and of the last frame: the two must agree. */
  async unread(): Promise<number> {
    const { unread } = await this.#service.counts(person);
    const told = [...this.#frames.matchAll(/"counts":\{"unread":(\d+)/g)].at(-1)?.[1];
    if (told !== undefined) assert.equal(Number(told), unread, 'the last frame says the same');
    return unread;
  }

  erase(): Promise<void> {
    return this.#host.erase(person);
  }

  counts(): Promise<Counts> {
    return this.#service.counts(person);
  }

  decisions(eventId: string | null = null): Promise<readonly ExplainedDecision[]> {
    return this.#service.decisions(person, eventId);
  }

  framesNaming(text: string): number {
    return this.#frames.split(text).length - 1;
  }

  /** What the newest row says of a channel, as `hold quietHours 2026-03-11T02:30:00Z`. */
  async why(channel: 'push' | 'email'): Promise<string> {
    const decision = (await this.items())[0]?.decisions.find((each) => each.channel === channel);
    return decision === undefined ? '' : [decision.kind, decision.reason, decision.until].filter(Boolean).join(' ');
  }

  stop(): Promise<void> {
    return this.#host.stop();
  }

  /** What waits to be tried again goes on, too. */
  async #settled(): Promise<void> {
    let isSettled = false;
    const settling = this.#host.settled().then(() => {
      isSettled = true;
    });
    for (let turns = 0; !isSettled; turns++) {
      await turn();
      if (turns % turnsToRetry === turnsToRetry - 1) this.clock.advance(limits.storeRetryMs);
    }
    await settling;
  }

  async #open(): Promise<void> {
    await this.#host.start();
    await this.#host.openFeed(person, null);
  }

  #newHost(): ShardHost {
    const { clock, profiles, store, timers, looking, push, email } = this;
    return new ShardHost({
      ...{ log: new EventLogMemory(this.#log), store, inbox: this.#service, profiles, clock, shards: 1 },
      relations: new StoredRelations(profiles, { audiences: this.audiences, kind: 'followers' }),
      outward: { timers, channels: [push, email], looking },
      capRules: this.#capRules,
      zoneData: this.#zoneData,
      progress: createProgress(),
      content: this.#content,
      onFrames: (bytes) => {
        this.#frames += Buffer.from(bytes).toString();
      },
      onDecided: (_event, _user, { reason }) => this.reasons.push(reason),
      onProblem: (problem) => assert.equal(problem.event, 'channelFailed', JSON.stringify(problem)),
    });
  }
}
