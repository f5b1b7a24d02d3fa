/** What operators ask of announcements (A4). Throws CARILLON_BROADCAST_UNKNOWN alike for ids of other tenants. */
import type { BroadcastAction } from '@carillon/contract/broadcast-states.ts';
import type { BroadcastDraft } from '@carillon/contract/broadcasts.ts';
import type { TenantId } from '../base/ids.ts';
import type { Announcement, AnnouncementId } from './announcement.ts';

export interface AnnouncementWish {
  readonly tenant: TenantId;
  readonly id: AnnouncementId;
  readonly action: BroadcastAction;
  /** The operator. */
  readonly by: string;
  /** For `start`: when; null is now. */
  readonly startAtMs: number | null;
}

export interface AnnouncementService {
  /** Throws what intake would answer for its content. */
  create(tenant: TenantId, by: string, draft: BroadcastDraft): Promise<Announcement>;
  get(tenant: TenantId, id: AnnouncementId): Promise<Announcement>;
  /** Newest first. */
  list(tenant: TenantId): Promise<readonly Announcement[]>;
  /** Throws CARILLON_BROADCAST_STATE and CARILLON_BROADCAST_OWN. Answers what it is then. */
  act(wish: AnnouncementWish): Promise<Announcement>;
}
