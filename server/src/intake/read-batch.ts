/**
 * From a request body to the places of its events (E2): one JSON object, a JSON array, NDJSON, or CloudEvents in their
 * structured, batch and binary forms. Nothing is parsed here but brackets and line ends: one bad event must not fail
 * its neighbours, so each is judged by itself later. Only a body that has no readable parts is refused as a whole.
 */
import { isUtf8 } from 'node:buffer';
import type { IncomingHttpHeaders } from 'node:http';
import { CarillonError } from '../base/carillon-error.ts';
import { limits } from '../base/limits.ts';
import { binaryAttributes, type EventReader, readBinaryEvent, readStructuredEvent } from './cloud-events.ts';

export type BodyForm = 'json' | 'ndjson' | 'cloudEvent' | 'cloudEventBatch' | 'cloudEventBinary';

export interface EventBatch {
  readonly bytes: Buffer;
  /** Start and end of each event. */
  readonly spans: Int32Array;
  readonly count: number;
  /** One event by itself: an error of it is the request's. */
  readonly single: boolean;
  /** Makes canonical event bytes of a part that is no event as it lies; null where the parts are events already. */
  readonly convert: EventReader | null;
  /** All bytes are valid UTF-8, so that no part needs to be looked at again. */
  readonly isUtf8: boolean;
}

const forms: Readonly<Record<string, BodyForm>> = {
  'application/json': 'json',
  'application/x-ndjson': 'ndjson',
  'application/cloudevents+json': 'cloudEvent',
  'application/cloudevents-batch+json': 'cloudEventBatch',
};

/** Decides from the headers alone, before the body is read. Throws CARILLON_REQUEST_MEDIA_TYPE. */
export function bodyForm(headers: IncomingHttpHeaders): BodyForm {
  const encoding = headers['content-encoding'];
  if (encoding !== undefined && encoding !== 'identity')
    throw mediaType(`Content-Encoding "${encoding}" is not taken.`);
  const [name = '', ...parameters] = (headers['content-type'] ?? '')
    .toLowerCase()
    .split(';')
    .map((part) => part.trim());
  const charset = parameters.find((parameter) => parameter.startsWith('charset='))?.slice('charset='.length);
  if (charset !== undefined && charset.replaceAll('"', '') !== 'utf-8') throw mediaType('The charset must be UTF-8.');
  const isJson = name === 'application/json' || /^application\/[a-z0-9.-]+\+json$/.test(name);
  if (headers['ce-specversion'] !== undefined && !name.startsWith('application/cloudevents')) {
    if (!isJson) throw mediaType('The data of a CloudEvent must be JSON.');
    return 'cloudEventBinary';
  }
  const form = Object.hasOwn(forms, name) ? forms[name] : undefined;
  if (form === undefined) throw mediaType(`Content types taken here: ${Object.keys(forms).join(', ')}.`);
  return form;
}

/** Throws CARILLON_REQUEST_MALFORMED or _TOO_LARGE. */
export function readBatch(form: BodyForm, body: Buffer, headers: IncomingHttpHeaders): EventBatch {
  const bytes = body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf ? body.subarray(3) : body;
  if (bytes.length > limits.batchBytesMax) throw tooLarge(`A body may have ${limits.batchBytesMax} bytes at most.`);
  const whole = isUtf8(bytes);
  // Lines are told apart whatever is in them; anything else cannot be read past bytes that are no text.
  if (!whole && form !== 'ndjson') throw malformed('The body is not valid UTF-8.');
  const first = firstByte(bytes);
  if (first === bytes.length && form !== 'ndjson') throw malformed('The body is empty.');
  if (form === 'ndjson') return { ...lines(bytes), bytes, single: false, convert: null, isUtf8: whole };
  const isList = form === 'cloudEventBatch' || (form === 'json' && bytes[first] === 0x5b);
  const spans = isList ? elements(bytes, first) : { spans: Int32Array.of(0, bytes.length), count: 1 };
  return { ...spans, bytes, single: !isList, convert: converter(form, headers), isUtf8: true };
}

function converter(form: BodyForm, headers: IncomingHttpHeaders): EventReader | null {
  if (form === 'cloudEvent' || form === 'cloudEventBatch') return readStructuredEvent;
  if (form !== 'cloudEventBinary') return null;
  const attributes = binaryAttributes(headers);
  return (part) => readBinaryEvent(attributes, part);
}

interface Spans {
  readonly spans: Int32Array;
  readonly count: number;
}

/** Lines with something in them. */
function lines(bytes: Buffer): Spans {
  const spans = new Int32Array(2 * limits.batchEventsMax);
  let count = 0;
  let start = 0;
  while (start < bytes.length) {
    const newline = bytes.indexOf(0x0a, start);
    const end = newline < 0 ? bytes.length : newline;
    if (!isBlank(bytes, start, end)) count = addSpan(spans, count, start, end);
    start = end + 1;
  }
  return { spans, count };
}

/** Elements of the array whose bracket is at `open`: what lies between commas outside all inner brackets and strings. */
function elements(bytes: Buffer, open: number): Spans {
  if (bytes[open] !== 0x5b) throw malformed('The body is not a JSON array.');
  const spans = new Int32Array(2 * limits.batchEventsMax);
  let count = 0;
  let start = open + 1;
  let depth = 1;
  let at = start;
  for (; depth > 0; at++) {
    const byte = bytes[at];
    if (byte === undefined) throw malformed('The array does not end.');
    if (byte === 0x22) at = stringEnd(bytes, at);
    else if (byte === 0x7b || byte === 0x5b) depth++;
    else if (byte === 0x7d || byte === 0x5d) depth--;
    if (depth === 0 ? byte !== 0x5d : depth > 1 || byte !== 0x2c) {
      if (depth === 0) throw malformed('The brackets of the array do not match.');
      continue;
    }
    const blank = isBlank(bytes, start, at);
    if (blank && !(depth === 0 && count === 0)) throw malformed('The array has an empty place.');
    if (!blank) count = addSpan(spans, count, start, at);
    start = at + 1;
  }
  if (!isBlank(bytes, at, bytes.length)) throw malformed('Something follows the array.');
  return { spans, count };
}

/** Index of the quote that closes the string opened at `open`. */
function stringEnd(bytes: Buffer, open: number): number {
  for (let at = open + 1; at < bytes.length; at++) {
    if (bytes[at] === 0x22) return at;
    if (bytes[at] === 0x5c) at++;
  }
  throw malformed('A string does not end.');
}

function addSpan(spans: Int32Array, count: number, start: number, end: number): number {
  if (count === limits.batchEventsMax) throw tooLarge(`A list may hold ${limits.batchEventsMax} parts at most.`);
  spans[2 * count] = start;
  spans[2 * count + 1] = end;
  return count + 1;
}

function firstByte(bytes: Buffer): number {
  let at = 0;
  while (at < bytes.length && isSpace(bytes[at] as number)) at++;
  return at;
}

function isBlank(bytes: Buffer, start: number, end: number): boolean {
  for (let at = start; at < end; at++) if (!isSpace(bytes[at] as number)) return false;
  return true;
}

function isSpace(byte: number): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

function malformed(detail: string): CarillonError {
  return new CarillonError('CARILLON_REQUEST_MALFORMED', detail);
}

function tooLarge(detail: string): CarillonError {
  return new CarillonError('CARILLON_REQUEST_TOO_LARGE', detail);
}

function mediaType(detail: string): CarillonError {
  return new CarillonError('CARILLON_REQUEST_MEDIA_TYPE', detail);
}
