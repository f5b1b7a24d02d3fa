/**
 * Reads JSON from outside (E5, S5): UTF-8 that is whole, bounded depth, text that any store can hold, numbers that a
 * double holds exactly, and no key given twice in one object or meant to reach a prototype.
 * What gets past here can be stored and sent on anywhere.
 */
import { isUtf8 } from 'node:buffer';
import { CarillonError, type FieldError } from './carillon-error.ts';
import { escapePointer } from './field-errors.ts';

/** Throws CARILLON_REQUEST_MALFORMED for what is no JSON, `invalid` with the fields for what may not be in it. */
export function readJson(
  body: Uint8Array,
  depthMax: number,
  invalid: 'CARILLON_REQUEST_INVALID' | 'CARILLON_EVENT_INVALID',
): unknown {
  if (!isUtf8(body)) throw new CarillonError('CARILLON_REQUEST_MALFORMED', 'The body is not valid UTF-8.');
  const text = Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('utf8');
  // Before parsing: JSON.parse would go as deep as it is led.
  if (nesting(text) > depthMax) {
    throw new CarillonError(invalid, 'The JSON is nested too deeply.', {
      fields: [{ path: '', detail: `Nested deeper than ${depthMax} levels.` }],
    });
  }
  const value = parse(text);
  const fields = unfitParts(value);
  const twice = repeatedKey(text);
  if (twice !== null)
    fields.push({ path: '', detail: `The key ${JSON.stringify(twice)} is given twice in one object.` });
  if (fields.length > 0) throw new CarillonError(invalid, 'The JSON holds what cannot be stored.', { fields });
  return value;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The parser's own message quotes the body, which must not travel into logs.
    throw new CarillonError('CARILLON_REQUEST_MALFORMED', 'The body is not well-formed JSON.');
  }
}

/** Greatest depth of brackets outside strings. */
function nesting(text: string): number {
  let depth = 0;
  let deepest = 0;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit === 0x22) at = stringEnd(text, at) - 1;
    else if (unit === 0x7b || unit === 0x5b) deepest = Math.max(deepest, ++depth);
    else if (unit === 0x7d || unit === 0x5d) depth--;
  }
  return deepest;
}

/** Index behind the string whose opening quote is at `start`. */
function stringEnd(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text.charCodeAt(at) !== 0x22) at += text.charCodeAt(at) === 0x5c ? 2 : 1;
  return at + 1;
}

/** Pointers to texts with NUL or lone surrogates, numbers above 2^53 − 1 and keys that would reach a prototype. */
function unfitParts(value: unknown): FieldError[] {
  const fields: FieldError[] = [];
  visit(value, '', fields);
  return fields;
}

function visit(value: unknown, path: string, fields: FieldError[]): void {
  if (fields.length >= 16) return;
  if (typeof value === 'string') checkText(value, path, fields);
  else if (typeof value === 'number' && !(Math.abs(value) <= Number.MAX_SAFE_INTEGER)) {
    fields.push({ path, detail: 'Numbers may not exceed 2^53 - 1: send it as a string.' });
  } else if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) visit(value[index], `${path}/${index}`, fields);
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, part] of Object.entries(value)) {
      const at = `${path}/${escapePointer(key)}`;
      if (key === '__proto__') fields.push({ path: at, detail: 'Is not a known field.' });
      checkText(key, at, fields);
      visit(part, at, fields);
    }
  }
}

function checkText(text: string, path: string, fields: FieldError[]): void {
  if (!text.isWellFormed()) fields.push({ path: path.toWellFormed(), detail: 'Holds half of a surrogate pair.' });
  else if (text.includes('\0')) fields.push({ path: path.replaceAll('\0', '\\0'), detail: 'Holds a NUL character.' });
}

/** The first key given twice in one object, in well-formed JSON. JSON.parse would keep the last in silence. */
function repeatedKey(text: string): string | null {
  const open: (Set<string> | null)[] = [];
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit === 0x7b) open.push(new Set());
    else if (unit === 0x5b) open.push(null);
    else if (unit === 0x7d || unit === 0x5d) open.pop();
    else if (unit === 0x22) {
      const end = stringEnd(text, at);
      const keys = open.at(-1);
      if (keys && isKey(text, end)) {
        const key = JSON.parse(text.slice(at, end)) as string;
        if (keys.has(key)) return key.toWellFormed();
        keys.add(key);
      }
      at = end - 1;
    }
  }
  return null;
}

/** Whether a colon follows. */
function isKey(text: string, from: number): boolean {
  let at = from;
  while (text.charCodeAt(at) === 0x20 || (text.charCodeAt(at) >= 0x09 && text.charCodeAt(at) <= 0x0d)) at++;
  return text.charCodeAt(at) === 0x3a;
}
