/**
 * From a scanned event to its records: type, source, time and recipients are judged here, then the bytes are packed.
 * One instance serves all requests, one event at a time, and keeps nothing of them; the common event costs no object.
 *
 * All recipients of one record live in one shard, so an event with people in several shards makes one record for each.
 * The fingerprint then depends on the shard too, so that none of them is taken for a repetition of the first.
 * An event to an audience is one record without recipients, in the bulk lane (D8) of the audience's shard, where fan-out
 * finds it (F1): so it costs its producer the same whatever the size.
 */
import { type Lane, lanes } from '@carillon/contract/lanes.ts';
import { CarillonError } from '../base/carillon-error.ts';
import { fingerprint, shardOf } from '../base/hash.ts';
import { audienceKey, personKey } from '../base/ids.ts';
import { limits } from '../base/limits.ts';
import type { RecordInput, RecordWriter } from '../log/record.ts';
import type { EventTypeFacts, EventTypes } from './event-types.ts';
import type { EventScanner } from './scan-event.ts';
import { TextCache } from './text-cache.ts';
import { invalidEvent, tooManyMentions } from './validate-event.ts';

/** What holds for all events of one request. */
export interface Sender {
  readonly tenant: string;
  /** Sources it may write as; `*` is any. */
  readonly sources: readonly string[];
  readonly nowMs: number;
  /** Lanes that take nothing more for now. */
  readonly closedLanes: readonly Lane[];
  /** Audiences that events of this request name, and that are not there. */
  readonly unknownAudiences: ReadonlySet<string>;
}

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };

const sourceAt = 0;
const idAt = 2;
const typeAt = 4;
const actorAt = 6;
const objectAt = 10;

