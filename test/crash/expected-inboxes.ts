/** What the inboxes must hold after these events, by a plain count that shares nothing with the service (D4, D5). */
import type { Event } from '@carillon/contract/event.ts';

const dayMs = 86_400_000;

interface RepostRow {
  readonly beganMs: number;
  readonly people: Set<string>;
}

interface Expected {
  readonly reposts: RepostRow[];
  readonly countedMs: Map<string, number>;
  /** Mentions and replies: one row each, by `type thing`. */
  readonly alone: Set<string>;
}

export class ExpectedInboxes {
  readonly #people = new Map<string, Expected>();
  events = 0;

  /** Events of one recipient must come in the order they were sent. */
  add(event: Event): void {
    this.events++;
    const user = 'user' in event.to ? event.to.user : '';
    const actor = event.actor?.id ?? '';
    if (user === actor) return;
    const person = this.#person(user);
    if (event.type === 'post.reposted') addRepost(person, actor, Date.parse(event.time));
    else person.alone.add(`${event.type} ${event.object?.kind}:${event.object?.id}`);
  }

  get users(): string[] {
    return [...this.#people.keys()].sort();
  }

  /** Sizes of the repost rows, newest first, and the rows that stand alone. */
  of(user: string): { reposts: number[]; alone: ReadonlySet<string> } {
    const { reposts, alone } = this.#person(user);
    return { reposts: reposts.map((row) => row.people.size).toReversed(), alone };
  }

  #person(user: string): Expected {
    let person = this.#people.get(user);
    if (person === undefined) {
      person = { reposts: [], countedMs: new Map(), alone: new Set() };
      this.#people.set(user, person);
    }
    return person;
  }
}

function addRepost({ reposts, countedMs }: Expected, actor: string, timeMs: number): void {
  if (timeMs - (countedMs.get(actor) ?? Number.NEGATIVE_INFINITY) < dayMs) return;
  countedMs.set(actor, timeMs);
  const open = reposts.at(-1);
  if (open !== undefined && timeMs - open.beganMs < dayMs) open.people.add(actor);
  else reposts.push({ beganMs: timeMs, people: new Set([actor]) });
}
