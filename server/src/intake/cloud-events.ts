/**
 * CloudEvents 1.0 (E2): `id`, `source`, `type`, `time` and `traceparent` are ours by name; everything else of an event
 * (`actor`, `object`, `to`, `seq`, `data`) lies inside the CloudEvent's `data`. Other attributes are left aside, as the
 * specification asks. Error paths point into what was sent.
 */
import { isUtf8 } from 'node:buffer';
import type { IncomingHttpHeaders } from 'node:http';
import { CarillonError } from '../base/carillon-error.ts';
import { limits } from '../base/limits.ts';
import { readJson } from '../base/read-json.ts';
import { canonicalEvent, eventTooLarge, invalidEvent } from './validate-event.ts';

/** Makes the canonical bytes of our event from one part of a body, or throws what is wrong with it. */
export type EventReader = (part: Uint8Array) => Buffer;

const attributeNames = ['id', 'source', 'type', 'time', 'traceparent'];
type Attributes = Record<string, unknown>;

/** Where things lie in what was sent, for error paths. */
interface Places {
  attribute(name: string): string;
  readonly data: string;
}

const structured: Places = { attribute: (name) => `/${name}`, data: '/data' };
const binary: Places = { attribute: (name) => `header/ce-${name}`, data: '' };

export function readStructuredEvent(part: Uint8Array): Buffer {
  // The envelope is a level of its own.
  const value = readPart(part, limits.jsonDepthMax + 1);
  if (!isObject(value)) throw invalidEvent([{ path: '', detail: 'Must be a CloudEvent object.' }]);
  if (value.specversion !== '1.0') throw invalidEvent([{ path: '/specversion', detail: 'Must be "1.0".' }]);
  if (value.data_base64 !== undefined) {
    throw invalidEvent([{ path: '/data_base64', detail: 'The data must be JSON, in `data`.' }]);
  }
  const type = value.datacontenttype;
  if (type !== undefined && !(typeof type === 'string' && /^application\/([a-z0-9.-]+\+)?json *(;|$)/i.test(type))) {
    throw invalidEvent([{ path: '/datacontenttype', detail: 'Must be application/json.' }]);
  }
  return joined(value, value.data, structured);
}

export function readBinaryEvent(attributes: Attributes, part: Uint8Array): Buffer {
  return joined(attributes, readPart(part, limits.jsonDepthMax), binary);
}

/** The attributes that the `ce-` headers carry. Throws CARILLON_EVENT_INVALID for a value that cannot be decoded. */
export function binaryAttributes(headers: IncomingHttpHeaders): Attributes {
  const attributes: Attributes = {};
  if (headers['ce-specversion'] !== '1.0') {
    throw invalidEvent([{ path: 'header/ce-specversion', detail: 'Must be "1.0".' }]);
  }
  for (const name of attributeNames) {
    const header = headers[`ce-${name}`] ?? (name === 'traceparent' ? headers.traceparent : undefined);
    if (header !== undefined) attributes[name] = decodeHeader(String(header), `header/ce-${name}`);
  }
  return attributes;
}

/** Unquotes, then undoes percent-encoding exactly once. Node reads header bytes as Latin-1. */
function decodeHeader(header: string, path: string): string {
  const quoted = /^"((?:[^"\\]|\\.)*)"$/.exec(header)?.[1];
  const value = quoted === undefined ? header : quoted.replace(/\\(.)/g, '$1');
  if (/%(?![0-9a-f]{2})/i.test(value)) throw invalidEvent([{ path, detail: 'Holds a "%" that encodes nothing.' }]);
  const bytes = Buffer.from(
    value.replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    'latin1',
  );
  if (!isUtf8(bytes)) throw invalidEvent([{ path, detail: 'Is not valid UTF-8 once decoded.' }]);
  const text = bytes.toString('utf8');
  if (text.includes('\0')) throw invalidEvent([{ path, detail: 'Holds a NUL character.' }]);
  return text;
}

function readPart(part: Uint8Array, depthMax: number): unknown {
  if (part.length > limits.eventBytesMax) throw eventTooLarge();
  return readJson(part, depthMax, 'CARILLON_EVENT_INVALID');
}

function joined(attributes: Attributes, data: unknown, places: Places): Buffer {
  if (!isObject(data)) throw invalidEvent([{ path: places.data, detail: 'Must be an object.' }]);
  const misplaced = attributeNames.filter((name) => Object.hasOwn(data, name));
  if (misplaced.length > 0) {
    throw invalidEvent(
      misplaced.map((name) => ({ path: `${places.data}/${name}`, detail: 'Belongs to the attributes.' })),
    );
  }
  const event: Attributes = { ...data };
  for (const name of attributeNames) if (attributes[name] !== undefined) event[name] = attributes[name];
  try {
    return canonicalEvent(event);
  } catch (error) {
    if (!(error instanceof CarillonError)) throw error;
    const fields = error.fields.map(({ path, detail }) => ({ path: placeOf(path, places), detail }));
    throw error.code === 'CARILLON_EVENT_INVALID'
      ? invalidEvent(fields)
      : new CarillonError(error.code, error.message, { fields });
  }
}

function placeOf(path: string, places: Places): string {
  const name = path.slice(1);
  return attributeNames.includes(name) ? places.attribute(name) : `${places.data}${path}`;
}

function isObject(value: unknown): value is Attributes {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
