import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { binaryAttributes } from '../cloud-events.ts';
import { requestHeaders, type TopicHeader, type TopicMessage } from './topic-message.ts';

function message(headers: readonly TopicHeader[]): TopicMessage {
  return { topic: 'events', partition: 0, offset: 7, timestampMs: 0, key: null, value: Buffer.from('{}'), headers };
}

const header = (name: string, value: string): TopicHeader => [Buffer.from(name), Buffer.from(value)];

test('E4: without a content type a message is JSON; names are matched in any case; the last of several counts', () => {
  assert.deepEqual(requestHeaders(message([])), { 'content-type': 'application/json' });
  const headers = [header('Content-Type', 'text/plain'), header('CONTENT-TYPE', 'application/x-ndjson')];
  assert.deepEqual(requestHeaders(message(headers)), { 'content-type': 'application/x-ndjson' });
});

test('E4: of other headers only those of CloudEvents are looked at', () => {
  const headers = [
    header('authorization', 'secret'),
    header('__proto__', 'x'),
    [null, Buffer.from('x')] as TopicHeader,
  ];
  assert.deepEqual(requestHeaders(message(headers)), { 'content-type': 'application/json' });
  assert.equal(requestHeaders(message([header('ce_id', 'a-1')]))['ce-id'], 'a-1');
});

test('E4: any text of a ce_ header arrives as it was written', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      fc.pre(!text.includes('\0') && text.isWellFormed());
      const headers = requestHeaders(message([header('ce_specversion', '1.0'), header('ce_id', text)]));
      assert.equal(binaryAttributes(headers).id, text);
    }),
  );
  const quoted = requestHeaders(message([header('ce_specversion', '1.0'), header('ce_id', '"50%25"')]));
  assert.equal(binaryAttributes(quoted).id, '"50%25"');
});

test('E5: bytes that are no UTF-8 in a ce_ header are refused', () => {
  const headers: TopicHeader[] = [header('ce_specversion', '1.0'), [Buffer.from('ce_id'), Buffer.from([0xff])]];
  assert.throws(() => binaryAttributes(requestHeaders(message(headers))), { code: 'CARILLON_EVENT_INVALID' });
});
