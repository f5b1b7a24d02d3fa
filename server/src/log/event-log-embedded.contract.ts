/**
 * What the logs of the embedded engine promise beyond the port: they remember every identity for as long as they keep
 * its record, so `append` always tells a repeat and the log never holds one; and what they know of bytes is exact.
 */
import assert from 'node:assert/strict';
import { drain, everything, type LogUnderTest, named, promises, readAllOf } from './event-log.contract.ts';
import { sampleBatch } from './sample-records.ts';

export function embeddedLogContract(name: string, make: () => Promise<LogUnderTest>): void {
  const promise = promises(name, make);

  promise('append tells of every repeat, also after a restart', async (under, log) => {
    await log.append(sampleBatch([{ id: 'a' }]));
    assert.deepEqual(await log.append(sampleBatch([{ id: 'a' }, { id: 'b' }])), ['duplicate', 'accepted']);
    const again = await under.reopen();
    assert.deepEqual(await again.append(sampleBatch([{ id: 'b' }, { id: 'a' }])), ['duplicate', 'duplicate']);
    assert.deepEqual(await readAllOf(again), ['a', 'b']);
  });

  promise('append tells of repeats in each shard, after a restart', async (under, log) => {
    const records = [0, 1, 2].map((shard) => ({ id: 'a', shard }));
    await log.append(sampleBatch(records));
    const again = await under.reopen();
    const more = [...records, { id: 'a', shard: 3 }];
    assert.deepEqual(await again.append(sampleBatch(more)), ['duplicate', 'duplicate', 'duplicate', 'accepted']);
  });

  promise('equal fingerprints are told apart after a restart', async (under, log) => {
    const forged = named('same', 5, { fingerprint: 4242 });
    await log.append(sampleBatch(forged));
    const again = await under.reopen();
    assert.deepEqual(await again.append(sampleBatch(forged)), new Array(5).fill('duplicate'));
    assert.deepEqual(await again.append(sampleBatch([{ id: 'another', fingerprint: 4242 }])), ['accepted']);
  });

  promise('what was dropped is no longer a duplicate, what is kept still is', async (under, log) => {
    for (let at = 0; at < 40; at++) await log.append(sampleBatch(named(`${at}-`, 4, { fillerChars: 400 })));
    await log.append(sampleBatch([{ id: 'kept', acceptedMs: 5000 }]));
    await log.trim(2000, () => Number.POSITIVE_INFINITY);
    const again = await under.reopen();
    const statuses = await again.append(sampleBatch([{ id: '0-0' }, { id: 'kept' }]));
    assert.deepEqual(statuses, ['accepted', 'duplicate']);
  });

  promise('a duplicate wakes nobody', async (_, log) => {
    let heard = 0;
    log.onAppend(0, () => heard++);
    await log.append(sampleBatch([{ id: 'a' }]));
    await log.append(sampleBatch([{ id: 'a' }]));
    assert.equal(heard, 1);
  });

  promise('behindBytes is exact', async (under, log) => {
    const batch = sampleBatch(named('a', 10));
    const reader = await log.open(0, 'social', 0);
    await log.append(batch);
    await log.append(sampleBatch(named('b', 10, { lane: 'bulk' })));
    assert.equal(reader.behindBytes(), batch.bytes.length);
    const first = (await reader.pull(1)) ?? assert.fail();
    const left = batch.bytes.length - first.bytes.length;
    assert.equal(reader.behindBytes(), left);
    const again = await (await under.reopen()).open(0, 'social', first.next);
    assert.equal(again.behindBytes(), left);
    await drain(again);
    assert.equal(again.behindBytes(), 0);
  });

  promise('a position within a record stops the reader', async (_, log) => {
    await log.append(sampleBatch(named('a', 4)));
    const { next } = (await (await log.open(0, 'social', 0)).pull(1)) ?? assert.fail();
    await assert.rejects(log.open(0, 'social', next + 1), /within a record/);
  });

  promise('a reader whose next record was dropped is told so', async (_, log) => {
    const idle = await log.open(0, 'social', 0);
    for (let at = 0; at < 40; at++) await log.append(sampleBatch(named(`${at}-`, 4, { fillerChars: 400 })));
    await log.trim(5000, () => Number.POSITIVE_INFINITY);
    await assert.rejects(idle.pull(everything), /no longer kept/);
  });
}
