/**
 * Ownership by a consumer group over the log's three topics: whoever has a partition number has it in all of them. The
 * group is used for nothing else; records are read, and positions kept, elsewhere.
 *
 *   joining ──assigned──▶ member ──must give up some──▶ giving up (`lost` awaited) ──▶ joining again
 *      ▲                    └──the group has forgotten us──▶ giving up all ──┐
 *      └──────────────────────────────────────────────────────────────────────┘
 *
 * The classic protocol with incremental rebalances: a member joins again with what it keeps, shards that must move are
 * left out in the first round and given to others in the second, which begins when whoever had them has given them up.
 * The newer protocol (KIP-848) is not used: the client gives no moment to wait for `lost` there, and its time-outs and
 * way of sharing out are set at the brokers.
 * Lease: the group cannot give our shards away before `sessionMs` have passed since the last request of ours that it
 * answered with success. So shards are held for that long from the moment the request was sent, less a margin.
 */
import { type GroupPartitionsAssigner, offsetCommitV8 } from '@platformatic/kafka';
import type { Clock } from '../base/clock.ts';
import { limits } from '../base/limits.ts';
import type { Position } from '../log/event-log.ts';
import type { GroupMember, KafkaClients } from '../log/kafka/kafka-clients.ts';
import { LaneTopics } from '../log/kafka/lane-topics.ts';
import type { OwnershipListener, ShardOwnership } from './shard-ownership.ts';
import { shareOutStep } from './share-out.ts';

export interface OwnershipTimes {
  readonly sessionMs: number;
  readonly marginMs: number;
  readonly heartbeatMs: number;
  readonly rebalanceMs: number;
}

export interface KafkaOwnershipParts {
  readonly clients: Pick<KafkaClients, 'member'>;
  readonly topicPrefix: string;
  readonly shards: number;
  /** The same for all processes that share the shards. */
  readonly groupId: string;
  readonly clock: Clock;
  readonly times?: OwnershipTimes;
}

type Assignments = readonly { readonly topic: string; readonly partitions: readonly number[] }[];

const usualTimes: OwnershipTimes = {
  sessionMs: limits.ownershipSessionMs,
  marginMs: limits.ownershipMarginMs,
  heartbeatMs: limits.ownershipHeartbeatMs,
  rebalanceMs: limits.ownershipRebalanceMs,
};

/** The name by which client and brokers know that rebalances are incremental; how shards are shared out is our own. */
const incremental = [{ name: 'cooperative-sticky', version: 3 }];
const noData = Buffer.alloc(0);

export class ShardOwnershipKafka implements ShardOwnership {
  readonly #parts: KafkaOwnershipParts;
  readonly #times: OwnershipTimes;
  readonly #topics: readonly string[];
  readonly #held = new Set<number>();
  /** Those whose `lost` is under way. */
  readonly #leaving = new Set<number>();
  /** Told by `applied` and not yet to the group. */
  readonly #positions = new Map<number, readonly Position[]>();
  #member: GroupMember | null = null;
  #listener: OwnershipListener | null = null;
  #heartbeatSentMs = Number.NEGATIVE_INFINITY;
  #joinSentMs = Number.NEGATIVE_INFINITY;
  #leaseFromMs = Number.NEGATIVE_INFINITY;
  /** What the listener is told, one call after the other. */
  #turn: Promise<void> = Promise.resolve();
  #isSettled = false;
  #isStopping = false;
  #stopCommits = (): void => {};

  constructor(parts: KafkaOwnershipParts) {
    this.#parts = parts;
    this.#times = parts.times ?? usualTimes;
    this.#topics = new LaneTopics(parts.topicPrefix).names;
  }

