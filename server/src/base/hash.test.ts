import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compatibilityPartitioner } from '@platformatic/kafka';
import fc from 'fast-check';
import { murmur2, shardOf } from './hash.ts';

test('murmur2 is that of Kafka, by its own test values', () => {
  const known: [string, number][] = [
    ['21', -973932308],
    ['foobar', -790332482],
    ['a-little-bit-long-string', -985981536],
    ['a-little-bit-longer-string', -1486304829],
    ['lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8', -58897971],
    ['abc', 479470107],
  ];
  for (const [text, hash] of known) assert.equal(murmur2(text), hash, text);
});

test('a shard is the partition that a client of Kafka chooses for the key', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'grapheme', maxLength: 600 }),
      fc.integer({ min: 2, max: 1000 }),
      (person, shards) => {
        const message = { topic: 't', value: Buffer.alloc(0) };
        assert.equal(shardOf(person, shards), compatibilityPartitioner(message, Buffer.from(person)) % shards);
      },
    ),
  );
  assert.equal(shardOf('anyone', 1), 0);
});
