/** The announcement service over its stores. `recipients` of one that is under way is as its fan-out says. */
import type { BroadcastDraft } from '@carillon/contract/broadcasts.ts';
import type { FanoutStore } from '../audience/fanout-store.ts';
import { CarillonError } from '../base/carillon-error.ts';
import type { Clock } from '../base/clock.ts';
import { audienceKey, type TenantId } from '../base/ids.ts';
import { limits } from '../base/limits.ts';
import type { Random } from '../base/random.ts';
import type { EventTypes } from '../intake/event-types.ts';
import { type Announcement, type AnnouncementId, type StepFacts, stepped } from './announcement.ts';
import { announcementEvent, announcementKind } from './announcement-event.ts';
import type { AnnouncementService, AnnouncementWish } from './announcement-service.ts';
import type { AnnouncementStore } from './announcement-store.ts';

export interface AnnouncementServiceParts {
  readonly announcements: AnnouncementStore;
  readonly fanouts: Pick<FanoutStore, 'list'>;
  readonly types: EventTypes;
  readonly selfApproval: boolean;
  readonly clock: Clock;
  readonly random: Random;
}

const timeDigits = 9;

export class AnnouncementServiceStore implements AnnouncementService {
  readonly #parts: AnnouncementServiceParts;

  constructor(parts: AnnouncementServiceParts) {
    this.#parts = parts;
  }

  async create(tenant: TenantId, by: string, draft: BroadcastDraft): Promise<Announcement> {
    const { announcements, types, clock, random } = this.#parts;
    const nowMs = clock.now();
    const id = `b_${Math.trunc(nowMs).toString(36).padStart(timeDigits, '0')}${random.hex(6)}`;
    const announcement: Announcement = {
      ...draft,
      id,
      tenant,
      version: 1,
      status: 'draft',
      startAtMs: null,
      startedAtMs: null,
      isSent: false,
      recipients: 0,
      history: [{ action: 'create', atMs: nowMs, by }],
    };
    // What is wrong with it is told now.
    announcementEvent(announcement, { types, shards: 1, nowMs });
    await announcements.create(announcement);
    return announcement;
  }

  async get(tenant: TenantId, id: AnnouncementId): Promise<Announcement> {
    return this.#withProgress(await this.#stored(tenant, id));
  }

  async list(tenant: TenantId): Promise<readonly Announcement[]> {
    const found = await this.#parts.announcements.list(tenant, limits.announcementsShownMax);
    return Promise.all(found.map((each) => this.#withProgress(each)));
  }

  async act({ tenant, id, action, by, startAtMs }: AnnouncementWish): Promise<Announcement> {
    const { announcements, clock, selfApproval } = this.#parts;
    const nowMs = clock.now();
    const at = action === 'start' ? { startAtMs: startAtMs ?? nowMs } : {};
    const facts: StepFacts = { nowMs, by, selfApproval, ...at };
    for (;;) {
      const before = await this.#stored(tenant, id);
      const after = stepped(before, action, facts);
      // Where somebody else was first, on what they have done.
      if (after === before || (await announcements.replace(after))) return this.#withProgress(after);
    }
  }

  async #stored(tenant: TenantId, id: AnnouncementId): Promise<Announcement> {
    const found = await this.#parts.announcements.get(tenant, id);
    if (found === null) throw new CarillonError('CARILLON_BROADCAST_UNKNOWN', 'There is no such broadcast.');
    return found;
  }

  async #withProgress(announcement: Announcement): Promise<Announcement> {
    if (!announcement.isSent || announcement.status === 'finished') return announcement;
    const { tenant, id } = announcement;
    const audience = audienceKey(tenant, `${announcementKind}:${id}`);
    const [fanout] = await this.#parts.fanouts.list({ tenant, audience }, 1);
    return { ...announcement, recipients: fanout?.recipients ?? 0 };
  }
}
