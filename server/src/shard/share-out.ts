/**
 * Who owns which shard: as even as it goes, and whoever has a shard keeps it unless that makes it uneven. Pure, and the
 * same for the same input, so that it does not matter which member works it out.
 */

/** Shards a member has now. A shard that several claim, because one has not heard yet, is nobody's. */
export type OwnedShards = ReadonlyMap<string, readonly number[]>;

/** What each member shall have in the end. */
export function shareOut(shards: number, owned: OwnedShards): Map<string, number[]> {
  const owners = ownersOf(shards, owned);
  const kept = new Map<string, number[]>([...owned.keys()].sort().map((member) => [member, []]));
  for (const [shard, member] of owners) kept.get(member)?.push(shard);
  // Those with the most come first, so that a share one larger falls to whoever has it already.
  const members = [...kept.keys()].sort((a, b) => (kept.get(b)?.length ?? 0) - (kept.get(a)?.length ?? 0));
  const quotaOf = (at: number): number => Math.floor(shards / members.length) + (at < shards % members.length ? 1 : 0);
  for (const [at, member] of members.entries()) kept.get(member)?.splice(quotaOf(at));
  const taken = new Set([...kept.values()].flat());
  const free = Array.from({ length: shards }, (_, shard) => shard).filter((shard) => !taken.has(shard));
  for (const [at, member] of members.entries()) {
    const share = kept.get(member) as number[];
    share.push(...free.splice(0, quotaOf(at) - share.length));
    share.sort((a, b) => a - b);
  }
  return kept;
}

/** What each member has next: a shard that must move is nobody's until whoever has it has given it up. */
export function shareOutStep(shards: number, owned: OwnedShards): Map<string, number[]> {
  const owners = ownersOf(shards, owned);
  const target = shareOut(shards, owned);
  for (const [member, share] of target) {
    const ready = share.filter((shard) => (owners.get(shard) ?? member) === member);
    target.set(member, ready);
  }
  return target;
}

function ownersOf(shards: number, owned: OwnedShards): Map<number, string> {
  const claims = new Map<number, string[]>();
  for (const [member, share] of owned) {
    for (const shard of new Set(share)) {
      if (shard >= 0 && shard < shards) claims.set(shard, [...(claims.get(shard) ?? []), member]);
    }
  }
  const single = [...claims].filter(([, members]) => members.length === 1);
  return new Map(single.map(([shard, [member]]) => [shard, member as string] as const).sort(([a], [b]) => a - b));
}
