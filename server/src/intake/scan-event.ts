/**
 * The fast path of validation: one walk over an event's bytes that finds the fields a record needs and checks the whole
 * schema of contract/event.ts on the way, without making an object.
 *
 * It answers "fits" or "look closer", never what is wrong: `validate-event.ts` does, and decides. Whatever this accepts
 * that one accepts too, with the same fields; a property test holds them together.
 */
import { limits } from '../base/limits.ts';
import { recordFields } from '../log/record.ts';
import { ByteScanner, words } from './byte-scanner.ts';
import { isKind, isTraceparent, isType } from './field-patterns.ts';
import { KnownKeys } from './known-keys.ts';
import { readTime } from './read-time.ts';

export type RecipientKind = 'none' | 'user' | 'users' | 'audience';

/** Bits of the fields that every event has; whether it needs an actor and an object depends on its type. */
const eventRequired = 0b1000_1111;
const eventKeys = new KnownKeys([
  'id',
  'source',
  'type',
  'time',
  'seq',
  'actor',
  'object',
  'to',
  'data',
  'traceparent',
]);
const actorKeys = new KnownKeys(['id', 'name', 'avatar']);
const objectKeys = new KnownKeys(['kind', 'id', 'owner', 'title', 'url', 'image', 'parent']);
const parentKeys = new KnownKeys(['kind', 'id', 'owner', 'title', 'url']);
const toKeys = new KnownKeys(['user', 'users', 'audience']);

const field = Object.fromEntries(recordFields.map((name, index) => [name, index * 2])) as Record<
  (typeof recordFields)[number],
  number
>;

/** Where in the event a walk is. */
const level = { event: 0, actor: 1, object: 2, parent: 3, to: 4 } as const;
type Level = (typeof level)[keyof typeof level];

const offsetMax = 0xffff;
const keysComparedMax = 32;

export class EventScanner extends ByteScanner {
  /** Where the event begins in `buffer`. */
  start = 0;
  /** Offset from `start` and length of each of `recordFields`; length 0 where absent. */
  readonly ranges = new Uint16Array(recordFields.length * 2);
  timeMs = 0;
  /** NaN where absent. */
  seq = Number.NaN;
  to: RecipientKind = 'none';
  /** Absolute place of the recipients: inside the quotes of `user` and `audience`, the whole array of `users`. */
  toStart = 0;
  toEnd = 0;
  /** Absolute place of the array `data.mentions`; both 0 where absent. */
  mentionsStart = 0;
  mentionsEnd = 0;

  private view: DataView = new DataView(new ArrayBuffer(0));
  /** Set where the slow path has compared keys and counted code points already. */
  private trusted = false;
  /** Behind the closing bracket read last. */
  private closed = 0;
  /** Start and end of the keys of every object that is open inside `data`. */
  private readonly keys = new Int32Array(2 * keysComparedMax);
  private keysUsed = 0;

  /**
   * Whether the event at [start, end) of valid UTF-8 fits. The fields are those of the last event that did.
   * `trusted`: the bytes come from the slow path, which has looked for repeated keys and overlong texts.
   */
  scan(buffer: Buffer, start: number, end: number, trusted = false): boolean {
    if (end - start > offsetMax) return false;
    if (buffer !== this.buffer) {
      this.buffer = buffer;
      this.view = new DataView(buffer.buffer, buffer.byteOffset, buffer.byteLength);
    }
    this.start = start;
    this.at = start;
    this.end = end;
    this.trusted = trusted;
    this.ranges.fill(0);
    this.seq = Number.NaN;
    this.to = 'none';
    this.mentionsStart = 0;
    this.mentionsEnd = 0;
    this.escaped = false;
    this.keysUsed = 0;
    this.skipSpace();
    return this.members(level.event, eventKeys, eventRequired) && this.at === end;
  }

  /** An object of known keys, each at most once, the `required` ones (bits by index) all there. */
  private members(where: Level, known: KnownKeys, required: number): boolean {
    let seen = 0;
    let key = -1;
    if (!this.take(0x7b)) return false;
    do {
      key = this.knownKey(known, key + 1);
      if (key < 0 || (seen & (1 << key)) !== 0 || !this.take(0x3a)) return false;
      seen |= 1 << key;
      if (!this.member(where, key)) return false;
    } while (this.take(0x2c));
    this.closed = this.at + 1;
    return this.take(0x7d) && (seen & required) === required;
  }

