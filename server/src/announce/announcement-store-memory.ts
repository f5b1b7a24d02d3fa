/** Announcements in memory, for tests. */
import type { TenantId } from '../base/ids.ts';
import type { Announcement, AnnouncementId } from './announcement.ts';
import { type AnnouncementStore, isUnderWay } from './announcement-store.ts';

export class AnnouncementStoreMemory implements AnnouncementStore {
  readonly #all = new Map<string, Announcement>();

  async create(announcement: Announcement): Promise<void> {
    this.#all.set(keyOf(announcement), announcement);
  }

  async get(tenant: TenantId, id: AnnouncementId): Promise<Announcement | null> {
    return this.#all.get(keyOf({ tenant, id })) ?? null;
  }

  async list(tenant: TenantId, max: number): Promise<readonly Announcement[]> {
    const found = [...this.#all.values()].filter((each) => each.tenant === tenant);
    return found.sort((a, b) => (a.id < b.id ? 1 : -1)).slice(0, max);
  }

  async replace(announcement: Announcement): Promise<boolean> {
    if (this.#all.get(keyOf(announcement))?.version !== announcement.version - 1) return false;
    this.#all.set(keyOf(announcement), announcement);
    return true;
  }

  async underWay(max: number): Promise<readonly Announcement[]> {
    return [...this.#all.values()].filter(isUnderWay).slice(0, max);
  }
}

function keyOf({ tenant, id }: Pick<Announcement, 'tenant' | 'id'>): string {
  return `${tenant}\0${id}`;
}
