import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type SampleRecord, sampleBatch } from '../sample-records.ts';
import { IdentityMemory } from './identity-memory.ts';

function ask(memory: IdentityMemory, record: SampleRecord, place: number): number {
  return memory.firstPlace(Buffer.from(sampleBatch([record]).bytes), 0, place);
}

test('an identity keeps the place where it was met first', () => {
  const memory = new IdentityMemory(1 << 16);
  assert.equal(ask(memory, { id: 'a' }, 7), 7);
  assert.equal(ask(memory, { id: 'a' }, 9), 7);
  assert.equal(ask(memory, { id: 'a' }, 7), 7, 'asked for the same place it is no repeat');
  assert.equal(ask(memory, { id: 'a', shard: 1 }, 10), 10);
  assert.equal(ask(memory, { id: 'a', tenant: 'other' }, 11), 11);
  assert.equal(ask(memory, { id: 'a', source: 'other' }, 12), 12);
  memory.clear();
  assert.equal(ask(memory, { id: 'a' }, 13), 13);
});

test('equal fingerprints of different events are told apart, and escapes are no part of an id', () => {
  const memory = new IdentityMemory(1 << 16);
  for (let at = 0; at < 50; at++) assert.equal(ask(memory, { id: `a${at}`, fingerprint: 42 }, at), at);
  for (let at = 0; at < 50; at++) assert.equal(ask(memory, { id: `a${at}`, fingerprint: 42 }, 100), at);
  assert.equal(ask(memory, { id: 'zero', fingerprint: 0 }, 200), 200);
  assert.equal(ask(memory, { id: 'zero', fingerprint: 0 }, 201), 200);
  assert.equal(ask(memory, { id: 'q"\\', fingerprint: 1 }, 300), 300);
  assert.equal(ask(memory, { id: 'q"\\', fingerprint: 1 }, 301), 300);
});

test('what is bounded in bytes forgets the oldest, and never the newest half', () => {
  const memory = new IdentityMemory(20_000);
  for (let at = 0; at < 5000; at++) {
    assert.equal(ask(memory, { id: `id-${at}` }, at), at);
    const near = Math.max(0, at - 200);
    assert.equal(ask(memory, { id: `id-${near}` }, -1), near);
  }
  assert.equal(ask(memory, { id: 'id-0' }, 9999), 9999, 'the first is long forgotten');
});
