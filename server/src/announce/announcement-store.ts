/**
 * Port: announcements, with who did what to them (A4).
 *
 * Durability: what is resolved survives the loss of the process, and of the machine.
 * Atomicity: `replace` has its effect only on the version before, so that of two people who act at once one acts on what
 *   the other has done.
 */
import type { TenantId } from '../base/ids.ts';
import type { Announcement, AnnouncementId } from './announcement.ts';

export interface AnnouncementStore {
  create(announcement: Announcement): Promise<void>;
  get(tenant: TenantId, id: AnnouncementId): Promise<Announcement | null>;
  /** Newest first. */
  list(tenant: TenantId, max: number): Promise<readonly Announcement[]>;
  /** Whether the stored one had the version just before. */
  replace(announcement: Announcement): Promise<boolean>;
  /** Those of all tenants that are scheduled or running, in any order, at most `max`. */
  underWay(max: number): Promise<readonly Announcement[]>;
}

export function isUnderWay({ status }: Pick<Announcement, 'status'>): boolean {
  return status === 'scheduled' || status === 'running';
}
