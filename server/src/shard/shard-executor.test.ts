import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Event } from '@carillon/contract/event.ts';
import { packEvents } from '../../../test/sim/pack-event.ts';
import { personKey } from '../base/ids.ts';
import { VirtualClock } from '../base/virtual-clock.ts';
import { builtInTypes, createTypeCatalogue, type TypeEntry } from '../content/type-catalogue.ts';
import { InboxStoreMemory } from '../inbox/inbox-store-memory.ts';
import { EventLogMemory } from '../log/event-log-memory.ts';
import type { PackedBatch } from '../log/record.ts';
import { ShardExecutor } from './shard-executor.ts';
import type { ShardListener, UnusableRecord } from './shard-listener.ts';
import { usualMemory } from './shard-memory.ts';

const r1 = personKey('default', 'r1');

function message(id: string, type = 'message.sent', users = ['r1']): Event {
  return {
    id,
    source: 'chat',
    type,
    time: '2026-03-10T12:00:00Z',
    actor: { id: 'a1', name: 'Ana' },
    object: { kind: 'message', id, title: `title of ${id}` },
    to: { users },
  };
}

/** Replaces bytes by others of the same length, as damage or a fault of an earlier release would. */
function spoil({ bytes, count }: PackedBatch, from: string, to: string): PackedBatch {
  const at = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).indexOf(from);
  assert.ok(at >= 0 && from.length === to.length);
  bytes.set(Buffer.from(to), at);
  return { bytes, count };
}

/** Types of which one makes its rule throw, always. */
const catalogue = createTypeCatalogue([
  ...builtInTypes.types,
  {
    ...(builtInTypes.find('message.sent') as TypeEntry),
    name: 'live.started',
    get fromApp(): boolean {
      throw new Error('a fault in a rule');
    },
  },
]);

/** In the lane of the others, so that it comes between them. */
function inDirect(batch: PackedBatch): PackedBatch {
  batch.bytes[5] = 0;
  return batch;
}

async function run(batches: readonly PackedBatch[]) {
  const log = new EventLogMemory();
  const store = new InboxStoreMemory();
  const unusable: UnusableRecord[] = [];
  const executor = new ShardExecutor({
    shard: 0,
    log,
    store,
    catalogue,
    clock: new VirtualClock(),
    memory: usualMemory,
    listener: {
      isWatched: () => false,
      changed() {},
      decided() {},
      unusable: (record) => void unusable.push({ ...record, bytes: Buffer.from(record.bytes) }),
      writeFailed: assert.fail,
      channelFailed: () => assert.fail('a channel failed'),
      timerFailed: () => assert.fail('a timer failed'),
    },
  });
  for (const batch of batches) await log.append(batch);
  await executor.start();
  do await executor.between(async () => {});
  while (executor.behindBytes(0) > 0);
  await executor.stop();
  const { items } = await store.head(r1, 100);
  return { unusable, log, ids: items.filter(({ state }) => state === 'live').map(({ object }) => object.id) };
}

describe('a record that cannot be used (BC-10, N3a)', () => {
  test('stops neither its lane nor its neighbours, and is told of with its place and bytes', async () => {
    const poison = [
      spoil(packEvents([message('m2')], 0), '"title of m2"', '"title of \\x"'),
      inDirect(packEvents([message('m4', 'live.started')], 0)),
      spoil(packEvents([message('m6')], 0), '"message.sent"', '"message.none"'),
    ];
    const sound = ['m1', 'm3', 'm5', 'm7'].map((id) => packEvents([message(id)], 0));
    const { ids, unusable, log } = await run(
      [0, 1, 2, 3].flatMap((n) => [sound[n], poison[n]].filter((x) => x !== undefined)),
    );
    assert.deepEqual(ids.toSorted(), ['m1', 'm3', 'm5', 'm7']);
    assert.deepEqual(
      unusable.map(({ reason }) => reason),
      ['failed', 'failed', 'unknownType'],
    );
    for (const [index, { position, offset, bytes }] of unusable.entries()) {
      assert.deepEqual(bytes, Buffer.from((poison[index] as PackedBatch).bytes), 'the bytes as they came');
      const again = await (await log.open(0, 'direct', position)).pull(1_000_000);
      const found = Buffer.from(again?.bytes ?? []).subarray(offset, offset + bytes.length);
      assert.deepEqual(found, bytes, 'the place leads back to the record');
    }
  });

  test('reaches everyone it can reach, and is told of once', async () => {
    const { unusable } = await run([inDirect(packEvents([message('m1', 'live.started', ['r1', 'r2', 'r3'])], 0))]);
    assert.equal(unusable.length, 1);
  });
});

describe('an executor that stops', () => {
  function create(listener: Partial<ShardListener> = {}) {
    const log = new EventLogMemory();
    const store = new InboxStoreMemory();
    const heard: ShardListener = {
      isWatched: () => false,
      changed() {},
      decided() {},
      unusable: () => assert.fail(),
      writeFailed() {},
      channelFailed() {},
      timerFailed() {},
      ...listener,
    };
    const parts = { log, store, catalogue: builtInTypes, clock: new VirtualClock(), memory: usualMemory };
    return { log, store, executor: new ShardExecutor({ shard: 0, listener: heard, ...parts }) };
  }

  test('refuses what was to run between micro-batches and had no turn yet', async () => {
    const { executor } = create();
    await executor.start();
    const first = executor.between(async () => {});
    const stopped = executor.stop();
    const late = executor.between(assert.fail);
    await assert.rejects(late, /not worked at/);
    await stopped;
    await first.catch((error: Error) => assert.match(error.message, /not worked at/));
  });

  test('asks who watches between the write and the telling', async () => {
    const seen: string[] = [];
    const { executor, log, store } = create({
      async written(people) {
        const { items } = await store.head(r1, 10);
        seen.push(`written ${people.length}, stored ${items.length}`);
      },
      changed: (people) => void seen.push(`changed ${people.length}`),
    });
    await log.append(packEvents([message('m1')], 0));
    await executor.start();
    await executor.between(async () => {});
    while (seen.length < 2) await executor.between(async () => {});
    await executor.stop();
    assert.deepEqual(seen, ['written 1, stored 1', 'changed 1']);
  });
});
