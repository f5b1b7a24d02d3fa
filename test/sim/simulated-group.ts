/**
 * Who owns which shard, decided in one place for all simulated processes: shards are shared out evenly, and move when a
 * process comes, goes, or is taken for dead. One that is dead or stands still is not asked: others get its shards.
 */

import type { OwnershipListener, ShardOwnership } from '../../server/src/shard/shard-ownership.ts';

export class SimulatedGroup {
  readonly #shards: number;
  readonly #members: Member[] = [];
  /** One change after the other. */
  #changing: Promise<void> = Promise.resolve();
  moves = 0;

  constructor(shards: number) {
    this.#shards = shards;
  }

  join(member: Member): Promise<void> {
    return this.#change(() => this.#members.push(member));
  }

  leave(member: Member): Promise<void> {
    return this.#change(async () => {
      if (!this.#members.includes(member)) return;
      this.#members.splice(this.#members.indexOf(member), 1);
      await this.#take(member, [...member.owned]);
    });
  }

  #change(change: () => unknown): Promise<void> {
    this.#changing = this.#changing.then(async () => {
      await change();
      await this.#shareOut();
    });
    return this.#changing;
  }

  async #shareOut(): Promise<void> {
    const wanted = new Map<Member, number[]>(this.#members.map((member) => [member, []]));
    for (let shard = 0; shard < this.#shards; shard++) {
      const member = this.#members[shard % Math.max(1, this.#members.length)];
      if (member !== undefined) wanted.get(member)?.push(shard);
    }
    for (const [member, shards] of wanted) {
      const lost = [...member.owned].filter((shard) => !shards.includes(shard));
      if (lost.length > 0) await this.#take(member, lost);
    }
    for (const [member, shards] of wanted) {
      const gained = shards.filter((shard) => !member.owned.has(shard));
      this.moves += gained.length;
      for (const shard of gained) member.owned.add(shard);
      if (gained.length > 0) await Promise.race([member.listener?.gained(gained), member.gone]);
    }
  }

  async #take(member: Member, shards: readonly number[]): Promise<void> {
    await Promise.race([member.listener?.lost(shards), member.gone]);
    for (const shard of shards) member.owned.delete(shard);
  }
}

export class Member implements ShardOwnership {
  readonly owned = new Set<number>();
  readonly gone: Promise<void>;
  listener: OwnershipListener | null = null;
  #isGone = false;
  #go = (): void => {};
  readonly #group: SimulatedGroup;

  constructor(group: SimulatedGroup) {
    this.#group = group;
    this.gone = new Promise((resolve) => {
      this.#go = resolve;
    });
  }

  async start(listener: OwnershipListener): Promise<void> {
    this.listener = listener;
    await this.#group.join(this);
  }

  holds(shard: number): boolean {
    return !this.#isGone && this.owned.has(shard);
  }

  mayFinish(shard: number): boolean {
    return this.holds(shard);
  }

  applied(): void {}

  stop(): Promise<void> {
    return this.#group.leave(this);
  }

  /** Taken for dead: others get its shards without its being told. */
  async expire(): Promise<void> {
    this.#isGone = true;
    this.#go();
    await this.#group.leave(this);
  }
}
