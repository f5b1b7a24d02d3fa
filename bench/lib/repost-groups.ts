/**
 * What the rows of a person's reposts must be, from the events alone (D4, D5): a group begins with its first event and
 * takes events until 24 h after its beginning; an actor who already counted within 24 h counts no more.
 */
import type { Event } from '@carillon/contract/event.ts';

const dayMs = 86_400_000;

export interface RepostGroup {
  readonly beganMs: number;
  readonly people: Set<string>;
}

export class RepostGroups {
  readonly #groups: RepostGroup[] = [];
  readonly #countedMs = new Map<string, number>();

  add(event: Event): void {
    const actor = event.actor?.id ?? '';
    const timeMs = Date.parse(event.time);
    if (timeMs - (this.#countedMs.get(actor) ?? Number.NEGATIVE_INFINITY) < dayMs) return;
    this.#countedMs.set(actor, timeMs);
    const open = this.#groups.at(-1);
    if (open !== undefined && timeMs - open.beganMs < dayMs) open.people.add(actor);
    else this.#groups.push({ beganMs: timeMs, people: new Set([actor]) });
  }

  /** People of each group, newest group first, as an inbox lists them. */
  counts(): number[] {
    return this.#groups.map((group) => group.people.size).toReversed();
  }
}
