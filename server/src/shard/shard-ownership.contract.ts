/** What every adapter of `ShardOwnership` must do, in the words of the port. Each adapter's test calls this once. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { systemClock } from '../base/clock.ts';
import type { OwnershipListener, ShardOwnership } from './shard-ownership.ts';

export interface MemberUnderTest {
  readonly ownership: ShardOwnership;
  /** Cuts the member off, as if its process stood still; nothing it says or should hear arrives. */
  freeze(): Promise<void>;
  thaw(): Promise<void>;
}

export interface GroupUnderTest {
  readonly shards: number;
  /** A member that has not started. */
  member(): MemberUnderTest;
  dispose(): Promise<void>;
}

const deadlineMs = 60_000;

async function eventually(met: () => boolean, what: string): Promise<void> {
  const endAtMs = systemClock.monotonic() + deadlineMs;
  while (!met()) {
    assert.ok(systemClock.monotonic() < endAtMs, `never happened: ${what}`);
    await turn();
  }
}

/** Follows one member, and checks at each step what must hold over all of them. */
class Follower implements OwnershipListener {
  readonly under: MemberUnderTest;
  readonly owned = new Set<number>();
  readonly lostEver: number[] = [];
  readonly gainedEver: number[] = [];
  readonly #all: readonly Follower[];
  /** Set: `lost` resolves when this does. */
  held: Promise<void> | null = null;

  constructor(under: MemberUnderTest, all: readonly Follower[]) {
    this.under = under;
    this.#all = all;
  }

  get ownership(): ShardOwnership {
    return this.under.ownership;
  }

  async gained(shards: readonly number[]): Promise<void> {
    for (const shard of shards) {
      const others = this.#all.filter((other) => other !== this);
      assert.ok(!others.some((other) => other.ownership.mayFinish(shard)), `${shard} is held by one`);
      assert.ok(!this.owned.has(shard), `${shard} is gained once`);
      this.owned.add(shard);
    }
    this.gainedEver.push(...shards);
  }

  async lost(shards: readonly number[]): Promise<void> {
    for (const shard of shards) {
      assert.ok(this.owned.has(shard), `${shard} was gained before it is lost`);
      assert.ok(!this.ownership.holds(shard), `no write may begin to ${shard} any more`);
    }
    this.lostEver.push(...shards);
    this.couldFinish.push(...shards.map((shard) => this.ownership.mayFinish(shard)));
    if (this.held !== null) await this.held;
    for (const shard of shards) this.owned.delete(shard);
  }

  failed(error: unknown): void {
    this.failure = error;
  }

  failure: unknown = null;
  /** Of each shard that was lost, when this was heard. */
  readonly couldFinish: boolean[] = [];
}

export function shardOwnershipContract(name: string, make: () => Promise<GroupUnderTest>): void {
  type Scene = { group: GroupUnderTest; join(): Promise<Follower>; followers: readonly Follower[] };
  const promise = (text: string, body: (scene: Scene) => Promise<void>): void => {
    test(`${name}: ${text}`, async () => {
      const group = await make();
      const followers: Follower[] = [];
      const join = async (): Promise<Follower> => {
        const follower = new Follower(group.member(), followers);
        followers.push(follower);
        await follower.ownership.start(follower);
        return follower;
      };
      try {
        await body({ group, join, followers });
        assert.deepEqual(
          followers.map(({ failure }) => failure),
          followers.map(() => null),
        );
      } finally {
        for (const { ownership } of followers) await ownership.stop();
        await group.dispose();
      }
    });
  };
  const owns = (follower: Follower, count: number): (() => boolean) => {
    return () => follower.owned.size === count && [...follower.owned].every((shard) => follower.ownership.holds(shard));
  };

  promise('one member gains every shard, and holds nothing before and after', async ({ group, join }) => {
    const lone = group.member().ownership;
    assert.equal(lone.holds(0), false);
    const only = await join();
    await eventually(owns(only, group.shards), 'all are owned');
    assert.equal(only.ownership.holds(group.shards), false, 'there is no such shard');
    await only.ownership.stop();
    assert.equal(only.owned.size, 0, 'all were lost in time');
    assert.deepEqual(only.couldFinish, Array(group.shards).fill(true), 'what was done could be put on record');
    for (let shard = 0; shard < group.shards; shard++) {
      assert.equal(only.ownership.holds(shard), false);
      assert.equal(only.ownership.mayFinish(shard), false);
    }
  });

  promise('members share evenly, and only what must move moves', async ({ group, join }) => {
    const first = await join();
    await eventually(owns(first, group.shards), 'the first owns all');
    const second = await join();
    const half = Math.floor(group.shards / 2);
    await eventually(() => owns(first, group.shards - half)() && owns(second, half)(), 'they share');
    assert.equal(first.lostEver.length, half, 'the first lost nothing but what the second gained');
    const third = await join();
    await eventually(() => first.owned.size + second.owned.size + third.owned.size === group.shards, 'they share');
    await eventually(() => third.owned.size >= Math.floor(group.shards / 3), 'the third has its share');
    assert.equal(second.gainedEver.length, half, 'nothing went to and fro');
  });

  promise('a shard is gained only once the one before has finished with it', async ({ group, join }) => {
    const first = await join();
    await eventually(owns(first, group.shards), 'the first owns all');
    const { promise: finished, resolve: finish } = Promise.withResolvers<void>();
    first.held = finished;
    const second = await join();
    await eventually(() => first.lostEver.length > 0, 'the first is told to give up');
    for (let at = 0; at < 200; at++) await turn();
    assert.equal(second.owned.size, 0);
    assert.ok(
      [...first.owned].some((shard) => first.ownership.holds(shard)),
      'the others go on meanwhile',
    );
    finish();
    await eventually(owns(second, first.lostEver.length), 'the second gains');
  });

  promise('a member that leaves is followed at once', async ({ group, join }) => {
    const first = await join();
    const second = await join();
    await eventually(() => first.owned.size > 0 && second.owned.size > 0, 'they share');
    await first.ownership.stop();
    await eventually(owns(second, group.shards), 'the second owns all');
  });

  promise('a member that stands still holds nothing before another gains it, and comes back', async (scene) => {
    const { group, join } = scene;
    const first = await join();
    const second = await join();
    await eventually(
      () => first.owned.size + second.owned.size === group.shards && second.owned.size > 0,
      'they share',
    );
    await first.under.freeze();
    // `gained` checks that the first does not hold what the second gains.
    await eventually(owns(second, group.shards), 'the second owns all');
    await first.under.thaw();
    await eventually(() => first.owned.size > 0 && owns(first, first.owned.size)(), 'the first is back');
    await eventually(() => first.owned.size + second.owned.size === group.shards, 'they share');
  });
}