export class RecordBuilder {
  readonly #types: EventTypes;
  readonly #shards: number;
  readonly #writer: RecordWriter;
  /** tenant, NUL, source, NUL, id: what the fingerprint is taken of. */
  readonly #identity = Buffer.alloc(4 * 3 * 256 + 2);
  /** The tenant whose name begins `#identity` now, and its length there. */
  #tenant = '';
  #tenantBytes = 0;
  readonly #texts = new TextCache();
  readonly #one: string[] = [''];
  readonly #input: Mutable<RecordInput> = {
    lane: 'social',
    shard: 0,
    timeMs: 0,
    acceptedMs: 0,
    seq: null,
    fingerprint: 0,
    escaped: false,
    tenant: '',
    recipients: [],
    toAudience: false,
    source: Buffer.alloc(0),
    start: 0,
    end: 0,
    ranges: [],
  };

  constructor(types: EventTypes, shards: number, writer: RecordWriter) {
    this.#types = types;
    this.#shards = shards;
    this.#writer = writer;
  }

  /** Packs the event that `scan` found last; answers its lane. Throws CarillonError, and has then packed nothing. */
  add(scan: EventScanner, sender: Sender): Lane {
    const typeName = this.#text(scan, typeAt);
    const type = this.#types.find(typeName);
    if (type === undefined) throw unknownType(typeName);
    checkSource(this.#text(scan, sourceAt), sender.sources);
    if (scan.timeMs > sender.nowMs + limits.eventAheadMs) throw timeAhead();
    if (!type.fromApp) checkNamed(scan);
    const isToAudience = scan.to === 'audience';
    const lane = isToAudience ? 'bulk' : type.lane;
    const recipients = isToAudience ? nobody : this.#recipients(scan, type);
    if (isToAudience) checkAudience(audienceIn(scan), sender.unknownAudiences);
    if (sender.closedLanes.length > 0 && sender.closedLanes.includes(lane)) throw laneClosed[lane];
    const input = this.#input;
    input.lane = lane;
    input.toAudience = isToAudience;
    input.timeMs = scan.timeMs;
    input.acceptedMs = sender.nowMs;
    input.seq = Number.isNaN(scan.seq) ? null : scan.seq;
    input.escaped = scan.escaped;
    input.tenant = sender.tenant;
    input.source = scan.buffer;
    input.start = scan.start;
    input.end = scan.end;
    input.ranges = scan.ranges;
    const identityEnd = this.#identify(scan, sender.tenant);
    if (this.#shards === 1) this.#write(0, recipients, identityEnd, 0);
    else if (isToAudience) {
      const shard = shardOf(audienceKey(sender.tenant, audienceIn(scan)), this.#shards);
      this.#write(shard, nobody, identityEnd, shard + 1);
    } else this.#writePerShard(recipients, identityEnd);
    return lane;
  }

  #writePerShard(recipients: readonly string[], identityEnd: number): void {
    const shards = new Map<number, string[]>();
    for (const user of recipients) {
      const shard = shardOf(personKey(this.#input.tenant, user), this.#shards);
      const people = shards.get(shard);
      if (people) people.push(user);
      else shards.set(shard, [user]);
    }
    for (const [shard, people] of shards) this.#write(shard, people, identityEnd, shard + 1);
  }

  #write(shard: number, recipients: readonly string[], identityEnd: number, seed: number): void {
    const input = this.#input;
    input.shard = shard;
    input.recipients = recipients;
    input.fingerprint = fingerprint(this.#identity, 0, identityEnd, seed);
    this.#writer.add(input);
  }

  #recipients(scan: EventScanner, type: EventTypeFacts): readonly string[] {
    const bytes = scan.buffer;
    const addsMentions = type.rule === 'edit' && scan.mentionsEnd > 0;
    if (scan.to === 'user' && !addsMentions) {
      this.#one[0] = unescaped(bytes.toString('utf8', scan.toStart, scan.toEnd));
      return this.#one;
    }
    const people = new Set<string>();
    if (scan.to === 'user') people.add(unescaped(bytes.toString('utf8', scan.toStart, scan.toEnd)));
    else for (const user of list(bytes, scan.toStart, scan.toEnd)) people.add(user);
    if (type.category === 'mentions' && people.size > limits.mentionsMax) throw tooManyMentions('/to/users');
    if (addsMentions) for (const user of list(bytes, scan.mentionsStart, scan.mentionsEnd)) people.add(user);
    return [...people];
  }

  #text(scan: EventScanner, at: number): string {
    const from = scan.start + (scan.ranges[at] as number);
    const text = this.#texts.read(scan.buffer, from, from + (scan.ranges[at + 1] as number));
    return scan.escaped ? unescaped(text) : text;
  }

  /** Fills `#identity`; answers where it ends. Escapes are decoded: they are no part of an id. */
  #identify(scan: EventScanner, tenant: string): number {
    const identity = this.#identity;
    if (tenant !== this.#tenant) {
      this.#tenant = tenant;
      this.#tenantBytes = identity.write(tenant);
    }
    let end = this.#tenantBytes;
    for (const at of identityFields) {
      identity[end++] = 0;
      if (scan.escaped) {
        end += identity.write(this.#text(scan, at), end);
        continue;
      }
      const from = scan.start + (scan.ranges[at] as number);
      const to = from + (scan.ranges[at + 1] as number);
      for (let byte = from; byte < to; byte++) identity[end++] = scan.buffer[byte] as number;
    }
    return end;
  }
}

const identityFields = [sourceAt, idAt];
const nobody: readonly string[] = [];

/** The audience that the event which `scan` found last is for. */
export function audienceIn({ buffer, toStart, toEnd }: EventScanner): string {
  return unescaped(buffer.toString('utf8', toStart, toEnd));
}

function list(bytes: Buffer, start: number, end: number): string[] {
  return JSON.parse(bytes.toString('utf8', start, end)) as string[];
}

function unescaped(raw: string): string {
  return raw.includes('\\') ? (JSON.parse(`"${raw}"`) as string) : raw;
}

function checkSource(source: string, allowed: readonly string[]): void {
  if (allowed.includes(source) || allowed.includes('*')) return;
  throw new CarillonError('CARILLON_EVENT_SOURCE_FOREIGN', 'This caller may not write as that source.', {
    fields: [{ path: '/source', detail: 'Is not a source of this caller.' }],
  });
}

/** Somebody did something to something: only the app itself speaks without. */
function checkNamed({ ranges }: EventScanner): void {
  const missing = [
    ...(ranges[actorAt + 1] === 0 ? ['/actor'] : []),
    ...(ranges[objectAt + 1] === 0 ? ['/object'] : []),
  ];
  if (missing.length > 0) throw invalidEvent(missing.map((path) => ({ path, detail: 'Is required.' })));
}

function unknownType(name: string): CarillonError {
  return new CarillonError('CARILLON_EVENT_TYPE_UNKNOWN', `There is no event type "${name}".`, {
    fields: [{ path: '/type', detail: `There is no event type "${name}".` }],
  });
}

function checkAudience(name: string, unknown: ReadonlySet<string>): void {
  if (!unknown.has(name)) return;
  throw new CarillonError('CARILLON_AUDIENCE_UNKNOWN', `There is no audience "${name}".`, {
    fields: [{ path: '/to/audience', detail: `There is no audience "${name}".` }],
  });
}

function timeAhead(): CarillonError {
  const detail = `Lies more than ${limits.eventAheadMs / 60_000} minutes ahead of the service's clock.`;
  return new CarillonError('CARILLON_EVENT_TIME_AHEAD', `/time: ${detail}`, { fields: [{ path: '/time', detail }] });
}

/** Made once: under overload a stack for each refused event would cost more than the refusal. */
const laneClosed = Object.fromEntries(
  lanes.map((lane) => [
    lane,
    new CarillonError('CARILLON_OVERLOADED', `The ${lane} lane takes no more for now.`, {
      retryAfterSeconds: limits.overloadRetrySeconds,
    }),
  ]),
) as Record<Lane, CarillonError>;
