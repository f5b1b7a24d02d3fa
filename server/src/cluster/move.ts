/**
 * Moves the data of an embedded engine into a cluster that is empty (G3): inboxes, marks, profiles, devices, suppressions, timers, audiences,
 * fan-outs, revocations, kept answers, and of the log the events that wait, with those of late before them so that a repetition is still known as one.
 * Then compares everything, person by person. Neither may run meanwhile. The source stays as it is.
 *
 * Every step may be repeated, and how far it has come is kept in the target: a move that was cut off is simply run again.
 */
import { type Lane, lanes } from '@carillon/contract/lanes.ts';
import type { AnnouncementStore } from '../announce/announcement-store.ts';
import type { AudienceStore } from '../audience/audience-store.ts';
import type { BroadcastStore } from '../audience/broadcast-store.ts';
import type { FanoutStore } from '../audience/fanout-store.ts';
import type { RevocationStore } from '../auth/revocation-store.ts';
import type { Clock } from '../base/clock.ts';
import { digest, shardOf } from '../base/hash.ts';
import type { PersonKey } from '../base/ids.ts';
import { InFlight } from '../base/in-flight.ts';
import { limits } from '../base/limits.ts';
import type { InboxStore } from '../inbox/inbox-store.ts';
import type { IdempotencyStore } from '../intake/idempotency-store.ts';
import type { EventLog, Position } from '../log/event-log.ts';
import { startPosition } from '../log/event-log.ts';
import type { DeviceStore } from '../profile/device-store.ts';
import type { ProfileStore } from '../profile/profile-store.ts';
import type { SuppressionStore } from '../profile/suppression-store.ts';
import type { TimerStore } from '../shard/timer-store.ts';
import { type AudienceOrigin, type Compared, compareAudiences, copyAudiences } from './copy-audiences.ts';
import { copyAnnouncements, copyBroadcasts } from './copy-broadcasts.ts';
import { compareDevices, copyDevices } from './copy-devices.ts';
import { copyLog, countBehind, countCopied, each, type LaneRange, laneEnds } from './copy-log.ts';
import { contentsOf, copyPerson, type PersonContents } from './copy-person.ts';
import { compareProfiles, copyProfiles } from './copy-profiles.ts';
import { compareSuppressions, copySuppressions } from './copy-suppressions.ts';
import { copyTimers, countTimers, type ShardedTimers } from './copy-timers.ts';
import type { EmbeddedSource } from './embedded-source.ts';
import { MoveError } from './move-error.ts';
import type { MoveState, MoveStateStore } from './move-state.ts';

export interface MoveTarget {
  readonly log: EventLog;
  readonly inbox: InboxStore;
  readonly idempotency: IdempotencyStore;
  readonly revocations: RevocationStore;
  readonly profiles: ProfileStore;
  readonly devices: DeviceStore;
  readonly suppressions: SuppressionStore;
  readonly timers: TimerStore;
  readonly audiences: AudienceStore;
  readonly fanouts: FanoutStore;
  readonly broadcasts: BroadcastStore;
  readonly announcements: AnnouncementStore;
  readonly state: MoveStateStore;
  readonly shards: number;
}

export interface MoveParts {
  readonly source: EmbeddedSource;
  readonly target: MoveTarget;
  readonly clock: Clock;
  /** Told now and then how many people are copied or compared. */
  readonly onProgress: (stage: MoveState['stage'] | 'comparing', people: number) => void;
}

export interface MoveReport {
  readonly people: number;
  readonly rows: number;
  readonly members: number;
  readonly itemMarks: number;
  /** Over the inboxes of all people in the order of the source. */
  readonly checksum: string;
  /** Events that wait to be applied, as the cluster's shards will read them, and how many there should be. */
  readonly waiting: { readonly expected: number; readonly found: number };
  /** Those that were to be copied, and those that are there. */
  readonly timers: { readonly expected: number; readonly found: number };
  /** Those there are, and those that are there as they were. */
  readonly profiles: Compared;
  readonly devices: Compared;
  readonly suppressions: Compared;
  /** Members of audiences, and events on their way to some. */
  readonly audiences: { readonly members: Compared; readonly fanouts: Compared };
  readonly revocations: number;
  readonly answers: number;
  /** People whose inbox differs between source and target; the move has failed if there are any. */
  readonly differing: readonly PersonKey[];
}

/** Shards an embedded engine can have had at most. */
const sourceShardsMax = 1024;
const peopleAtOnce = 200;
const inFlightMax = 16;

/** Resolves when all is copied and compared; the report tells whether it is equal. Rejects with MoveError when refused. */
export async function moveEmbeddedToCluster(parts: MoveParts): Promise<MoveReport> {
  const move = new Move(parts, await beginning(parts));
  await move.copy();
  return move.compare();
}

