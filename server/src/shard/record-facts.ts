/**
 * The event of a log record, as the rules want it. One instance is moved from record to record, so that an event costs
 * no object of its own: nobody may keep it.
 */
import type { TypeCatalogue, TypeEntry } from '../content/type-catalogue.ts';
import type { EventFacts } from '../decide/event-facts.ts';
import { makeGroupKey, makeMemberKey } from '../decide/keys.ts';
import { type Needs, needsOf } from '../decide/needs.ts';
import type { ItemActor, ItemObject } from '../inbox/item.ts';
import type { RecordView } from '../log/record.ts';

interface RawObject {
  kind: string;
  id: string;
  title?: string;
  url?: string;
  image?: string;
  parent?: RawObject;
}

const idLead = '{"id":"';
const nameLead = '","name":"';
const nobody: ItemActor = { id: '', name: null, avatar: null };
const nothing: ItemObject = { kind: '', id: '', title: null, url: null, image: null, parent: null };

export class RecordFacts implements EventFacts {
  type!: TypeEntry;
  timeMs = 0;
  seq: number | null = null;
  acceptedAtMs = 0;
  askedForPush = false;
  isMerged = false;
  actorId = '';
  thing = '';
  parent = '';
  mentions: readonly string[] | null = null;
  readonly #catalogue: TypeCatalogue;
  #view: RecordView | null = null;
  #actor: ItemActor | null = null;
  #object: ItemObject | null = null;
  #needs: Needs | null = null;
  #groupKey: string | null = null;
  #memberKey: string | null = null;

  constructor(catalogue: TypeCatalogue) {
    this.#catalogue = catalogue;
  }

  /** Reads the record under the view. False if its type is no longer in the catalogue. Throws if it cannot be read. */
  read(view: RecordView): boolean {
    const type = this.#catalogue.find(view.text('type'));
    if (type === undefined) return false;
    this.type = type;
    this.timeMs = view.timeMs;
    this.seq = view.seq;
    this.acceptedAtMs = view.acceptedMs;
    this.askedForPush = view.isAskedForPush;
    this.isMerged = view.isMerged;
    this.actorId = view.text('actorId');
    this.thing = view.has('objectId') ? `${view.text('objectKind')}:${view.text('objectId')}` : '';
    this.parent = view.has('parentId') ? `${view.text('parentKind')}:${view.text('parentId')}` : '';
    this.mentions = type.rule === 'edit' && view.has('data') ? mentionsIn(view.json('data')) : null;
    this.#view = view;
    this.#actor = null;
    this.#object = null;
    this.#needs = null;
    this.#groupKey = null;
    this.#memberKey = null;
    return true;
  }

  /** Needed only for a new row, so decoded only then. */
  get source(): string {
    return this.#view?.text('source') ?? '';
  }

  get id(): string {
    return this.#view?.text('id') ?? '';
  }

  get groupKey(): string {
    this.#groupKey ??= makeGroupKey(this.type, this);
    return this.#groupKey;
  }

  get memberKey(): string {
    this.#memberKey ??= makeMemberKey(this.type, this);
    return this.#memberKey;
  }

  /** What the event's rule will look up, whoever the recipient is. */
  get needs(): Needs {
    this.#needs ??= needsOf(this);
    return this.#needs;
  }

  actor(): ItemActor {
    this.#actor ??= readActor(this.#json('actor'), this.actorId);
    return this.#actor;
  }

  object(): ItemObject {
    this.#object ??= readObject(this.#json('object'));
    return this.#object;
  }

  /** Throws if anything that changes may ask for cannot be read. */
  readAll(): void {
    this.actor();
    this.object();
    void [this.source, this.id];
  }

  texts(): readonly string[] {
    const { name } = this.actor();
    const { title, parent } = this.object();
    const data = this.#view?.has('data') ? stringsIn(JSON.parse(this.#view.json('data'))) : [];
    return [name, title, parent?.title ?? null, ...data].filter((text) => text !== null);
  }

  #json(field: 'actor' | 'object'): string {
    return this.#view?.json(field) ?? '';
  }
}

/** Nearly every actor is written as `{"id":"…","name":"…"}`, which needs no parser. */
function readActor(json: string, id: string): ItemActor {
  if (json === '') return nobody;
  const nameAt = idLead.length + id.length + nameLead.length;
  if (json.startsWith(idLead) && json.startsWith(nameLead, idLead.length + id.length) && json.endsWith('"}')) {
    const name = json.slice(nameAt, -2);
    if (!/["\\]/.test(name)) return { id, name, avatar: null };
  }
  const actor = JSON.parse(json) as { id: string; name?: string; avatar?: string | null };
  return { id: actor.id, name: actor.name ?? null, avatar: actor.avatar ?? null };
}

function readObject(json: string): ItemObject {
  if (json === '') return nothing;
  const object = JSON.parse(json) as RawObject;
  const { parent } = object;
  return {
    ...shown(object),
    image: object.image ?? null,
    parent: parent === undefined ? null : shown(parent),
  };
}

function shown(object: RawObject): { kind: string; id: string; title: string | null; url: string | null } {
  return { kind: object.kind, id: object.id, title: object.title ?? null, url: object.url ?? null };
}

/** Every text in a JSON value, however deep: intake bounds how deep it can be. */
function stringsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(stringsIn) : [];
}

function mentionsIn(data: string): readonly string[] | null {
  const { mentions } = JSON.parse(data) as { mentions?: unknown };
  return Array.isArray(mentions) ? mentions.filter((user) => typeof user === 'string') : null;
}
