/** The notes of one person in memory: asked before anything is told, changed by what is, and written with the rows. */
import { fingerprintOf } from '../base/hash.ts';
import type { NotificationId } from '../base/ids.ts';
import { nextRevision } from '../base/revision.ts';
import {
  type CapRules,
  type CapState,
  capFor,
  capKey,
  cappedUntilMs,
  letGo,
  noteHeld,
  noteSent,
  nothingSent,
  roomFor,
} from '../decide/caps.ts';
import type { ChannelPolicy } from '../decide/channel-policy.ts';
import { decodeNotes, encodeNotes, noNotes, type PersonNotes } from '../decide/person-notes.ts';
import type { StoredNotes } from '../inbox/item.ts';

type Channel = 'push' | 'email';
type CappedType = Pick<ChannelPolicy, 'category' | 'lane' | 'critical'>;

/** 36^6 names: of the few hundred that one category holds, two are the same once in some ten thousand days. */
const tellingNames = 36 ** 6;

export class Notes {
  #notes: PersonNotes;
  /** When it was changed; null while the store has it all. */
  #changedAtMs: number | null = null;

  /** `text`: as stored; empty where nothing is. */
  constructor(text: string) {
    this.#notes = text === '' ? noNotes : decodeNotes(text);
  }

  get isDirty(): boolean {
    return this.#changedAtMs !== null;
  }

  get digestDate(): string | null {
    return this.#notes.digestDate;
  }

  /** See `caps.ts`; null for what is not capped. */
  cappedUntilMs(rules: CapRules, type: CappedType, channel: Channel, at: { telling: string | null; nowMs: number }) {
    const cap = capFor(rules, type, channel);
    return cap === null ? null : cappedUntilMs(this.#state(type, channel), cap, at.telling, at.nowMs);
  }

  /** How many more of this type may be sent now; infinite for what is not capped. */
  room(rules: CapRules, type: CappedType, channel: Channel, nowMs: number): number {
    const cap = capFor(rules, type, channel);
    return cap === null ? Number.POSITIVE_INFINITY : roomFor(this.#state(type, channel), cap, nowMs);
  }

  /** Answers whether it is capped, and so counts. */
  sent(rules: CapRules, type: CappedType, channel: Channel, at: { telling: string; nowMs: number }): boolean {
    if (capFor(rules, type, channel) === null) return false;
    this.#cap(capKey(type, channel), noteSent(this.#state(type, channel), at.telling, at.nowMs), at.nowMs);
    return true;
  }

  held(type: CappedType, channel: Channel, untilMs: number, nowMs: number): void {
    this.#cap(capKey(type, channel), noteHeld(this.#state(type, channel), untilMs), nowMs);
  }

  /** What this channel holds until now is let go. */
  letGo(channel: Channel, nowMs: number): void {
    for (const [key, state] of this.#notes.caps) {
      if (key.startsWith(`${channel} `)) this.#cap(key, letGo(state, nowMs), nowMs);
    }
  }

  digestMade(digestDate: string, nowMs: number): void {
    if (digestDate > (this.#notes.digestDate ?? '')) this.#change({ digestDate }, nowMs);
  }

  /** Null where the store has it all. */
  toWrite(): StoredNotes | null {
    if (this.#changedAtMs === null) return null;
    return { revision: this.#notes.revision, text: encodeNotes(this.#notes, this.#changedAtMs) };
  }

  written(): void {
    this.#changedAtMs = null;
  }

  #state(type: CappedType, channel: Channel): CapState {
    return this.#notes.caps.get(capKey(type, channel)) ?? nothingSent;
  }

  #cap(key: string, state: CapState, nowMs: number): void {
    if (state === (this.#notes.caps.get(key) ?? nothingSent)) return;
    this.#change({ caps: new Map(this.#notes.caps).set(key, state) }, nowMs);
  }

  #change(change: Partial<PersonNotes>, nowMs: number): void {
    this.#notes = { ...this.#notes, ...change, revision: nextRevision(this.#notes.revision, nowMs) };
    this.#changedAtMs = nowMs;
  }
}

/** What a telling is called among those that were counted. */
export function tellingName(notification: NotificationId, number: number): string {
  return (fingerprintOf(`${notification} ${number}`) % tellingNames).toString(36);
}
