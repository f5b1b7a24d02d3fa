/**
 * Brings broadcasts into the inboxes of people who open them, or look at them (F3): what their audiences have heard since
 * they were last here, as records of theirs, which the shard decides on like any other. So preferences, mutes and groups
 * are theirs, ids are as if it had been written to each inbox, and whoever has an event already hears nothing.
 *
 *   behind the newest? ──▶ what is for this person ──▶ applied ──▶ noted
 *
 * What is applied is written before it is noted, so that a crash in between repeats it, without effect. Whoever was no
 * member when the event came, or is none now, does not get it.
 * What takes something back goes before all it could take back: so nobody is shown, even for a moment, what is gone.
 */
import { type AudienceKey, audienceKey, type PersonKey, splitPersonKey, type TenantId } from '../base/ids.ts';
import { limits } from '../base/limits.ts';
import { series, telemetry } from '../base/telemetry.ts';
import type { PackedBatch } from '../log/record.ts';
import type { AudienceStore } from './audience-store.ts';
import type { BroadcastStore, NumberedBroadcast } from './broadcast-store.ts';
import { chunkRecords } from './chunk-records.ts';

export interface BroadcastMergeParts {
  readonly audiences: Pick<AudienceStore, 'memberships' | 'audiencesOf'>;
  readonly broadcasts: BroadcastStore;
  readonly shards: number;
  /** Whether events of this type take back others. */
  readonly takesBack: (type: string) => boolean;
}

/** Applies records to people of one shard. Resolves when what follows from them is written. */
export type ApplyRecords = (batches: readonly PackedBatch[]) => Promise<void>;

interface Behind {
  readonly person: PersonKey;
  readonly through: number;
}

interface Wanted {
  readonly broadcast: NumberedBroadcast;
  readonly people: PersonKey[];
}

const mergedCount = series('carillon_broadcast_merges_total', {});

export class BroadcastMerge {
  readonly #parts: BroadcastMergeParts;

  constructor(parts: BroadcastMergeParts) {
    this.#parts = parts;
  }

  /** People of one tenant and one shard. Answers the number through which they have them now. */
  async merge(tenant: TenantId, people: readonly PersonKey[], apply: ApplyRecords): Promise<number> {
    const { broadcasts } = this.#parts;
    // Before anything else: whatever has a number up to this one can be seen by now.
    const newest = await broadcasts.newest(tenant);
    if (newest === 0) return 0;
    const through = await broadcasts.through(people);
    const behind = people
      .map((person, at): Behind => ({ person, through: through[at] ?? 0 }))
      .filter((each) => each.through < newest);
    const wanted = await this.#wantedBy(tenant, behind);
    for (let at = 0; at < wanted.length; at += limits.broadcastsPerStep) {
      await this.#apply(tenant, wanted.slice(at, at + limits.broadcastsPerStep), apply);
    }
    const have = new Set(wanted.flatMap((each) => each.people));
    // Whoever had nothing to get is noted only now and then: else each broadcast would cost a write for everybody.
    const noted = behind.filter((each) => have.has(each.person) || newest - each.through >= limits.broadcastsRecent);
    await broadcasts.advance(
      noted.map(({ person }) => person),
      newest,
    );
    return newest;
  }

  async #apply(tenant: TenantId, wanted: readonly Wanted[], apply: ApplyRecords): Promise<void> {
    const { broadcasts, shards } = this.#parts;
    const numbers = wanted.map(({ broadcast }) => broadcast.number);
    const records = await broadcasts.records(tenant, numbers);
    const batches = wanted.flatMap(({ broadcast, people }) => {
      const record = records.get(broadcast.number);
      const members = people.map((person) => ({ user: splitPersonKey(person).user, notify: false }));
      return record === undefined ? [] : [chunkRecords(record, members, shards, true)];
    });
    if (batches.length === 0) return;
    await apply(batches);
    telemetry.add(
      mergedCount,
      wanted.reduce((sum, { people }) => sum + people.length, 0),
    );
  }

  /** In the order in which they are to be applied. */
  async #wantedBy(tenant: TenantId, behind: readonly Behind[]): Promise<Wanted[]> {
    if (behind.length === 0) return [];
    const { audiences, broadcasts, takesBack } = this.#parts;
    const recent = await broadcasts.recent(tenant, limits.broadcastsRecent);
    const recentFrom = recent.length < limits.broadcastsRecent ? 0 : (recent[0]?.number ?? 0) - 1;
    const found: { person: PersonKey; broadcast: NumberedBroadcast }[] = [];
    for (const { person, through } of behind) {
      const candidates =
        through >= recentFrom
          ? recent.filter(({ number }) => number > through)
          : await this.#ofAllAudiences(tenant, person, through);
      for (const broadcast of candidates) found.push({ person, broadcast });
    }
    const places = found.map(({ person, broadcast: { audience } }) => ({
      audience,
      user: splitPersonKey(person).user,
    }));
    const memberships = places.length === 0 ? [] : await audiences.memberships(places);
    const wanted = new Map<number, Wanted>();
    for (const [at, { person, broadcast }] of found.entries()) {
      const membership = memberships[at];
      if (!membership?.present || membership.sinceMs > broadcast.acceptedMs) continue;
      const one = wanted.get(broadcast.number) ?? { broadcast, people: [] };
      one.people.push(person);
      wanted.set(broadcast.number, one);
    }
    const rank = ({ broadcast: { type } }: Wanted): number => (takesBack(type) ? 0 : 1);
    return [...wanted.values()].sort((a, b) => rank(a) - rank(b) || a.broadcast.number - b.broadcast.number);
  }

  /** Of whoever has been away for long. */
  async #ofAllAudiences(tenant: TenantId, person: PersonKey, through: number): Promise<readonly NumberedBroadcast[]> {
    const { audiences, broadcasts } = this.#parts;
    const found: NumberedBroadcast[] = [];
    for (let after: string | null = null; ; ) {
      const page = await audiences.audiencesOf(person, 0, after);
      const keys: AudienceKey[] = page.audiences.map((name) => audienceKey(tenant, name));
      found.push(...(await broadcasts.ofAudiences(keys, through, limits.broadcastsPerPersonMax)));
      after = page.next;
      if (after === null) break;
    }
    return found.sort((a, b) => a.number - b.number).slice(-limits.broadcastsPerPersonMax);
  }
}
