/**
 * What would happen if an event came now (D12): the same rules on the same facts as the executor's, read anew from the
 * stores, so that it can run in any process and disturbs no shard. Events that wait in the log are not in it yet.
 */
import { type ChannelDecision, channels } from '@carillon/contract/reasons.ts';
import { type PersonKey, personKey } from '../base/ids.ts';
import type { TypeCatalogue } from '../content/type-catalogue.ts';
import { type CapRules, usualCaps } from '../decide/caps.ts';
import { decide } from '../decide/decide.ts';
import type { Decision } from '../decide/decision.ts';
import type { EventSimulator, SimulatedDecision } from '../decide/event-simulator.ts';
import type { OutwardChannel } from '../deliver/outward-channel.ts';
import type { LookingPeople } from '../deliver/realtime/looking-people.ts';
import type { InboxStore } from '../inbox/inbox-store.ts';
import { RecordView } from '../log/record.ts';
import type { ProfileStore } from '../profile/profile-store.ts';
import { PeopleCache } from './people-cache.ts';
import type { Person } from './person.ts';
import { preparePerson } from './prepare-person.ts';
import { noReach, reachOf } from './reach.ts';
import { RecordFacts } from './record-facts.ts';
import type { RelationReader } from './relation-reader.ts';
import { usualMemory } from './shard-memory.ts';
import { asStored, planTelling } from './telling.ts';

export interface SimulatorParts {
  readonly store: InboxStore;
  readonly profiles: Pick<ProfileStore, 'read'>;
  readonly relations: RelationReader;
  readonly channels: readonly OutwardChannel[];
  readonly capRules?: CapRules;
  readonly looking?: LookingPeople;
  readonly catalogue: TypeCatalogue;
}

export class Simulator implements EventSimulator {
  readonly #parts: SimulatorParts;

  constructor(parts: SimulatorParts) {
    this.#parts = parts;
  }

  async simulate(records: Uint8Array): Promise<readonly SimulatedDecision[]> {
    const people = new PeopleCache(this.#parts.store, usualMemory);
    const view = new RecordView();
    const facts = new RecordFacts(this.#parts.catalogue);
    const buffer = Buffer.from(records.buffer, records.byteOffset, records.byteLength);
    const found: SimulatedDecision[] = [];
    for (let at = 0; at < buffer.length; ) {
      at = view.move(buffer, at);
      const keys = view.recipients().map((user) => personKey(view.tenant, user));
      if (!facts.read(view)) continue;
      for (const person of await this.#load(people, keys)) {
        await preparePerson(person, facts, { people, relations: this.#parts.relations });
        found.push(this.#answer(person, facts, decide(facts, person)));
      }
    }
    return found;
  }

  async #load(cache: PeopleCache, keys: readonly PersonKey[]): Promise<readonly Person[]> {
    const people = await cache.load(keys);
    const profiles = await this.#parts.profiles.read(keys);
    const looking = (await this.#parts.looking?.among(keys)) ?? new Set();
    for (const [index, person] of people.entries()) {
      person.wishes.useProfile(profiles[index] ?? null);
      person.wishes.capRules = this.#parts.capRules ?? usualCaps;
      person.wishes.isLooking = looking.has(person.key);
      person.wishes.reach = reachOf(this.#parts.channels, person.key, profiles[index] ?? null);
    }
    return people;
  }

  #answer(person: Person, facts: RecordFacts, { changes, tells, reason }: Decision): SimulatedDecision {
    const { policy, reach } = person.wishes;
    const { timeMs: eventTimeMs, acceptedAtMs: nowMs, type, askedForPush } = facts;
    const times = { nowMs, eventTimeMs, windowEndsAtMs: null };
    const moment = { kind: 'now', ...times, askedForPush, telling: null } as const;
    const isOutward = tells && reach !== noReach;
    const outward = isOutward ? asStored(planTelling(person, type, moment)) : [];
    const inApp: ChannelDecision = { channel: 'inApp', kind: changes.length > 0 ? 'send' : 'skip', reason };
    const of = (channel: ChannelDecision['channel']): ChannelDecision => {
      if (channel === 'inApp') return inApp;
      const planned = outward.find((decision) => decision.channel === channel);
      return planned ?? { channel, kind: 'skip', reason: tells ? 'noEndpoint' : reason };
    };
    const { choices, profile } = policy;
    return {
      user: person.user,
      tells,
      reason,
      decisions: channels.map(of),
      locale: choices.locale ?? profile?.facts?.locale ?? null,
      timeZone: choices.timeZone ?? profile?.facts?.timeZone ?? null,
    };
  }
}