/** The state to go on from. Refuses a target that holds anything else. */
async function beginning({ source, target }: MoveParts): Promise<MoveState> {
  const state = await target.state.load();
  if (state !== null) {
    if (state.source === source.id) return state;
    throw new MoveError('The target holds the data of another folder: move into an empty one.');
  }
  const [anyone] = await target.inbox.people(null, 1);
  const positions = await Promise.all(
    Array.from({ length: target.shards }, (_, shard) => target.inbox.positions(shard)),
  );
  if (anyone !== undefined || positions.some((of) => of !== null)) {
    throw new MoveError('The target holds inboxes already: move into an empty keyspace.');
  }
  if ((await target.profiles.page(null, 1)).length > 0) {
    throw new MoveError('The target holds profiles already: move into an empty schema.');
  }
  const ends = (await laneEnds(target.log, target.shards)).flat();
  if (ends.some((end) => end !== startPosition)) {
    throw new MoveError('The target’s log holds events already: move into empty topics.');
  }
  const first: MoveState = { source: source.id, stage: 'people', lastPerson: null, copiedTo: {}, begins: null };
  await target.state.save(first);
  return first;
}

class Move {
  readonly #parts: MoveParts;
  readonly #inFlight = new InFlight(inFlightMax);
  #state: MoveState;
  #sourceShards: number | null = null;

  constructor(parts: MoveParts, state: MoveState) {
    this.#parts = parts;
    this.#state = state;
  }

  async copy(): Promise<void> {
    const { source, target } = this.#parts;
    if (this.#state.stage === 'people') {
      await this.#copyPeople();
      await copyProfiles(source.profiles, target.profiles);
      await copyDevices(source.devices, target.devices);
      await copySuppressions(source.suppressions, target.suppressions);
      await this.#copyAnswers();
      await this.#copyRevocations();
      await copyTimers(await this.#sourceTimers(), target);
      await copyAudiences(await this.#sourceAudiences(), target);
      await copyBroadcasts(this.#parts.source.broadcasts, target.broadcasts);
      await copyAnnouncements(this.#parts.source.announcements, target.announcements);
      await this.#save({ stage: 'repeats', copiedTo: {} });
    }
    if (this.#state.stage === 'repeats') {
      await this.#copyLanes(await this.#repeats());
      await this.#setPositions();
      await this.#save({ stage: 'waiting', copiedTo: {} });
    }
    if (this.#state.stage === 'waiting') {
      await this.#copyLanes(await this.#waiting());
      await this.#save({ stage: 'done' });
    }
  }

  async compare(): Promise<MoveReport> {
    const { source, target, clock, onProgress } = this.#parts;
    const sums = { people: 0, rows: 0, members: 0, itemMarks: 0 };
    const differing: PersonKey[] = [];
    let checksum = '';
    for await (const people of this.#everyone(null)) {
      const both = await Promise.all(people.map((person) => this.#inFlight.run(() => this.#both(person))));
      for (const [index, [there, here]] of both.entries()) {
        if (there.digest !== here.digest) differing.push(people[index] as PersonKey);
        sums.rows += here.rows;
        sums.members += here.members;
        sums.itemMarks += here.itemMarks;
        checksum = digest([checksum, here.digest], 43);
      }
      sums.people += people.length;
      onProgress('comparing', sums.people);
    }
    const expected = await countCopied(source.log, await this.#waiting(), target.shards);
    const found = await countBehind(target.log, this.#state.begins ?? []);
    const { revocations, answers } = await this.#compareRest(clock.now());
    const timers = { expected: await countTimers(await this.#sourceTimers()), found: await countTimers(target) };
    const profiles = await compareProfiles(source.profiles, target.profiles);
    const devices = await compareDevices(source.devices, target.devices);
    const suppressions = await compareSuppressions(source.suppressions, target.suppressions);
    const audiences = await compareAudiences(await this.#sourceAudiences(), target);
    return {
      ...sums,
      checksum,
      waiting: { expected, found },
      timers,
      profiles,
      devices,
      suppressions,
      audiences,
      revocations,
      answers,
      differing,
    };
  }

  async #copyPeople(): Promise<void> {
    const { source, target, onProgress } = this.#parts;
    const to = {
      inbox: target.inbox,
      shardOf: (person: PersonKey) => shardOf(person, target.shards),
      positions: lanes.map(() => startPosition),
    };
    let copied = 0;
    for await (const people of this.#everyone(this.#state.lastPerson)) {
      await Promise.all(people.map((person) => this.#inFlight.run(() => copyPerson(source.inbox, to, person))));
      copied += people.length;
      await this.#save({ lastPerson: people.at(-1) ?? null });
      onProgress('people', copied);
    }
  }

  async #copyAnswers(): Promise<void> {
    const { source, target } = this.#parts;
    for await (const { key, answer, expiresAtMs } of source.idempotency.all()) {
      await target.idempotency.put(key, answer, expiresAtMs);
    }
  }

  async #copyRevocations(): Promise<void> {
    const { source, target, clock } = this.#parts;
    for (const revoked of await source.revocations.load(clock.now())) await target.revocations.put(revoked);
  }

  async #copyLanes(ranges: readonly LaneRange[]): Promise<void> {
    const { source, target } = this.#parts;
    const { copiedTo } = this.#state;
    const left = ranges.map((range) => ({ ...range, from: Math.max(range.from, copiedTo[placeOf(range)] ?? 0) }));
    const copied = (range: LaneRange, to: Position): Promise<void> =>
      this.#save({ copiedTo: { ...this.#state.copiedTo, [placeOf(range)]: to } });
    await copyLog({ source: source.log, target: target.log, shards: target.shards, copied }, left);
  }

  /** Where the shards begin: behind the repeats, before what waits. */
  async #setPositions(): Promise<void> {
    const { target } = this.#parts;
    const begins = await laneEnds(target.log, target.shards);
    for (const [shard, positions] of begins.entries()) await target.inbox.write(shard, [], positions);
    await this.#save({ begins });
  }

  /** What is applied and was accepted so lately that a producer may still send it again. */
  async #repeats(): Promise<LaneRange[]> {
    const { source, clock } = this.#parts;
    const sinceMs = clock.now() - limits.moveRepeatsMs;
    return this.#ranges(async (shard, lane, applied) => ({
      from: Math.min(applied, await source.log.positionAt(shard, lane, sinceMs)),
      to: applied,
    }));
  }

  #waiting(): Promise<LaneRange[]> {
    return this.#ranges(async (_shard, _lane, applied) => ({ from: applied, to: Number.POSITIVE_INFINITY }));
  }

  async #ranges(
    rangeOf: (shard: number, lane: Lane, applied: Position) => Promise<{ from: Position; to: Position }>,
  ): Promise<LaneRange[]> {
    const { inbox } = this.#parts.source;
    const ranges = await each(await this.#shardsOfSource(), async (shard, lane) => {
      const positions = await inbox.positions(shard);
      const applied = positions?.[lanes.indexOf(lane)] ?? startPosition;
      return { shard, lane, ...(await rangeOf(shard, lane, applied)) };
    });
    return ranges.flat();
  }

  async #sourceTimers(): Promise<ShardedTimers> {
    return { timers: this.#parts.source.timers, shards: await this.#shardsOfSource() };
  }

  async #sourceAudiences(): Promise<AudienceOrigin> {
    const { audiences, fanouts } = this.#parts.source;
    return { audiences, fanouts, shards: await this.#shardsOfSource() };
  }

  async #shardsOfSource(): Promise<number> {
    this.#sourceShards ??= await shardsOf(this.#parts.source);
    return this.#sourceShards;
  }

