import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { CarillonError } from '../base/carillon-error.ts';
import { plainEvent } from './event-arbitrary.ts';
import { bodyForm, readBatch } from './read-batch.ts';

/** The parts of a body as texts. */
function parts(text: string, form: 'json' | 'ndjson' = 'json'): string[] {
  const { bytes, spans, count } = readBatch(form, Buffer.from(text), {});
  return Array.from({ length: count }, (_, at) => bytes.toString('utf8', spans[2 * at], spans[2 * at + 1]));
}

describe('a body is divided into its events', () => {
  test('an array into what JSON.parse finds in it', () => {
    fc.assert(
      fc.property(fc.array(fc.jsonValue(), { maxLength: 20 }), fc.nat(3), (values, indent) => {
        const found = parts(JSON.stringify(values, null, indent)).map((part) => JSON.parse(part));
        assert.deepEqual(found, JSON.parse(JSON.stringify(values)));
      }),
      { numRuns: 1000 },
    );
  });

  test('an array either way JSON.parse would take it, or it is refused, or a part of it is bad', () => {
    const pieces = fc.constantFrom('[', ']', '{', '}', ',', '1', '"a"', '"', '\\', ' ', ':', 'null');
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 12 }), (soup) => {
        const text = `[${soup.join('')}`;
        let found: string[];
        try {
          found = parts(text);
        } catch (error) {
          assert.ok(error instanceof CarillonError && error.code === 'CARILLON_REQUEST_MALFORMED');
          assert.throws(() => JSON.parse(text));
          return;
        }
        const whole = safely(text);
        if (whole !== undefined) assert.deepEqual(found.map(safely), whole);
        else
          assert.ok(
            found.some((part) => safely(part) === undefined),
            `${text} has a bad part`,
          );
      }),
      { numRuns: 5000 },
    );
  });

  test('lines, with or without carriage returns and a last line end', () => {
    assert.deepEqual(parts('{"a":1}\r\n\n  \n{"b":2}', 'ndjson'), ['{"a":1}\r', '{"b":2}']);
    assert.deepEqual(parts('', 'ndjson'), []);
  });

  test('a byte order mark is passed over', () => {
    assert.deepEqual(parts('\ufeff{"a":1}'), ['{"a":1}']);
  });
});

function safely(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

describe('CloudEvents', () => {
  const { id, source, type, time, ...data } = plainEvent;
  const envelope = { specversion: '1.0', id, source, type, time, data };
  const traceparent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;

  function structured(change: object): unknown {
    const batch = readBatch('cloudEvent', Buffer.from(JSON.stringify({ ...envelope, ...change })), {});
    return JSON.parse(String(batch.convert?.(batch.bytes)));
  }

  function binary(headers: Record<string, string>, body: unknown = data): unknown {
    const all = {
      'ce-specversion': '1.0',
      'ce-id': id,
      'ce-source': source,
      'ce-type': type,
      'ce-time': time,
      ...headers,
    };
    const batch = readBatch('cloudEventBinary', Buffer.from(JSON.stringify(body)), all);
    return JSON.parse(String(batch.convert?.(batch.bytes)));
  }

  const refusedAt = (path: string) => (error: unknown) => {
    assert.ok(error instanceof CarillonError, String(error));
    assert.deepEqual([error.code, error.fields[0]?.path], ['CARILLON_EVENT_INVALID', path]);
    return true;
  };

  test('structured: attributes and data make our event; other attributes are left aside', () => {
    assert.deepEqual(structured({ datacontenttype: 'application/json', subject: 'x', myext: 1 }), plainEvent);
    assert.deepEqual(structured({ traceparent }), { ...plainEvent, traceparent });
  });

  test('binary: headers are decoded once', () => {
    assert.deepEqual(binary({}), plainEvent);
    assert.deepEqual(binary({ 'ce-id': 'caf%C3%A9%2520' }), { ...plainEvent, id: 'café%20' });
    assert.deepEqual(binary({ 'ce-id': '"a\\"b"' }), { ...plainEvent, id: 'a"b' });
    assert.deepEqual(binary({ traceparent }), { ...plainEvent, traceparent });
  });

  test('a header that cannot be decoded is refused', () => {
    for (const value of ['%ff', '%', '%0', '%00', '\u00ff'])
      assert.throws(() => binary({ 'ce-id': value }), refusedAt('header/ce-id'));
  });

  test('errors point into what was sent', () => {
    assert.throws(() => structured({ specversion: '0.3' }), refusedAt('/specversion'));
    assert.throws(() => structured({ id: '' }), refusedAt('/id'));
    assert.throws(() => structured({ time: undefined }), refusedAt('/time'));
    assert.throws(() => structured({ data: { ...data, to: {} } }), refusedAt('/data/to'));
    assert.throws(() => structured({ data: { ...data, id: 'x' } }), refusedAt('/data/id'));
    assert.throws(() => structured({ data: 'text' }), refusedAt('/data'));
    assert.throws(() => structured({ data_base64: 'e30=' }), refusedAt('/data_base64'));
    assert.throws(() => structured({ datacontenttype: 'text/xml' }), refusedAt('/datacontenttype'));
    assert.throws(() => binary({ 'ce-time': 'yesterday' }), refusedAt('header/ce-time'));
    assert.throws(() => binary({}, { ...data, actor: {} }), refusedAt('/actor/id'));
    assert.throws(() => binary({ 'ce-specversion': '2.0' }), refusedAt('header/ce-specversion'));
  });
});

test('the form of a body follows from its headers', () => {
  const form = (type: string, more: object = {}) => bodyForm({ 'content-type': type, ...more });
  assert.equal(form('application/json'), 'json');
  assert.equal(form('Application/JSON; charset="UTF-8"'), 'json');
  assert.equal(form('application/x-ndjson'), 'ndjson');
  assert.equal(form('application/cloudevents+json; charset=utf-8'), 'cloudEvent');
  assert.equal(form('application/cloudevents-batch+json'), 'cloudEventBatch');
  assert.equal(form('application/json', { 'ce-specversion': '1.0' }), 'cloudEventBinary');
  assert.equal(form('application/cloudevents+json', { 'ce-specversion': '1.0' }), 'cloudEvent');
  for (const type of ['', 'text/json', 'application/json; charset=utf-16', 'constructor'])
    assert.throws(() => form(type), CarillonError);
  assert.throws(() => form('text/xml', { 'ce-specversion': '1.0' }), CarillonError);
});
