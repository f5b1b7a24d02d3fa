/**
 * Broadcasts of an embedded engine into a cluster, and how far each person has them. They get numbers of their own there,
 * in the same order. Announcements go with all that was done to them. Copying again changes nothing.
 */
import type { AnnouncementStore } from '../announce/announcement-store.ts';
import type { AnnouncementStoreLevel } from '../announce/announcement-store-level.ts';
import type { BroadcastStore } from '../audience/broadcast-store.ts';
import type { BroadcastStoreLevel } from '../audience/broadcast-store-level.ts';
import { type PersonKey, splitAudienceKey, splitPersonKey, type TenantId } from '../base/ids.ts';
import { limits } from '../base/limits.ts';

export type BroadcastOrigin = Pick<BroadcastStoreLevel, 'all' | 'readers' | 'records'>;

/** The number that one has now, by the one it had: ascending. */
type Renumbered = { readonly from: number; readonly to: number }[];

export async function copyAnnouncements(
  source: Pick<AnnouncementStoreLevel, 'all'>,
  target: AnnouncementStore,
): Promise<void> {
  for await (const one of source.all()) {
    if ((await target.get(one.tenant, one.id)) === null) await target.create(one);
  }
}

export async function copyBroadcasts(source: BroadcastOrigin, target: BroadcastStore): Promise<void> {
  const numbers = new Map<TenantId, Renumbered>();
  for await (const { number, ...broadcast } of source.all()) {
    const { tenant } = splitAudienceKey(broadcast.audience);
    const record = (await source.records(tenant, [number])).get(number);
    if (record === undefined) continue;
    const known = numbers.get(tenant) ?? [];
    known.push({ from: number, to: await target.keep(broadcast, record) });
    numbers.set(tenant, known);
  }
  const byThrough = new Map<number, PersonKey[]>();
  const flush = async (): Promise<void> => {
    for (const [through, people] of byThrough) await target.advance(people, through);
    byThrough.clear();
  };
  let people = 0;
  for await (const { person, through } of source.readers()) {
    const renumbered = numbers.get(splitPersonKey(person).tenant) ?? [];
    const to = renumbered.findLast(({ from }) => from <= through)?.to ?? 0;
    if (to === 0) continue;
    byThrough.set(to, [...(byThrough.get(to) ?? []), person]);
    if (++people % limits.subscriptionsPerWrite === 0) await flush();
  }
  await flush();
}
