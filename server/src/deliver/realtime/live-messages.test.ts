import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type PersonKey, personKey } from '../../base/ids.ts';
import { FrameBatchWriter, readFrameBatch, type TextFrame } from './frame-batch.ts';
import { type LiveMessage, liveMessage, readLiveMessage } from './live-messages.ts';

const plain = <T>(model: { [K in keyof T]: fc.Arbitrary<T[K]> }) => fc.record<T>(model, { noNullPrototype: true });
const revision = fc.maxSafeNat();
const person = fc.tuple(fc.string(), fc.string()).map(([tenant, user]) => personKey(tenant, user));
const frame: fc.Arbitrary<TextFrame> = plain({
  kind: fc.constantFrom('changes', 'marks'),
  revision,
  after: revision,
  marksVersion: revision,
  json: fc.json(),
});
const others: fc.Arbitrary<LiveMessage> = fc.oneof(
  plain({ kind: fc.constant('gap' as const), shards: fc.option(fc.array(fc.nat(1023))) }),
  plain({ kind: fc.constant('marksChanged' as const), person }),
  plain({ kind: fc.constant('revoked' as const), session: fc.string(), untilMs: revision }),
);

test('every message is read as it was written', () => {
  fc.assert(
    fc.property(others, fc.string(), (message, channel) => {
      const sent = liveMessage(channel, message);
      assert.equal(sent.channel, channel);
      assert.deepEqual(readLiveMessage(sent.bytes), message);
    }),
  );
});

test('frames too, all of them, in order', () => {
  fc.assert(
    fc.property(fc.array(plain({ person, frame }), { maxLength: 20 }), (all) => {
      const writer = new FrameBatchWriter();
      for (const each of all) writer.add(each.person, each.frame);
      const message = readLiveMessage(liveMessage('x', { kind: 'frames', batch: writer.take() }).bytes);
      assert.equal(message?.kind, 'frames');
      const read: { person: PersonKey; frame: TextFrame }[] = [];
      readFrameBatch(message.batch, (who, { kind, json, ...rest }) => {
        if (kind !== 'resync') read.push({ person: who, frame: { kind, ...rest, json: json.toString() } });
      });
      assert.deepEqual(read, all);
    }),
  );
});

test('what is not a message is told from one, and never throws', () => {
  assert.equal(readLiveMessage(new Uint8Array(0)), null);
  assert.equal(readLiveMessage(Uint8Array.of(99, 1, 2)), null);
  assert.equal(readLiveMessage(Buffer.from('\u0001{')), null);
  fc.assert(fc.property(fc.uint8Array(), (bytes) => void readLiveMessage(bytes)));
});
