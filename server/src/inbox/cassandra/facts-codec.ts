/**
 * Marks and what else is known of a person, as single facts that Cassandra merges by itself: each is one entry of a
 * map, so one cell, and of two values the one with the greater timestamp stays, and of equal timestamps the greater
 * value. The timestamp is what the rule goes by (`merge-marks.ts`), and values are written so that they sort the same:
 *
 *   of a person  readThrough   `<revision>:<version>`, timestamp: the revision; of equal ones the later
 *                seenThrough, version, deep, trimmed   a revision, which is its own timestamp
 *                hasItems      there once an item had marks of its own
 *                notes         as they are, timestamp: their own revision
 *   of an item   read, seen, archived, snoozed         `<version>:<value>`, timestamp: the version
 */
import type { NotificationId, Revision } from '../../base/ids.ts';
import type { MarksPatch } from '../inbox-store.ts';
import type { ItemMark } from '../item.ts';
import type { MarkPatch, ThroughMarks } from '../merge-marks.ts';

/** As the driver gives a map; null where nothing is known. */
export type Facts = Readonly<Record<string, string>> | null;

/** One cell to write. */
export interface Fact {
  readonly name: string;
  readonly value: string;
  readonly timestamp: Revision;
}

const digits = 16;

export function throughFacts(patch: MarksPatch): Fact[] {
  const { version, readThrough = 0, seenThrough = 0 } = patch;
  const facts = [revisionFact('version', version)];
  if (readThrough > 0) {
    facts.push({ name: 'readThrough', value: `${padded(readThrough)}:${padded(version)}`, timestamp: readThrough });
  }
  if (seenThrough > 0) facts.push(revisionFact('seenThrough', seenThrough));
  if ((patch.items ?? []).length > 0) facts.push({ name: 'hasItems', value: '', timestamp: version });
  return facts;
}

export function itemFacts(patch: MarkPatch, version: Revision): Fact[] {
  const facts: Fact[] = [];
  const add = (name: string, value: string | undefined): void => {
    if (value !== undefined) facts.push({ name, value: `${padded(version)}:${value}`, timestamp: version });
  };
  add('read', flag(patch.read));
  add('seen', flag(patch.seen));
  add('archived', flag(patch.archived));
  const until = patch.snoozedUntilMs;
  // Nothing sorts before every time.
  add('snoozed', until === null ? '' : until === undefined ? undefined : padded(until));
  return facts;
}

/** A revision of which the greatest ever written stays. */
export function revisionFact(name: 'seenThrough' | 'version' | 'deep' | 'trimmed', revision: Revision): Fact {
  return { name, value: padded(revision), timestamp: revision };
}

export function throughOf(facts: Facts): ThroughMarks {
  const [readThrough, readThroughVersion] = (facts?.readThrough ?? '0:0').split(':').map(Number) as [number, number];
  return {
    readThrough,
    readThroughVersion,
    seenThrough: revisionOf(facts, 'seenThrough'),
    version: revisionOf(facts, 'version'),
  };
}

export function hasItemMarks(facts: Facts): boolean {
  return facts?.hasItems !== undefined;
}

/** See `PersonHead.deepRevision`. */
export function deepRevisionOf(facts: Facts): Revision {
  return Math.max(revisionOf(facts, 'deep'), revisionOf(facts, 'trimmed'));
}

/** The marks of those rows that have any. */
export function itemMarksOf(
  rows: readonly { readonly id: string; readonly facts: Facts }[],
): Map<NotificationId, ItemMark> {
  const marks = new Map<NotificationId, ItemMark>();
  for (const { id, facts } of rows) if (facts !== null) marks.set(id as NotificationId, itemMarkOf(facts));
  return marks;
}

function itemMarkOf(facts: NonNullable<Facts>): ItemMark {
  const mark: { -readonly [Name in keyof ItemMark]: ItemMark[Name] } = {};
  for (const [name, text] of Object.entries(facts)) {
    const version = Number(text.slice(0, digits));
    const value = text.slice(digits + 1);
    if (name === 'snoozed') mark.snoozedUntilMs = { value: value === '' ? null : Number(value), version };
    else if (name === 'read' || name === 'seen' || name === 'archived') mark[name] = { value: value === '1', version };
  }
  return mark;
}

function revisionOf(facts: Facts, name: string): Revision {
  return Number(facts?.[name] ?? 0);
}

function flag(value: boolean | undefined): string | undefined {
  return value === undefined ? undefined : value ? '1' : '0';
}

function padded(value: number): string {
  return String(value).padStart(digits, '0');
}
