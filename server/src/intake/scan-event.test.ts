import assert from 'node:assert/strict';
import { isUtf8 } from 'node:buffer';
import { describe, test } from 'node:test';
import type { Event } from '@carillon/contract/event.ts';
import fc from 'fast-check';
import { CarillonError } from '../base/carillon-error.ts';
import { recordFields } from '../log/record.ts';
import { eventValue, jsonTextOf, plainEvent } from './event-arbitrary.ts';
import { EventScanner } from './scan-event.ts';
import { validateEvent } from './validate-event.ts';

/** What a scan found, as values. */
function found(scanner: EventScanner, buffer: Buffer, start: number): Record<string, unknown> {
  const values: Record<string, unknown> = { timeMs: scanner.timeMs, seq: scanner.seq, to: scanner.to };
  for (const [index, name] of recordFields.entries()) {
    const from = start + (scanner.ranges[index * 2] as number);
    const length = scanner.ranges[index * 2 + 1] as number;
    const raw = buffer.toString('utf8', from, from + length);
    const isObject = name === 'actor' || name === 'object' || name === 'data';
    values[name] = length === 0 ? undefined : JSON.parse(isObject ? raw : `"${raw}"`);
  }
  const recipients = buffer.toString('utf8', scanner.toStart, scanner.toEnd);
  values.recipients = JSON.parse(scanner.to === 'users' ? recipients : `"${recipients}"`);
  values.mentions =
    scanner.mentionsEnd === 0
      ? undefined
      : JSON.parse(buffer.toString('utf8', scanner.mentionsStart, scanner.mentionsEnd));
  return values;
}

/** The same from the parsed event. */
function expected(event: Event): Record<string, unknown> {
  const to = Object.entries(event.to)[0] as [string, unknown];
  return {
    timeMs: Math.floor(Date.parse(event.time.toUpperCase())),
    seq: event.seq ?? Number.NaN,
    to: to[0],
    source: event.source,
    id: event.id,
    type: event.type,
    actor: event.actor,
    actorId: event.actor?.id,
    object: event.object,
    objectKind: event.object?.kind,
    objectId: event.object?.id,
    objectOwner: event.object?.owner,
    parentKind: event.object?.parent?.kind,
    parentId: event.object?.parent?.id,
    data: event.data,
    recipients: to[1],
    mentions: event.data?.mentions,
  };
}

function slowly(bytes: Buffer): Buffer | null {
  try {
    return validateEvent(bytes);
  } catch (error) {
    assert.ok(error instanceof CarillonError, String(error));
    return null;
  }
}

const scanner = new EventScanner();
const runs = { numRuns: 10_000 };

describe('the event scanner', () => {
  test('takes a plain event, wherever it lies in the buffer', () => {
    const text = JSON.stringify(plainEvent);
    const buffer = Buffer.from(`xx${text}{"id":`);
    assert.equal(scanner.scan(buffer, 2, 2 + text.length), true);
    assert.deepEqual(found(scanner, buffer, 2), expected(plainEvent as Event));
  });

  test('whatever it accepts the slow path accepts, with the same fields', () => {
    let fast = 0;
    fc.assert(
      fc.property(jsonTextOf(eventValue), (text) => {
        const buffer = Buffer.from(`\n${text}`);
        // The caller has checked this once for the whole body.
        if (!isUtf8(buffer) || !scanner.scan(buffer, 1, buffer.length)) return;
        fast++;
        const before = found(scanner, buffer, 1);
        const canonical = slowly(buffer.subarray(1));
        assert.ok(canonical, 'accepted fast, refused slowly');
        assert.deepEqual(before, expected(JSON.parse(canonical.toString()) as Event));
      }),
      runs,
    );
    assert.ok(fast > 300, `only ${fast} events took the fast path`);
  });

  test('whatever the slow path accepts fits in its canonical form, with the same fields', () => {
    let slow = 0;
    fc.assert(
      fc.property(jsonTextOf(eventValue), (text) => {
        const canonical = slowly(Buffer.from(text));
        if (!canonical) return;
        slow++;
        assert.equal(scanner.scan(canonical, 0, canonical.length, true), true, canonical.toString());
        assert.deepEqual(found(scanner, canonical, 0), expected(JSON.parse(text) as Event));
      }),
      { numRuns: 3000 },
    );
    assert.ok(slow > 300, `only ${slow} events were valid`);
  });

  const looksCloser: [string, string][] = [
    ['a key given twice', '"id":"x","id":"x"'],
    ['a key given twice in data', '"data":{"a":1,"a":1}'],
    ['an integer written as 1e3', '"seq":1e3'],
    ['an escape in an id', '"id":"\\u0041"'],
  ];
  for (const [what, part] of looksCloser) {
    test(`leaves ${what} to the slow path`, () => {
      const text = JSON.stringify({ ...plainEvent, id: undefined, seq: undefined, data: undefined });
      const id = part.includes('"id"') ? '' : '"id":"e",';
      const buffer = Buffer.from(`{${id}${part},${text.slice(1)}`);
      assert.equal(scanner.scan(buffer, 0, buffer.length), false);
    });
  }
});
