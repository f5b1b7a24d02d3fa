import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventLogContract, type LogUnderTest } from './event-log.contract.ts';
import { embeddedLogContract } from './event-log-embedded.contract.ts';
import { EventLogMemory, MemoryLogState } from './event-log-memory.ts';
import { idsOf, sampleBatch } from './sample-records.ts';

async function make(): Promise<LogUnderTest> {
  const state = new MemoryLogState();
  let log = new EventLogMemory(state);
  return {
    log,
    reopen: async () => {
      await log.close();
      log = new EventLogMemory(state);
      return log;
    },
    failOnce: () => log.fail({ code: 'CARILLON_STORAGE_FULL' }),
    refusal: 'CARILLON_STORAGE_FULL',
    dispose: () => log.close(),
  };
}

eventLogContract('memory log', make);
embeddedLogContract('memory log', make);

async function idsIn(state: MemoryLogState): Promise<string[]> {
  const batch = await (await new EventLogMemory(state).open(0, 'social', 0)).pull(1 << 20);
  return batch === null ? [] : idsOf(batch);
}

const nextTurn = () => new Promise<void>((resolve) => setImmediate(() => setImmediate(resolve)));

test('memory log: a crash keeps what was durable and drops the rest without an answer', async () => {
  const state = new MemoryLogState();
  const log = new EventLogMemory(state);
  await log.append(sampleBatch([{ id: 'durable' }]));
  let answered = false;
  log.append(sampleBatch([{ id: 'under way' }])).finally(() => {
    answered = true;
  });
  log.crash();
  await nextTurn();
  assert.equal(answered, false);
  assert.deepEqual(await idsIn(state), ['durable']);
});

test('memory log: a crash may come after the sync and before the answer', async () => {
  const state = new MemoryLogState();
  const log = new EventLogMemory(state);
  void log.append(sampleBatch([{ id: 'stored' }]));
  log.crash(true);
  await nextTurn();
  assert.deepEqual(await idsIn(state), ['stored']);
  assert.deepEqual(await new EventLogMemory(state).append(sampleBatch([{ id: 'stored' }])), ['duplicate']);
});

test('memory log: a failure may have stored the records all the same', async () => {
  const state = new MemoryLogState();
  const log = new EventLogMemory(state);
  log.fail({ code: 'CARILLON_INTERNAL', storedAnyway: true });
  await assert.rejects(log.append(sampleBatch([{ id: 'a' }])), { code: 'CARILLON_INTERNAL' });
  assert.deepEqual(await log.append(sampleBatch([{ id: 'a' }])), ['duplicate']);
});
