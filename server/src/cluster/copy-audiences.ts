/**
 * Audiences of an embedded engine into those of a cluster, departures that are still remembered among them, and fan-outs
 * that are under way, each with the shard that its audience has there. Copying again changes nothing.
 */
import type { AudienceStore } from '../audience/audience-store.ts';
import type { AudienceStoreLevel } from '../audience/audience-store-level.ts';
import type { FanoutStore } from '../audience/fanout-store.ts';
import type { MembershipChange } from '../audience/membership.ts';
import { shardOf } from '../base/hash.ts';
import { limits } from '../base/limits.ts';

export interface AudienceOrigin {
  readonly audiences: Pick<AudienceStoreLevel, 'all' | 'counts'>;
  readonly fanouts: FanoutStore;
  readonly shards: number;
}

export interface AudienceTarget {
  readonly audiences: AudienceStore;
  readonly fanouts: FanoutStore;
  readonly shards: number;
}

export interface Compared {
  readonly expected: number;
  readonly found: number;
}

export async function copyAudiences(source: AudienceOrigin, target: AudienceTarget): Promise<void> {
  let changes: MembershipChange[] = [];
  const flush = async (): Promise<void> => {
    if (changes.length > 0) await target.audiences.apply(changes, { logged: false });
    changes = [];
  };
  for await (const change of source.audiences.all()) {
    changes.push(change);
    if (changes.length === limits.subscriptionsPerWrite) await flush();
  }
  await flush();
  for await (const id of underWay(source)) {
    const state = await source.fanouts.load(id);
    if (state === null) continue;
    const job = { ...state.job, shard: shardOf(state.job.audience, target.shards) };
    await target.fanouts.begin([job]);
    await target.fanouts.advance(job, state.progress);
  }
}

/** Members and fan-outs: those there are, and of each audience and fan-out those that have arrived. */
export async function compareAudiences(
  source: AudienceOrigin,
  target: AudienceTarget,
): Promise<{ readonly members: Compared; readonly fanouts: Compared }> {
  const members = { expected: 0, found: 0 };
  for await (const { audience, count } of source.audiences.counts()) {
    members.expected += count;
    members.found += await target.audiences.count(audience);
  }
  const fanouts = { expected: 0, found: 0 };
  for await (const id of underWay(source)) {
    fanouts.expected++;
    if ((await target.fanouts.load(id)) !== null) fanouts.found++;
  }
  return { members, fanouts };
}

async function* underWay({ fanouts, shards }: AudienceOrigin): AsyncIterable<string> {
  for (let shard = 0; shard < shards; shard++) {
    for (let after: string | null = null; ; ) {
      const page: readonly { readonly id: string }[] = await fanouts.pending(shard, after, limits.fanoutsPerRead);
      for (const { id } of page) yield id;
      after = page.at(-1)?.id ?? null;
      if (page.length < limits.fanoutsPerRead) break;
    }
  }
}
