/**
 * The segment log under faults of the disk: each single call failing in each way, and long seeded runs with faults and
 * crashes. Checked every time: what was acknowledged is there once and in order, what was refused is there wholly or not
 * at all, and the log takes appends again as soon as the disk does.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Random, seededRandom } from '../base/random.ts';
import { EventLogSegments, type SegmentLogSizes } from './event-log-segments.ts';
import { idsOf, type SampleRecord, sampleBatch } from './sample-records.ts';
import { type DiskFault, LogFilesSimulated } from './segments/log-files-simulated.ts';

const sizes: SegmentLogSizes = {
  segmentBytes: 4 * 1024,
  preallocateBytes: 1024,
  commitBytesMax: 2 * 1024,
  tailBytesMax: 3 * 1024,
};

async function idsIn(log: EventLogSegments): Promise<string[]> {
  const reader = await log.open(0, 'social', 0);
  const ids: string[] = [];
  for (let batch = await reader.pull(700); batch !== null; batch = await reader.pull(700)) ids.push(...idsOf(batch));
  assert.equal(reader.behindBytes(), 0);
  return ids;
}

/** Each id acknowledged, in order; ids whose append was refused may lie between. */
function assertHolds(found: string[], acknowledged: string[], refused: ReadonlySet<string>, what: string): void {
  assert.equal(new Set(found).size, found.length, `${what}: nothing twice`);
  const rest = found.filter((id) => !refused.has(id) || acknowledged.includes(id));
  assert.deepEqual(rest, acknowledged, `${what}: all that was acknowledged, in order`);
}

function batchOf(turn: number, count: number, fillerChars = 60): SampleRecord[] {
  return Array.from({ length: count }, (_, at) => ({ id: `${turn}-${at}`, fillerChars }));
}

/** Appends one batch after the other; answers what was acknowledged and what was refused. */
async function appendAll(log: EventLogSegments, turns: number) {
  const acknowledged: string[] = [];
  const refused = new Set<string>();
  for (let turn = 0; turn < turns; turn++) {
    const records = batchOf(turn, 3);
    const ids = records.map(({ id }) => id);
    await log.append(sampleBatch(records)).then(
      () => acknowledged.push(...ids),
      () => {
        for (const id of ids) refused.add(id);
      },
    );
  }
  return { acknowledged, refused };
}

const turns = 14;

for (const kind of ['ENOSPC', 'EIO', 'short', 'torn'] as const satisfies DiskFault[]) {
  test(`segment log: every single call failing with ${kind} loses nothing`, async () => {
    for (let failing = 0; ; failing++) {
      const files = new LogFilesSimulated();
      const log = EventLogSegments.open(files, sizes);
      let calls = 0;
      files.fault = () => (calls++ === failing ? kind : undefined);
      const { acknowledged, refused } = await appendAll(log, turns);
      if (calls <= failing) {
        assert.ok(failing > 60, `the run made only ${failing} calls`);
        await log.close();
        return;
      }
      assert.ok(refused.size <= 3, `call ${failing}: only the append that met the fault is refused`);
      assertHolds(await idsIn(log), acknowledged, new Set(), `call ${failing}, before the crash`);
      const statuses = await log.append(sampleBatch([...refused].map((id) => ({ id, fillerChars: 60 }))));
      assert.ok(
        statuses.every((status) => status === 'accepted'),
        'what was refused was not stored',
      );
      acknowledged.push(...refused);
      files.crash(seededRandom(failing));
      const again = EventLogSegments.open(files, sizes);
      assertHolds(await idsIn(again), acknowledged, new Set(), `call ${failing}, after the crash`);
      assert.equal(again.recovery.holes, 0);
      await again.close();
    }
  });
}

