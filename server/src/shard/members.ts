/**
 * Who is in a row, in memory: every member with its order, the distinct people among those present, and the newest of
 * them. Most rows have one member, so a short list serves until it pays to keep a map.
 *
 * Beyond `exactMax` people nobody new is kept one by one: they are only estimated (D5), and cannot be taken out again.
 */
import { isMentionKey } from '../decide/keys.ts';
import type { ItemActor, Member } from '../inbox/item.ts';
import { PeopleSketch } from './people-sketch.ts';

const listMax = 8;
const shownMax = 3;

export class Members implements Iterable<Member> {
  #list: Member[] = [];
  #map: Map<string, Member> | null = null;
  /** How many present members each person has; kept only once some person may have several. */
  #perPerson: Map<string, number> | null = null;
  #present = 0;
  #mentions = 0;
  /** The newest present members, one per person; null when they must be found again. */
  #newest: Member[] | null = [];

  readonly #exactMax: number;
  /** Everyone there is or was, once there are too many. */
  #crowd: PeopleSketch | null;

  /** `sketch`: of a row that was stored as an estimate. */
  constructor(members: Iterable<Member> = [], exactMax = Number.POSITIVE_INFINITY, sketch: string | null = null) {
    this.#exactMax = exactMax;
    this.#crowd = sketch === null ? null : PeopleSketch.fromText(sketch);
    for (const member of members) this.#keep(member);
  }

  get size(): number {
    return this.#map === null ? this.#list.length : this.#map.size;
  }

  /** Distinct people present; an estimate once `sketch` is not null. */
  get people(): number {
    if (this.#crowd !== null) return Math.max(this.#exactMax + 1, this.#crowd.estimate());
    return this.#exactPeople;
  }

  /** What an estimate is made from, to be stored. */
  get sketch(): string | null {
    return this.#crowd?.toText() ?? null;
  }

  get isEstimate(): boolean {
    return this.#crowd !== null;
  }

  /** Nobody is present. */
  get isEmpty(): boolean {
    return this.#present === 0 && this.#crowd === null;
  }

  get isMentioned(): boolean {
    return this.#mentions > 0;
  }

  /** Someone is in it for more than being mentioned. */
  get hasPlain(): boolean {
    return this.#present > this.#mentions;
  }

  get(key: string): Member | undefined {
    return this.#map === null ? this.#list.find((member) => member.key === key) : this.#map.get(key);
  }

  [Symbol.iterator](): Iterator<Member> {
    return this.#map === null ? this.#list[Symbol.iterator]() : this.#map.values();
  }

  /** Answers whether the member is kept one by one, and so must be stored. */
  set(member: Member): boolean {
    if (this.#crowd !== null) {
      if (member.present) this.#crowd.add(member.actor.id);
      if (this.get(member.key) === undefined) {
        if (member.present) this.#rank(member);
        return false;
      }
    }
    this.#keep(member);
    if (this.#crowd === null && this.#exactPeople > this.#exactMax) this.#crowd = this.#sketchAll();
    return true;
  }

  #keep(member: Member): void {
    const before = this.get(member.key);
    this.#store(before, member);
    const delta = (member.present ? 1 : 0) - (before?.present === true ? 1 : 0);
    if (delta !== 0) this.#count(member, delta);
    const mayFall = before?.present === true && (!member.present || member.countedAtMs < before.countedAtMs);
    if (mayFall) this.#newest = null;
    else if (member.present) this.#rank(member);
  }

  /** The newest people, by event time then id, at most three. */
  newest(): readonly ItemActor[] {
    if (this.#newest === null) {
      this.#newest = [];
      for (const member of this) if (member.present) this.#rank(member);
    }
    return this.#newest.map((member) => member.actor);
  }

  get #exactPeople(): number {
    return this.#perPerson === null ? this.#present : this.#perPerson.size;
  }

  #sketchAll(): PeopleSketch {
    const sketch = PeopleSketch.empty();
    for (const member of this) if (member.present) sketch.add(member.actor.id);
    return sketch;
  }

  #store(before: Member | undefined, member: Member): void {
    if (this.#map !== null) {
      this.#map.set(member.key, member);
      return;
    }
    if (before === undefined) this.#list.push(member);
    else this.#list[this.#list.indexOf(before)] = member;
    if (this.#list.length <= listMax) return;
    this.#map = new Map(this.#list.map((each) => [each.key, each]));
    this.#list = [];
  }

  #count(member: Member, delta: number): void {
    this.#present += delta;
    if (isMentionKey(member.key)) this.#mentions += delta;
    if (this.#perPerson === null) {
      if (member.key === member.actor.id) return;
      this.#perPerson = new Map();
      for (const each of this) if (each.present && each.key !== member.key) this.#countPerson(each.actor.id, 1);
    }
    this.#countPerson(member.actor.id, delta);
  }

  #countPerson(actorId: string, delta: number): void {
    const perPerson = this.#perPerson as Map<string, number>;
    const count = (perPerson.get(actorId) ?? 0) + delta;
    if (count > 0) perPerson.set(actorId, count);
    else perPerson.delete(actorId);
  }

  #rank(member: Member): void {
    const newest = this.#newest;
    if (newest === null) return;
    const last = newest[shownMax - 1];
    if (last !== undefined && !isNewer(member, last)) return;
    const same = newest.findIndex((each) => each.actor.id === member.actor.id);
    if (same >= 0) {
      if (isNewer(newest[same] as Member, member)) return;
      newest.splice(same, 1);
    }
    const at = newest.findIndex((each) => isNewer(member, each));
    newest.splice(at < 0 ? newest.length : at, 0, member);
    if (newest.length > shownMax) newest.pop();
  }
}

function isNewer(a: Member, b: Member): boolean {
  return a.countedAtMs > b.countedAtMs || (a.countedAtMs === b.countedAtMs && a.actor.id < b.actor.id);
}
