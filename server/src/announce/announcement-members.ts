/**
 * Who an announcement is for, page by page, while it is running: the fan-out of its event asks here. So it goes on after a
 * crash where its progress says, waits while it is paused, and ends early where it is cancelled.
 *
 * `all` goes through whoever has a profile, then through whoever has an inbox and none. Whoever comes into being behind
 * the place that is reached is not told.
 */
import type { BroadcastFilter } from '@carillon/contract/broadcasts.ts';
import { AudiencePaused, type AudienceSource, type MemberPage } from '../audience/audience-source.ts';
import { type AudienceKey, audienceKey, type PersonKey, splitAudienceKey, splitPersonKey } from '../base/ids.ts';
import type { InboxStore } from '../inbox/inbox-store.ts';
import type { Facts } from '../profile/profile.ts';
import type { ProfileStore } from '../profile/profile-store.ts';
import type { Announcement } from './announcement.ts';
import type { AnnouncementStore } from './announcement-store.ts';

export interface AnnouncementMembersParts {
  readonly announcements: AnnouncementStore;
  /** Members of all other audiences. */
  readonly audiences: AudienceSource;
  readonly profiles: Pick<ProfileStore, 'page' | 'read'>;
  readonly inboxes: Pick<InboxStore, 'people'>;
}

/** What a cursor begins with: in which of the two lists the place lies. */
const [inProfiles, inInboxes] = ['p', 'i'];

export class AnnouncementMembers implements AudienceSource {
  readonly #parts: AnnouncementMembersParts;

  constructor(parts: AnnouncementMembersParts) {
    this.#parts = parts;
  }

  async members(audience: AudienceKey, after: string | null, max: number): Promise<MemberPage> {
    const { tenant, audience: name } = splitAudienceKey(audience);
    const announcement = await this.#parts.announcements.get(tenant, name.slice(name.indexOf(':') + 1));
    if (announcement === null || announcement.status === 'cancelled') return { members: [], next: null };
    if (announcement.status !== 'running') throw new AudiencePaused();
    const { to } = announcement;
    if ('audience' in to) return this.#parts.audiences.members(audienceKey(tenant, to.audience), after, max);
    if (after?.startsWith(inInboxes)) return this.#withoutProfile(announcement, after.slice(1), max);
    return this.#withProfile(announcement, after?.slice(1) ?? '', max);
  }

  async #withProfile({ tenant, to }: Announcement, after: string, max: number): Promise<MemberPage> {
    const page = await this.#parts.profiles.page(after === '' ? null : (after as PersonKey), max);
    const isMeant = 'filter' in to ? (facts: Facts | null) => meets(facts, to.filter) : () => true;
    const members = page.filter(({ person, profile }) => isOf(person, tenant) && isMeant(profile.facts));
    const last = page.length < max ? undefined : page.at(-1)?.person;
    const behind = 'all' in to ? inInboxes : null;
    return {
      members: members.map(({ person }) => toMember(person)),
      next: last === undefined ? behind : inProfiles + last,
    };
  }

  async #withoutProfile({ tenant }: Announcement, after: string, max: number): Promise<MemberPage> {
    const { profiles, inboxes } = this.#parts;
    const page = await inboxes.people(after === '' ? null : (after as PersonKey), max);
    const own = page.filter((person) => isOf(person, tenant));
    const known = own.length === 0 ? [] : await profiles.read(own);
    const members = own.filter((_, at) => known[at] === null).map(toMember);
    const last = page.length < max ? undefined : page.at(-1);
    return { members, next: last === undefined ? null : inInboxes + last };
  }
}

function isOf(person: PersonKey, tenant: string): boolean {
  return splitPersonKey(person).tenant === tenant;
}

function toMember(person: PersonKey): MemberPage['members'][number] {
  return { user: splitPersonKey(person).user, notify: false };
}

/** All that the filter names. */
export function meets(
  facts: Facts | null,
  { locales, timeZones, createdFrom, createdBefore }: BroadcastFilter,
): boolean {
  if (facts === null) return false;
  const { locale, timeZone, createdAtMs } = facts;
  if (locales !== undefined && !locales.some((asked) => isWithin(locale, asked))) return false;
  if (timeZones !== undefined && (timeZone === null || !timeZones.includes(timeZone))) return false;
  if (createdFrom !== undefined && (createdAtMs === null || createdAtMs < Date.parse(createdFrom))) return false;
  return createdBefore === undefined || (createdAtMs !== null && createdAtMs < Date.parse(createdBefore));
}

/** `de-AT` is within `de`. */
function isWithin(locale: string | null, asked: string): boolean {
  const [own, whole] = [locale?.toLowerCase(), asked.toLowerCase()];
  return own === whole || own?.startsWith(`${whole}-`) === true;
}
