/** Rows that are known and not in memory, by fingerprint of their group key: some 60 bytes a row. */
import { fingerprintOf } from '../base/hash.ts';
import type { NotificationId } from '../base/ids.ts';
import { limits } from '../base/limits.ts';
import { idTimeMs } from '../inbox/notification-id.ts';

const none: readonly NotificationId[] = [];

export class RowsElsewhere {
  #ids: Map<number, NotificationId | readonly NotificationId[]> | null = null;
  #newestMs = Number.NEGATIVE_INFINITY;
  #sizeToForget: number = limits.cachedElsewhereMax;

  get size(): number {
    return this.#ids?.size ?? 0;
  }

  /** Ids of all rows of this group key, and by chance of another. */
  of(groupKey: string): readonly NotificationId[] {
    if (this.#ids === null) return none;
    const ids = this.#ids.get(small(groupKey));
    if (ids === undefined) return none;
    return typeof ids === 'string' ? [ids] : ids;
  }

  has(groupKey: string): boolean {
    return this.#ids?.has(small(groupKey)) ?? false;
  }

  add(groupKey: string, id: NotificationId): void {
    this.#newestMs = Math.max(this.#newestMs, idTimeMs(id));
    const others = this.of(groupKey);
    if (others.includes(id)) return;
    this.#ids ??= new Map();
    this.#ids.set(small(groupKey), others.length === 0 ? id : [...others, id]);
  }

  remove(groupKey: string, id: NotificationId): void {
    const others = this.of(groupKey).filter((other) => other !== id);
    if (others.length === 0) this.#ids?.delete(small(groupKey));
    else this.#ids?.set(small(groupKey), others.length === 1 ? (others[0] as NotificationId) : others);
  }

  /**
   * Once there are many, forgets rows with no activity in the times that events still come from: the last days, and as
   * far back as events have lately needed (a lane that is behind brings old ones, and what it needs must not be read
   * from the store again each time). Answers the time from which on all are still known; null if nothing was looked at.
   */
  forgetLongAgo(neededBackToMs: number): number | null {
    if (this.#ids === null || this.#ids.size <= this.#sizeToForget) return null;
    const backToMs = Math.min(this.#newestMs - limits.cachedElsewhereMs, neededBackToMs);
    for (const fingerprint of [...this.#ids.keys()]) {
      const ids = this.#ids.get(fingerprint) ?? none;
      // A row stands at most a group's span after the time in its id.
      const isOld = (id: NotificationId): boolean => idTimeMs(id) + limits.groupSpanMs < backToMs;
      if (typeof ids === 'string' ? isOld(ids as NotificationId) : ids.every(isOld)) this.#ids.delete(fingerprint);
    }
    // Not again until there are twice as many: a busy person has that many within the times that matter.
    this.#sizeToForget = Math.max(limits.cachedElsewhereMax, 2 * this.#ids.size);
    return backToMs;
  }
}

/** 31 bits: an integer that a map holds without an object of its own. */
function small(groupKey: string): number {
  return fingerprintOf(groupKey) % 0x7fffffff;
}
