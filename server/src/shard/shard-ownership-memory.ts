/**
 * Ownership within one process, for tests and the simulation: members of one `MemoryGroup` share out its shards.
 * A shard moves as the port says: `lost` has resolved at the one before `gained` is called at the other; unless the one
 * stands still (`freeze`), then it holds nothing from that moment and hears of it when it goes on (`thaw`).
 */
import type { Position } from '../log/event-log.ts';
import type { OwnershipListener, ShardOwnership } from './shard-ownership.ts';
import { shareOut } from './share-out.ts';

interface Member {
  readonly name: string;
  readonly listener: OwnershipListener;
  shards: Set<number>;
  /** Those whose `lost` is under way. */
  readonly leaving: Set<number>;
  isFrozen: boolean;
  /** What others took while it stood still. */
  missed: number[];
}

export class MemoryGroup {
  readonly shards: number;
  /** As told by `applied`, by shard. */
  readonly positions = new Map<number, readonly Position[]>();
  readonly #members = new Map<string, Member>();
  #joined = 0;
  /** Changes of the group happen one after the other. */
  #turn: Promise<void> = Promise.resolve();

  constructor(shards: number) {
    this.shards = shards;
  }

  join(listener: OwnershipListener): Promise<Member> {
    const name = `member-${String(this.#joined++).padStart(4, '0')}`;
    const member: Member = { name, listener, shards: new Set(), leaving: new Set(), isFrozen: false, missed: [] };
    return this.#next(async () => {
      this.#members.set(name, member);
      // As with a real group, joining does not wait until others have given something up.
      void this.#next(() => this.#balance());
    }).then(() => member);
  }

  leave(member: Member): Promise<void> {
    return this.#next(async () => {
      await this.#take(member, [...member.shards]);
      this.#members.delete(member.name);
      void this.#next(() => this.#balance());
    });
  }

  /** As if its process stood still for longer than the group waits. */
  freeze(member: Member): Promise<void> {
    member.isFrozen = true;
    return this.#next(() => this.#balance());
  }

  thaw(member: Member): Promise<void> {
    return this.#next(async () => {
      await member.listener.lost(member.missed.splice(0));
      member.isFrozen = false;
      await this.#balance();
    });
  }

  async #balance(): Promise<void> {
    const members = [...this.#members.values()].filter(({ isFrozen }) => !isFrozen);
    for (const member of this.#members.values()) {
      if (!member.isFrozen) continue;
      member.missed.push(...member.shards);
      member.shards = new Set();
    }
    if (members.length === 0) return;
    const target = shareOut(this.shards, new Map(members.map(({ name, shards }) => [name, [...shards]])));
    for (const member of members) {
      const share = target.get(member.name) ?? [];
      await this.#take(
        member,
        [...member.shards].filter((shard) => !share.includes(shard)),
      );
    }
    for (const member of members) {
      const gained = (target.get(member.name) ?? []).filter((shard) => !member.shards.has(shard));
      if (gained.length === 0) continue;
      for (const shard of gained) member.shards.add(shard);
      await member.listener.gained(gained).catch((error: unknown) => member.listener.failed(error));
    }
  }

  async #take(member: Member, shards: readonly number[]): Promise<void> {
    if (shards.length === 0) return;
    for (const shard of shards) {
      member.shards.delete(shard);
      member.leaving.add(shard);
    }
    await member.listener.lost(shards);
    for (const shard of shards) member.leaving.delete(shard);
  }

  #next(change: () => Promise<void>): Promise<void> {
    this.#turn = this.#turn.then(change);
    return this.#turn;
  }
}

export class ShardOwnershipMemory implements ShardOwnership {
  readonly #group: MemoryGroup;
  #member: Member | null = null;

  constructor(group: MemoryGroup) {
    this.#group = group;
  }

  async start(listener: OwnershipListener): Promise<void> {
    this.#member = await this.#group.join(listener);
  }

  holds(shard: number): boolean {
    return this.#member !== null && !this.#member.isFrozen && this.#member.shards.has(shard);
  }

  mayFinish(shard: number): boolean {
    return this.holds(shard) || (this.#member?.isFrozen === false && this.#member.leaving.has(shard));
  }

  applied(shard: number, positions: readonly Position[]): void {
    if (this.holds(shard)) this.#group.positions.set(shard, positions);
  }

  /** The process stands still: it holds nothing, and others take over. */
  async freeze(): Promise<void> {
    if (this.#member !== null) await this.#group.freeze(this.#member);
  }

  /** It goes on, and hears what it has missed. */
  async thaw(): Promise<void> {
    if (this.#member !== null) await this.#group.thaw(this.#member);
  }

  async stop(): Promise<void> {
    const member = this.#member;
    if (member === null) return;
    await this.#group.leave(member);
    this.#member = null;
  }
}
