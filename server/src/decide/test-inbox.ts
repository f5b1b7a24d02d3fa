/** One person's inbox in memory, for tests of the rules: events in, rows out, no log and no store. */
import { type PersonKey, personKey } from '../base/ids.ts';
import { builtInTypes, type TypeCatalogue, type TypeEntry } from '../content/type-catalogue.ts';
import { countItems } from '../inbox/counts.ts';
import { type Item, type ItemObject, type Member, noMarks } from '../inbox/item.ts';
import { decodeItem, encodeItem } from '../inbox/item-codec.ts';
import { applyDecision } from '../shard/apply-decision.ts';
import { Outbox } from '../shard/outbox.ts';
import { Person } from '../shard/person.ts';
import { comesBefore } from '../shard/surface.ts';
import { decide } from './decide.ts';
import type { Decision } from './decision.ts';
import type { EventFacts } from './event-facts.ts';
import { makeGroupKey, makeMemberKey } from './keys.ts';

/** T0 of the cases: 2026-03-10T12:00:00Z. */
export const t0 = Date.UTC(2026, 2, 10, 12);

export interface TestEvent {
  readonly type: string;
  readonly actor: string;
  /** `post:p1` */
  readonly on?: string;
  readonly parent?: string;
  readonly atMs?: number;
  readonly seq?: number;
  readonly id?: string;
  readonly mentions?: readonly string[];
  readonly title?: string;
}

let eventNumber = 0;

export function toFacts(event: TestEvent, types: TypeCatalogue = builtInTypes): EventFacts {
  const id = event.id ?? `e-${++eventNumber}`;
  const type = types.find(event.type) as TypeEntry;
  const parts = { type, source: 'app', id, actorId: event.actor, thing: event.on ?? '', parent: event.parent ?? '' };
  return {
    ...parts,
    groupKey: makeGroupKey(type, parts),
    memberKey: makeMemberKey(type, parts),
    timeMs: t0 + (event.atMs ?? 0),
    seq: event.seq ?? null,
    askedForPush: false,
    isMerged: false,
    acceptedAtMs: t0 + (event.atMs ?? 0),
    mentions: event.mentions ?? null,
    actor: () => ({ id: event.actor, name: null, avatar: null }),
    object: () => toObject(event),
    texts: () => [event.title ?? ''],
  };
}

function toObject({ on = '', parent, title }: TestEvent): ItemObject {
  const [kind = '', id = ''] = on.split(':');
  const [parentKind = '', parentId = ''] = (parent ?? '').split(':');
  return {
    kind,
    id,
    title: title ?? null,
    url: null,
    image: null,
    parent: parent === undefined ? null : { kind: parentKind, id: parentId, title: null, url: null },
  };
}

export class TestInbox {
  person: Person;
  readonly #types: TypeCatalogue;
  /** All rows as they would be stored, with their members. */
  #stored = new Map<string, { item: Item; members: Member[] }>();
  #nowMs = t0;
  /** How often the person was told something. */
  told = 0;

  constructor(user = 'r1', types: TypeCatalogue = builtInTypes) {
    this.#types = types;
    const key: PersonKey = personKey('default', user);
    this.person = new Person(key, { items: [], complete: true, marks: noMarks, deepRevision: 0 });
  }

  give(...events: TestEvent[]): this {
    for (const event of events) this.event(event);
    return this;
  }

  /** They are decided, and lost before they are written: another owner goes on from what is stored. */
  lose(...events: readonly TestEvent[]): this {
    const stored = [...this.#stored].map(([id, { item, members }]) => ({ id, text: encodeItem(item), members }));
    const { told } = this;
    this.give(...events);
    this.told = told;
    this.#stored = new Map(stored.map(({ id, text, members }) => [id, { item: decodeItem(text), members }]));
    const items = [...this.#stored.values()].map(({ item }) => item).sort((a, b) => (comesBefore(a, b) ? -1 : 1));
    this.person = new Person(this.person.key, { items, complete: true, marks: this.person.marks, deepRevision: 0 });
    return this;
  }

  event(event: TestEvent): Decision {
    const facts = toFacts(event, this.#types);
    this.#nowMs = Math.max(this.#nowMs + 1, facts.timeMs);
    this.#fetchAll();
    const decision = decide(facts, this.person);
    applyDecision(this.person, facts, decision, { nowMs: this.#nowMs, outbox: new Outbox() });
    for (const { item } of [...this.person.groups]) {
      this.#stored.set(item.id, { item, members: [...this.person.groupOf(item).members()] });
    }
    this.person.written();
    if (decision.tells) this.told++;
    return decision;
  }

  /** Marks everything read, as opening each would. */
  readAll(): this {
    const { person } = this;
    person.marks = { ...person.marks, readThrough: person.revision, seenThrough: person.revision };
    return this;
  }

  /** In list order. */
  get rows(): Item[] {
    return [...this.#stored.values()]
      .map(({ item }) => item)
      .filter(({ state }) => state === 'live')
      .sort((a, b) => (comesBefore(a, b) ? -1 : 1));
  }

  get unread(): number {
    return countItems(this.rows, this.person.marks, this.#nowMs, this.person.revision).unread;
  }

  /** Rows in one line each: `post.liked post:p1 a3,a2,a1 (7)`. */
  get shown(): string[] {
    return this.rows.map((row) => {
      const object = row.object.kind === '' ? '-' : `${row.object.kind}:${row.object.id}`;
      const mentioned = row.mentioned ? ' mentioned' : '';
      return `${row.type} ${object} ${row.actors.map(({ id }) => id).join(',')} (${row.actorCount})${mentioned}`;
    });
  }

  /** Who is in a row, each once. */
  peopleIn(item: Item): string[] {
    const present = this.#stored.get(item.id)?.members.filter((member) => member.present) ?? [];
    return [...new Set(present.map((member) => member.actor.id))].sort();
  }

  /** As the shard would load them: the rules may ask for anything. */
  #fetchAll(): void {
    for (const { item, members } of this.#stored.values()) {
      if (!this.person.holds(item)) this.person.addFetched(item);
      const group = this.person.groupOf(item);
      if (group.lacksMembers) group.useMembers(members);
    }
  }
}
