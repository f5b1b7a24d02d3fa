/**
 * The slow path of validation: says precisely what is wrong with an event, or brings an unusual but valid one (escapes,
 * odd numbers, long texts, CloudEvents) into the canonical form that the scanner takes.
 * This is the judge: the scanner may only accept what this accepts.
 */
import { Event } from '@carillon/contract/event.ts';
import type { TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import { CarillonError, type FieldError } from '../base/carillon-error.ts';
import { fieldErrors } from '../base/field-errors.ts';
import { limits } from '../base/limits.ts';
import { readJson } from '../base/read-json.ts';
import { readTime } from './read-time.ts';

const eventSchema = Compile(Event);

/** Throws CARILLON_EVENT_INVALID, _MENTIONS_TOO_MANY, CARILLON_REQUEST_MALFORMED or _TOO_LARGE. Answers canonical bytes. */
export function validateEvent(bytes: Uint8Array): Buffer {
  if (bytes.length > limits.eventBytesMax) throw eventTooLarge();
  return canonicalEvent(readJson(bytes, limits.jsonDepthMax, 'CARILLON_EVENT_INVALID'));
}

/** The same for a value that `readJson` has let through. */
export function canonicalEvent(value: unknown): Buffer {
  checkMentions(value);
  if (!eventSchema.Check(value)) throw invalidEvent(fieldErrors(eventSchema, value));
  const fields: FieldError[] = [];
  // The schema library counts what a reader sees as one character, however long; a store counts what it is made of.
  collectOverlong(Event, value, '', fields);
  const time = Buffer.from(value.time);
  if (Number.isNaN(readTime(time, 0, time.length))) {
    fields.push({ path: '/time', detail: 'Must be an RFC 3339 date and time with an offset, without a leap second.' });
  }
  if (fields.length > 0) throw invalidEvent(fields);
  const canonical = Buffer.from(JSON.stringify(value));
  // Exponents written out may have made it longer.
  if (canonical.length >= limits.eventBytesMax) throw eventTooLarge();
  return canonical;
}

export function invalidEvent(fields: readonly FieldError[]): CarillonError {
  const first = fields[0];
  const detail =
    first === undefined ? 'The event does not fit its schema.' : `${first.path || 'The event'}: ${first.detail}`;
  return new CarillonError('CARILLON_EVENT_INVALID', detail, { fields });
}

export function eventTooLarge(): CarillonError {
  return new CarillonError('CARILLON_REQUEST_TOO_LARGE', `An event may have ${limits.eventBytesMax} bytes at most.`);
}

export function tooManyMentions(path: string): CarillonError {
  const fields = [{ path, detail: `Names more than ${limits.mentionsMax} people.` }];
  return new CarillonError('CARILLON_EVENT_MENTIONS_TOO_MANY', `${path}: more than ${limits.mentionsMax} people.`, {
    fields,
  });
}

/** Before the schema, which would only call it an array too long [BC-07]. */
function checkMentions(value: unknown): void {
  const mentions = (value as { data?: { mentions?: unknown } } | null)?.data?.mentions;
  if (Array.isArray(mentions) && mentions.length > limits.mentionsMax) throw tooManyMentions('/data/mentions');
}

interface AnySchema {
  readonly maxLength?: number;
  readonly properties?: Readonly<Record<string, TSchema>>;
  readonly items?: TSchema;
  readonly anyOf?: readonly TSchema[];
}

/** Texts of more code points than the schema allows. */
function collectOverlong(schema: TSchema, value: unknown, path: string, fields: FieldError[]): void {
  const { maxLength, properties, items, anyOf } = schema as AnySchema;
  if (typeof value === 'string') {
    if (maxLength !== undefined && value.length > maxLength && codePoints(value) > maxLength) {
      fields.push({ path, detail: `Must not have more than ${maxLength} characters.` });
    }
  } else if (Array.isArray(value)) {
    if (items) for (const [index, item] of value.entries()) collectOverlong(items, item, `${path}/${index}`, fields);
  } else if (typeof value === 'object' && value !== null && properties) {
    for (const [name, property] of Object.entries(properties)) {
      const part = (value as Record<string, unknown>)[name];
      if (part !== undefined) collectOverlong(property, part, `${path}/${name}`, fields);
    }
  }
  for (const branch of anyOf ?? []) collectOverlong(branch, value, path, fields);
}

function codePoints(text: string): number {
  let points = 0;
  for (const _ of text) points++;
  return points;
}