test('segment log: a disk that stays full refuses all, and takes all once there is space', async () => {
  const files = new LogFilesSimulated();
  const log = EventLogSegments.open(files, sizes);
  await log.append(sampleBatch(batchOf(0, 3)));
  files.fault = ({ kind }) => (kind === 'write' ? 'ENOSPC' : undefined);
  for (let turn = 1; turn < 5; turn++) {
    await assert.rejects(log.append(sampleBatch(batchOf(turn, 3))), { code: 'CARILLON_STORAGE_FULL' });
  }
  assert.equal((await idsIn(log)).length, 3, 'what is stored can still be read');
  files.fault = () => undefined;
  for (let turn = 1; turn < 5; turn++) await log.append(sampleBatch(batchOf(turn, 3)));
  assert.equal((await idsIn(log)).length, 15);
  assert.equal(files.list().filter((name) => name.endsWith('.log')).length <= 4, true, 'no file per failed try');
  await log.close();
});

test('segment log: what a failed sync left in the page cache is never read', async () => {
  const files = new LogFilesSimulated();
  const log = EventLogSegments.open(files, { ...sizes, segmentBytes: 1 << 20 });
  await log.append(sampleBatch(batchOf(0, 2)));
  files.fault = ({ kind }) => (kind === 'sync' ? 'EIO' : undefined);
  await assert.rejects(log.append(sampleBatch(batchOf(1, 2))), { code: 'CARILLON_INTERNAL' });
  files.fault = () => undefined;
  assert.deepEqual(await idsIn(log), ['0-0', '0-1']);
  await log.append(sampleBatch(batchOf(2, 2)));
  await log.close();
  const again = EventLogSegments.open(files, { ...sizes, segmentBytes: 1 << 20 });
  assert.deepEqual(await idsIn(again), ['0-0', '0-1', '2-0', '2-1']);
  await again.close();
});

/** More of them for a long run: CARILLON_LOG_SEEDS=1000. */
const seeds = Number(process.env.CARILLON_LOG_SEEDS ?? 40);

test(`segment log: ${seeds} seeded runs of faults and crashes keep every acknowledged record, once and in order`, async () => {
  for (let seed = 1; seed <= seeds; seed++) await runSeed(seed);
});

async function runSeed(seed: number): Promise<void> {
  const random = seededRandom(seed);
  const files = new LogFilesSimulated();
  const acknowledged: string[] = [];
  const refused = new Set<string>();
  let turn = 0;
  for (let life = 0; life < 4; life++) {
    const log = EventLogSegments.open(files, sizes);
    files.fault = () => (random.below(60) === 0 ? pick(random) : undefined);
    for (let step = random.below(25); step > 0; step--) {
      await appendSome(log, random, turn++, { acknowledged, refused });
    }
    files.crash(random);
    const again = EventLogSegments.open(files.copy(), sizes);
    const found = await idsIn(again);
    assertHolds(found, acknowledged, refused, `seed ${seed}, life ${life}`);
    assert.equal(again.recovery.holes, 0, `seed ${seed}: a crash alone makes no hole`);
    // A refused record that turned up is as good as accepted from here on, in its place.
    acknowledged.splice(0, acknowledged.length, ...found);
    await again.close();
  }
}

interface Outcome {
  readonly acknowledged: string[];
  readonly refused: Set<string>;
}

/** A few appends in one turn, some of them records that were refused before. */
async function appendSome(log: EventLogSegments, random: Random, turn: number, outcome: Outcome): Promise<void> {
  const batches = Array.from({ length: 1 + random.below(3) }, (_, at) =>
    batchOf(turn * 10 + at, 1 + random.below(6), random.below(300)),
  );
  const retried = [...outcome.refused].filter((id) => !outcome.acknowledged.includes(id)).slice(0, 2);
  if (random.below(2) === 0) batches.push(retried.map((id) => ({ id })));
  const settled = await Promise.allSettled(batches.map((records) => log.append(sampleBatch(records))));
  for (const [at, result] of settled.entries()) {
    for (const [record, { id }] of (batches[at] as SampleRecord[]).entries()) {
      if (result.status === 'rejected') outcome.refused.add(id);
      else if (result.value[record] === 'accepted') outcome.acknowledged.push(id);
    }
  }
}

function pick(random: Random): DiskFault {
  return (['ENOSPC', 'EIO', 'short', 'torn'] as const)[random.below(4)] as DiskFault;
}
