/**
 * All shards this process owns at a moment: they come and go as the processes of the cluster do (`ShardOwnership`).
 * What a shard may keep in memory is a share of what the process may keep, by how many it owns.
 */
import { type Lane, lanes } from '@carillon/contract/lanes.ts';
import { shardOf } from '../base/hash.ts';
import type { PersonKey } from '../base/ids.ts';
import { nextRevision } from '../base/revision.ts';
import { series, telemetry } from '../base/telemetry.ts';
import type { Item } from '../inbox/item.ts';
import type { Position } from '../log/event-log.ts';
import { startPosition } from '../log/event-log.ts';
import type { ReadinessCheck } from '../ops/readiness.ts';
import { type Followers, type RelationReader, StoredRelations } from '../shard/relation-reader.ts';
import type { ShardExecutor } from '../shard/shard-executor.ts';
import type { ShardMemory } from '../shard/shard-memory.ts';
import type { OwnershipListener } from '../shard/shard-ownership.ts';
import { OwnedShard, type OwnedShardParts } from './owned-shard.ts';

const owned = series('carillon_shards_owned', {});
const lagGauges = lanes.map((lane) => series('carillon_lag_bytes', { lane }));
const ageGauges = lanes.map((lane) => series('carillon_lag_oldest_seconds', { lane }));

export interface OwnedShardsParts extends Omit<OwnedShardParts, 'shard' | 'relations'> {
  /** Null where we do not keep who follows whom. */
  readonly followers: Followers | null;
  /** How many shards there are in all. */
  readonly shards: number;
  /** Membership cannot go on. */
  readonly onFailed: (error: unknown) => void;
}

export class OwnedShards implements OwnershipListener {
  readonly check: ReadinessCheck = { name: 'consumption', check: () => this.#problem() };
  readonly #parts: OwnedShardsParts;
  readonly #shards = new Map<number, OwnedShard>();
  readonly #memory: ShardMemory;
  readonly #relations: RelationReader;

  constructor(parts: OwnedShardsParts) {
    this.#parts = parts;
    this.#relations = new StoredRelations(parts.profiles, parts.followers);
    this.#memory = sharedMemory(parts.memory, () => Math.max(1, this.#shards.size));
  }

  async gained(shards: readonly number[]): Promise<void> {
    for (const shard of shards) {
      if (this.#shards.has(shard)) continue;
      const common = { ...this.#parts, relations: this.#relations, memory: this.#memory };
      this.#shards.set(shard, new OwnedShard({ ...common, shard }));
    }
    this.#noteOwned();
  }

  async lost(shards: readonly number[]): Promise<void> {
    const stopping = shards.map(async (shard) => {
      await this.#shards.get(shard)?.stop();
      this.#shards.delete(shard);
    });
    await Promise.all(stopping);
    this.#noteOwned();
  }

  failed(error: unknown): void {
    this.#parts.onFailed(error);
  }

  owns(person: PersonKey): boolean {
    return this.#shards.has(shardOf(person, this.#parts.shards));
  }

  /** Removes rows when the executor is not writing this person. In vain when the shard is not worked at here just now. */
  async removeRows(person: PersonKey, items: readonly Item[]): Promise<void> {
    const executor = this.#executorOf(person);
    await executor?.between(async () => {
      const { store, clock, reports } = this.#parts;
      const head = await store.head(person, 1);
      const previous = Math.max(
        head.deepRevision,
        ...head.items.map(({ revision }) => revision),
        ...items.map(({ revision }) => revision),
        executor.cached(person)?.revision ?? 0,
      );
      await store.remove(person, items, nextRevision(previous, clock.now()));
      executor.forget(person);
      reports.trimmed(items.length);
    });
  }

  /** The position that is applied in one lane of a shard; infinite where nothing waits, the start where it is not known. */
  appliedPosition(shard: number, lane: Lane): Position {
    const executor = this.#shards.get(shard)?.executor ?? null;
    if (executor === null) return startPosition;
    const index = lanes.indexOf(lane);
    return executor.behindBytes(index) > 0 ? (executor.positions[index] ?? startPosition) : Number.POSITIVE_INFINITY;
  }

  /** Brings the gauges of lag up to date. */
  async noteLag(): Promise<void> {
    for (const [index, lane] of lanes.entries()) {
      let bytes = 0;
      const behind: [number, Position][] = [];
      for (const [shard, { executor }] of this.#shards) {
        const waiting = executor?.behindBytes(index) ?? 0;
        bytes += waiting;
        if (executor !== null && waiting > 0) behind.push([shard, executor.positions[index] ?? startPosition]);
      }
      const { log, clock } = this.#parts;
      const found = await Promise.all(behind.map(([shard, position]) => log.acceptedAt(shard, lane, position)));
      const oldestMs = Math.min(clock.now(), ...found.filter((time) => time !== null));
      telemetry.set(lagGauges[index] as number, bytes);
      telemetry.set(ageGauges[index] as number, Math.max(0, clock.now() - oldestMs) / 1000);
    }
  }

  #executorOf(person: PersonKey): ShardExecutor | null {
    return this.#shards.get(shardOf(person, this.#parts.shards))?.executor ?? null;
  }

  #problem(): string | null {
    for (const [shard, { check }] of this.#shards) {
      const detail = check.check();
      if (detail !== null) return `Shard ${shard}: ${detail}`;
    }
    return null;
  }

  #noteOwned(): void {
    telemetry.set(owned, this.#shards.size);
  }
}

function sharedMemory(whole: ShardMemory, sharers: () => number): ShardMemory {
  return {
    ...whole,
    get cachedPeopleMax() {
      return whole.cachedPeopleMax / sharers();
    },
    get cachedProfileWeightMax() {
      return whole.cachedProfileWeightMax / sharers();
    },
    get cachedRowsMax() {
      return whole.cachedRowsMax / sharers();
    },
    get cachedMembersMax() {
      return whole.cachedMembersMax / sharers();
    },
  };
}