  /** Takes a known key; answers its index, or −1. Names lie in the lists in the order producers tend to write them. */
  private knownKey(known: KnownKeys, expected: number): number {
    const from = this.at + 1;
    if (from >= this.end || this.buffer[this.at] !== 0x22) return -1;
    const key = known.find(this.view, from, expected);
    if (key < 0) return -1;
    this.at = from + (known.lengths[key] as number);
    if ((this.buffer[this.at] as number) <= 0x20) this.skipSpace();
    return key;
  }

  private member(where: Level, key: number): boolean {
    switch (where) {
      case level.event:
        return this.eventMember(key);
      case level.actor:
        return this.actorMember(key);
      case level.to:
        return this.toMember(key);
      default:
        return this.objectMember(where, key);
    }
  }

  private eventMember(key: number): boolean {
    switch (key) {
      case 0:
        return this.idField(field.id);
      case 1:
        return this.idField(field.source);
      case 2:
        return (
          this.text() &&
          isType(this.buffer, this.textStart, this.textEnd) &&
          this.keep(field.type, this.textStart, this.textEnd)
        );
      case 3:
        return this.text() && this.time();
      case 4:
        return this.seqValue();
      case 5:
        return this.nested(level.actor, actorKeys, 0b1, field.actor);
      case 6:
        return this.nested(level.object, objectKeys, 0b11, field.object);
      case 7:
        return this.members(level.to, toKeys, 0) && this.to !== 'none';
      case 8:
        return this.data();
      default:
        return this.text() && isTraceparent(this.buffer, this.textStart, this.textEnd);
    }
  }

  private actorMember(key: number): boolean {
    if (key === 0) return this.idField(field.actorId);
    if (key === 1) return this.bounded(200);
    return this.buffer[this.at] === 0x6e ? this.literal(words.null) : this.bounded(2048);
  }

  private objectMember(where: Level, key: number): boolean {
    const isObject = where === level.object;
    switch (key) {
      case 0:
        return (
          this.text() &&
          isKind(this.buffer, this.textStart, this.textEnd) &&
          this.keep(isObject ? field.objectKind : field.parentKind, this.textStart, this.textEnd)
        );
      case 1:
        return this.idField(isObject ? field.objectId : field.parentId);
      case 2:
        return isObject ? this.idField(field.objectOwner) : this.boundedId();
      case 3:
        return this.bounded(500);
      case 6:
        return this.members(level.parent, parentKeys, 0b11);
      default:
        return this.bounded(2048);
    }
  }

  /** Exactly one way of naming recipients. */
  private toMember(key: number): boolean {
    if (this.to !== 'none') return false;
    if (key === 1) return this.userList();
    this.to = key === 0 ? 'user' : 'audience';
    if (key === 0 ? !this.boundedId() : !(this.bounded(320) && this.textEnd > this.textStart)) return false;
    this.toStart = this.textStart;
    this.toEnd = this.textEnd;
    return true;
  }

  private userList(): boolean {
    this.to = 'users';
    this.toStart = this.at;
    if (!this.idList(limits.recipientsMax, 1)) return false;
    this.toEnd = this.closed;
    return true;
  }

  private idList(max: number, min: number): boolean {
    if (!this.take(0x5b)) return false;
    let count = 0;
    if (this.buffer[this.at] !== 0x5d) {
      do {
        if (!this.boundedId() || ++count > max) return false;
      } while (this.take(0x2c));
    }
    this.closed = this.at + 1;
    return this.take(0x5d) && count >= min;
  }

  private seqValue(): boolean {
    const start = this.at;
    const first = this.buffer[start] as number;
    if (first < 0x30 || first > 0x39 || !this.number()) return false;
    let value = 0;
    let at = start;
    for (; at < this.at; at++) {
      const byte = this.buffer[at] as number;
      // A fraction or an exponent may still make an integer: the slow path knows.
      if (byte < 0x30 || byte > 0x39) break;
      value = value * 10 + (byte - 0x30);
    }
    const rest = this.buffer[at];
    if (at < this.at && (rest === 0x2e || rest === 0x65 || rest === 0x45)) return false;
    this.seq = value;
    return true;
  }