  async start(listener: OwnershipListener): Promise<void> {
    const { clients, clock, groupId } = this.#parts;
    const { sessionMs, heartbeatMs, rebalanceMs } = this.#times;
    this.#listener = listener;
    const member = clients.member({
      groupId,
      requestMs: rebalanceMs + limits.kafkaRequestMs,
      sessionTimeout: sessionMs,
      heartbeatInterval: heartbeatMs,
      rebalanceTimeout: rebalanceMs,
      protocols: incremental,
      partitionAssigner: this.#assign,
      // The client waits for this before it joins (again): the moment to give up what others shall have.
      protocolsMetadata: () => this.#beforeJoining(),
    });
    this.#member = member;
    member.on('consumer:heartbeat:start', () => {
      this.#heartbeatSentMs = clock.monotonic();
    });
    member.on('consumer:heartbeat:end', () => this.#renew(this.#heartbeatSentMs));
    member.on('consumer:group:join', ({ assignments }) => this.#joined(assignments ?? []));
    member.on('error', (error: unknown) => this.#leftOut(error));
    for (const topic of this.#topics) member.topics.track(topic);
    this.#stopCommits = clock.every(limits.ownershipCommitMs, () => void this.#commitAll());
    await member.joinGroup({});
  }

  holds(shard: number): boolean {
    return this.#held.has(shard) && this.#isLeased;
  }

  mayFinish(shard: number): boolean {
    return (this.#held.has(shard) || this.#leaving.has(shard)) && this.#isLeased;
  }

  get #isLeased(): boolean {
    const { sessionMs, marginMs } = this.#times;
    return this.#parts.clock.monotonic() < this.#leaseFromMs + sessionMs - marginMs;
  }

  applied(shard: number, positions: readonly Position[]): void {
    if (this.#held.has(shard)) this.#positions.set(shard, positions);
  }

  async stop(): Promise<void> {
    if (this.#member === null || this.#isStopping) return;
    this.#isStopping = true;
    this.#stopCommits();
    await this.#giveUp([...this.#held]);
    const member = this.#member;
    // Left before it is closed: else a rebalance under way would go on, and send heartbeats for ever.
    await this.#briefly(new Promise((resolve) => member.leaveGroup(true, () => resolve())));
    await this.#briefly(member.close(true).catch(() => {}));
  }

  readonly #assign: GroupPartitionsAssigner = (_current, members) => {
    const [topic] = this.#topics;
    const owned = [...members].map(([name, { ownedPartitions = [] }]) => {
      const has = ownedPartitions.find((each) => each.topic === topic);
      return [name, has?.partitions ?? []] as const;
    });
    return [...shareOutStep(this.#parts.shards, new Map(owned))].map(([memberId, partitions]) => ({
      memberId,
      assignments: new Map(this.#topics.map((each) => [each, { topic: each, partitions }])),
    }));
  };

  /** By now the client knows what we keep: everything, or less after a round in which some must move. */
  async #beforeJoining(): Promise<Buffer> {
    this.#isSettled = false;
    const kept = this.#shardsOf(this.#member?.assignments ?? []);
    await this.#giveUp([...this.#held].filter((shard) => !kept.has(shard)));
    this.#joinSentMs = this.#parts.clock.monotonic();
    return noData;
  }

  #joined(assignments: Assignments): void {
    this.#renew(this.#joinSentMs);
    this.#isSettled = true;
    if (this.#isStopping) return;
    const gained = [...this.#shardsOf(assignments)].filter((shard) => !this.#held.has(shard));
    if (gained.length === 0) return;
    for (const shard of gained) this.#held.add(shard);
    void this.#tell((listener) => listener.gained(gained));
  }

  async #giveUp(shards: readonly number[]): Promise<void> {
    if (shards.length === 0) return;
    // First, so that no further write begins while the one under way ends. `applied` of that one still counts.
    const lost = new Set(shards);
    for (const shard of shards) {
      this.#held.delete(shard);
      this.#leaving.add(shard);
    }
    await this.#tell((listener) => listener.lost(shards));
    for (const shard of shards) this.#leaving.delete(shard);
    await this.#briefly(this.#commit(lost));
    for (const shard of shards) this.#positions.delete(shard);
  }

  /** The client has come to an end with joining: once more from the beginning; if that fails too, the process must stop. */
  #leftOut(error: unknown): void {
    if (this.#isStopping || this.#member === null) return;
    this.#parts.clock.after(limits.kafkaRetryMs, () => {
      this.#member?.joinGroup({}).catch((again: unknown) => this.#listener?.failed(again ?? error));
    });
  }

  #renew(sentMs: number): void {
    if (sentMs > this.#leaseFromMs) this.#leaseFromMs = sentMs;
  }

  #tell(call: (listener: OwnershipListener) => Promise<void>): Promise<void> {
    const listener = this.#listener as OwnershipListener;
    this.#turn = this.#turn.then(() => call(listener)).catch((error: unknown) => listener.failed(error));
    return this.#turn;
  }

  #shardsOf(assignments: Assignments): Set<number> {
    return new Set(assignments.find(({ topic }) => topic === this.#topics[0])?.partitions ?? []);
  }

  async #commitAll(): Promise<void> {
    if (this.#isSettled) await this.#commit(new Set(this.#positions.keys()));
  }

  /** What fails is told the next time, or by the next owner: nothing is read back. */
  async #commit(shards: ReadonlySet<number>): Promise<void> {
    const member = this.#member;
    const told = [...this.#positions].filter(([shard]) => shards.has(shard));
    if (told.length === 0 || member === null || member.memberId === null) return;
    const topics = this.#topics.map((name, lane) => ({
      name,
      partitions: told.map(([partitionIndex, positions]) => ({
        partitionIndex,
        committedOffset: BigInt(positions[lane] ?? 0),
        committedLeaderEpoch: -1,
        committedMetadata: null,
      })),
    }));
    try {
      const coordinator = await member.findGroupCoordinator();
      const connection = (await member.connectToBrokers([coordinator])).get(coordinator);
      if (connection === undefined) return;
      const { generationId, memberId, groupId } = member;
      await offsetCommitV8.api.async(connection, groupId, generationId, memberId, null, topics);
      for (const [shard, positions] of told) {
        if (this.#positions.get(shard) === positions) this.#positions.delete(shard);
      }
    } catch {}
  }

  /** The group may not answer; it is told what it can be told in good time. */
  async #briefly(telling: Promise<void>): Promise<void> {
    let cancel = (): void => {};
    const tooLong = new Promise<void>((resolve) => {
      cancel = this.#parts.clock.after(limits.ownershipLeaveMs, resolve);
    });
    await Promise.race([telling, tooLong]);
    cancel();
  }
}