  #both(person: PersonKey): Promise<[PersonContents, PersonContents]> {
    const { source, target } = this.#parts;
    return Promise.all([contentsOf(target.inbox, person), contentsOf(source.inbox, person)]);
  }

  /** Counts what the target has of them. */
  async #compareRest(nowMs: number): Promise<{ revocations: number; answers: number }> {
    const { source, target } = this.#parts;
    let answers = 0;
    for await (const { key } of source.idempotency.all()) {
      if ((await target.idempotency.get(key, nowMs)) !== null) answers++;
    }
    return { answers, revocations: (await target.revocations.load(nowMs)).length };
  }

  async *#everyone(after: PersonKey | null): AsyncIterable<readonly PersonKey[]> {
    for (let last = after; ; ) {
      const people: readonly PersonKey[] = await this.#parts.source.inbox.everyone(last, peopleAtOnce);
      if (people.length === 0) return;
      yield people;
      last = people.at(-1) as PersonKey;
    }
  }

  async #save(change: Partial<MoveState>): Promise<void> {
    this.#state = { ...this.#state, ...change };
    await this.#parts.target.state.save(this.#state);
  }
}

/** How many shards the source has had: those beyond have neither positions nor events. */
async function shardsOf({ inbox, log }: EmbeddedSource): Promise<number> {
  for (let shard = sourceShardsMax - 1; shard > 0; shard--) {
    if ((await inbox.positions(shard)) !== null) return shard + 1;
    for (const lane of lanes) if ((await log.acceptedAt(shard, lane, startPosition)) !== null) return shard + 1;
  }
  return 1;
}

function placeOf({ shard, lane }: LaneRange): string {
  return `${shard}/${lane}`;
}