  private data(): boolean {
    const start = this.at;
    if (this.buffer[start] !== 0x7b || !this.objectValue(2)) return false;
    return this.keep(field.data, start, this.closed);
  }

  /** Any value inside `data`; `depth` is that of an object or array that begins here. */
  private value(depth: number): boolean {
    switch (this.buffer[this.at]) {
      case 0x22:
        return this.text();
      case 0x7b:
        return this.objectValue(depth);
      case 0x5b:
        return this.arrayValue(depth);
      case 0x74:
        return this.literal(words.true);
      case 0x66:
        return this.literal(words.false);
      case 0x6e:
        return this.literal(words.null);
      default:
        return this.number();
    }
  }

  private objectValue(depth: number): boolean {
    if (depth > limits.jsonDepthMax || !this.take(0x7b)) return false;
    const firstKey = this.keysUsed;
    if (this.buffer[this.at] !== 0x7d) {
      do {
        if (!this.freshKey(firstKey)) return false;
        const isMentions = depth === 2 && this.isMentionsKey();
        if (!this.take(0x3a)) return false;
        if (!(isMentions ? this.mentions() : this.value(depth + 1))) return false;
      } while (this.take(0x2c));
    }
    this.keysUsed = firstKey;
    this.closed = this.at + 1;
    return this.take(0x7d);
  }

  private arrayValue(depth: number): boolean {
    if (depth > limits.jsonDepthMax || !this.take(0x5b)) return false;
    if (this.buffer[this.at] !== 0x5d) {
      do {
        if (!this.value(depth + 1)) return false;
      } while (this.take(0x2c));
    }
    this.closed = this.at + 1;
    return this.take(0x5d);
  }

  /** A key without escapes that its object has not had, and that cannot reach a prototype. */
  private freshKey(firstKey: number): boolean {
    const { buffer, keys } = this;
    const escapedBefore = this.escaped;
    this.escaped = false;
    if (!this.text()) return false;
    const escaped = this.escaped;
    this.escaped = escapedBefore || escaped;
    if (this.trusted) return true;
    const length = this.textEnd - this.textStart;
    if (escaped || this.keysUsed >= keysComparedMax || (length === 9 && buffer[this.textStart] === 0x5f)) return false;
    for (let key = firstKey; key < this.keysUsed; key++) {
      const from = keys[2 * key] as number;
      if ((keys[2 * key + 1] as number) - from === length && sameBytes(buffer, from, this.textStart, length))
        return false;
    }
    keys[2 * this.keysUsed] = this.textStart;
    keys[2 * this.keysUsed + 1] = this.textEnd;
    this.keysUsed++;
    return true;
  }

  private isMentionsKey(): boolean {
    const from = this.textStart;
    if (this.textEnd - from !== mentionsKey.length) return false;
    for (let at = 0; at < mentionsKey.length; at++) if (this.buffer[from + at] !== mentionsKey[at]) return false;
    return true;
  }

  private mentions(): boolean {
    this.mentionsStart = this.at;
    if (!this.idList(limits.mentionsMax, 0)) return false;
    this.mentionsEnd = this.closed;
    return true;
  }

  private nested(where: Level, known: KnownKeys, required: number, keepAs: number): boolean {
    const start = this.at;
    return this.members(where, known, required) && this.keep(keepAs, start, this.closed);
  }

  private idField(keepAs: number): boolean {
    return this.boundedId() && this.keep(keepAs, this.textStart, this.textEnd);
  }

  private boundedId(): boolean {
    return this.id() && this.within(256);
  }

  private bounded(max: number): boolean {
    return this.text() && (this.trusted || this.within(max));
  }

  private keep(at: number, start: number, end: number): boolean {
    this.ranges[at] = start - this.start;
    this.ranges[at + 1] = end - start;
    return true;
  }

  private time(): boolean {
    this.timeMs = readTime(this.buffer, this.textStart, this.textEnd);
    return !Number.isNaN(this.timeMs);
  }
}

const mentionsKey = Buffer.from('mentions');

function sameBytes(buffer: Uint8Array, first: number, second: number, length: number): boolean {
  for (let at = 0; at < length; at++) if (buffer[first + at] !== buffer[second + at]) return false;
  return true;
}
