import assert from 'node:assert/strict';
import { test } from 'node:test';
import { builtInTypes } from '../content/type-catalogue.ts';
import { RecordBuilder } from '../intake/record-builder.ts';
import { EventScanner } from '../intake/scan-event.ts';
import { type PackedBatch, RecordWriter } from './record.ts';
import { reshardRecords } from './reshard-records.ts';

const users = Array.from({ length: 40 }, (_, n) => `user-${n}é😀`);
const events = [
  { id: 'one', to: { user: 'user-1' }, seq: 7 },
  { id: 'many', to: { users } },
  { id: 'escaped"one', to: { users: users.slice(0, 5) } },
  { id: 'wide', to: { audience: 'thread:"p1"' } },
].map((event) => ({
  source: 'posts',
  type: 'post.liked',
  time: '2026-03-10T12:00:00Z',
  actor: { id: 'bo', name: 'Bo "B"' },
  object: { kind: 'post', id: 'p1' },
  ...event,
}));

/** As intake packs them for so many shards. */
function packed(shards: number): PackedBatch {
  const writer = new RecordWriter();
  const builder = new RecordBuilder(builtInTypes, shards, writer);
  const scan = new EventScanner();
  const sender = {
    tenant: 'default',
    sources: ['*'],
    nowMs: Date.UTC(2026, 2, 10, 13),
    closedLanes: [],
    unknownAudiences: new Set<string>(),
  };
  for (const event of events) {
    const source = Buffer.from(JSON.stringify(event));
    assert.ok(scan.scan(source, 0, source.length));
    builder.add(scan, sender);
  }
  return writer.take();
}

const same = (a: PackedBatch, b: PackedBatch): void => {
  assert.equal(a.count, b.count);
  assert.deepEqual(Buffer.from(a.bytes), Buffer.from(b.bytes));
};

test('records cut anew are, to the byte, those that intake would have packed', () => {
  for (const shards of [1, 4, 64]) same(reshardRecords(packed(1), shards), packed(shards));
});

test('what has one recipient can go from any number of shards to any other and back', () => {
  const once = reshardRecords(packed(4), 64);
  same(reshardRecords(once, 64), once);
});
