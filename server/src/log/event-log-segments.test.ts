/** The segment log beyond the port: sealing, restarts, damage, the lock, and a real disk. Faults: the file beside this. */
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { VirtualClock } from '../base/virtual-clock.ts';
import { eventLogContract, type LogUnderTest } from './event-log.contract.ts';
import { embeddedLogContract } from './event-log-embedded.contract.ts';
import { EventLogSegments, type SegmentLogSizes } from './event-log-segments.ts';
import { idsOf, type SampleRecord, sampleBatch } from './sample-records.ts';
import { LogFilesSimulated } from './segments/log-files-simulated.ts';

const small: SegmentLogSizes = {
  segmentBytes: 8 * 1024,
  preallocateBytes: 2 * 1024,
  commitBytesMax: 4 * 1024,
  tailBytesMax: 6 * 1024,
};

async function make(): Promise<LogUnderTest> {
  const files = new LogFilesSimulated();
  let log = EventLogSegments.open(files, small);
  return {
    log,
    reopen: async () => {
      await log.close();
      log = EventLogSegments.open(files, small);
      return log;
    },
    failOnce: () => {
      files.fault = ({ kind }) => {
        if (kind !== 'write') return undefined;
        files.fault = () => undefined;
        return 'ENOSPC';
      };
    },
    refusal: 'CARILLON_STORAGE_FULL',
    dispose: () => log.close(),
  };
}

eventLogContract('segment log', make);
embeddedLogContract('segment log', make);

async function idsIn(log: EventLogSegments, lane: 'direct' | 'social' = 'social'): Promise<string[]> {
  const reader = await log.open(0, lane, 0);
  const ids: string[] = [];
  for (let batch = await reader.pull(1024); batch !== null; batch = await reader.pull(1024)) ids.push(...idsOf(batch));
  return ids;
}

function named(prefix: string, count: number, more: Partial<SampleRecord> = {}): SampleRecord[] {
  return Array.from({ length: count }, (_, at) => ({ id: `${prefix}${at}`, fillerChars: 200, ...more }));
}

/** A log of several sealed segments, closed. Answers the ids it holds, in order. */
async function fill(files: LogFilesSimulated, batches = 20): Promise<string[]> {
  const log = EventLogSegments.open(files, small);
  const ids: string[] = [];
  for (let at = 0; at < batches; at++) {
    const records = [...named(`${at}-`, 4), ...named(`direct${at}-`, 1, { lane: 'direct' })];
    await log.append(sampleBatch(records));
    ids.push(...named(`${at}-`, 4).map(({ id }) => id));
  }
  await log.close();
  return ids;
}

const logNames = (files: LogFilesSimulated): string[] => files.list().filter((name) => name.endsWith('.log'));

test('segment log: a commit cut short at any byte leaves every acknowledged record, and never half a one', async () => {
  const files = new LogFilesSimulated();
  const log = EventLogSegments.open(files, small);
  await log.append(sampleBatch([...named('kept', 3), ...named('direct', 2, { lane: 'direct' })]));
  const name = logNames(files)[0] as string;
  const before = Buffer.from(files.bytesOf(name));
  await log.append(sampleBatch([...named('last', 2, { fillerChars: 0 }), ...named('other', 1, { lane: 'direct' })]));
  const after = Buffer.from(files.bytesOf(name));
  await log.close();
  let start = 0;
  while (before[start] === after[start]) start++;
  let end = after.length;
  while (after[end - 1] === 0) end--;
  const padded = Math.ceil(end / 8) * 8;
  for (let cut = start; cut <= padded; cut++) {
    for (const tail of [Buffer.alloc(0), Buffer.alloc(after.length - cut)]) {
      const torn = new LogFilesSimulated();
      torn.replace(name, Buffer.concat([after.subarray(0, cut), tail]));
      const again = EventLogSegments.open(torn, small);
      const isWhole = cut >= end && cut + tail.length >= padded;
      const expected = ['kept0', 'kept1', 'kept2', ...(isWhole ? ['last0', 'last1'] : [])];
      assert.deepEqual(await idsIn(again), expected, `cut at ${cut}`);
      assert.deepEqual(again.recovery.holes, 0);
      assert.equal(again.recovery.truncatedBytes > 0, !isWhole && cut > start, `cut at ${cut} is told`);
      await again.append(sampleBatch(named('last', 2, { fillerChars: 0 })));
      assert.deepEqual(await idsIn(again), ['kept0', 'kept1', 'kept2', 'last0', 'last1']);
      await again.close();
    }
  }
});

test('segment log: duplicates are found across seals and restarts, with and without the index files', async () => {
  const files = new LogFilesSimulated();
  const ids = await fill(files);
  assert.ok(logNames(files).length > 3);
  const repeat = () => sampleBatch(ids.map((id) => ({ id, fillerChars: 200 })));
  const log = EventLogSegments.open(files, small);
  assert.equal(log.recovery.rebuiltIndexes, 0);
  assert.ok((await log.append(repeat())).every((status) => status === 'duplicate'));
  await log.close();
  const indexes = files.list().filter((name) => name.endsWith('.index'));
  files.unlink(indexes[0] as string);
  const bytes = files.bytesOf(indexes[1] as string);
  bytes[bytes.length - 3] = (bytes[bytes.length - 3] as number) ^ 1;
  const again = EventLogSegments.open(files, small);
  assert.equal(again.recovery.rebuiltIndexes, 2);
  assert.ok((await again.append(repeat())).every((status) => status === 'duplicate'));
  assert.deepEqual(await idsIn(again), ids);
  await again.close();
});

test('segment log: damaged records of one lane stop that lane there, and no other', async () => {
  const files = new LogFilesSimulated();
  const ids = await fill(files);
  const name = logNames(files)[1] as string;
  const bytes = files.bytesOf(name);
  const filler = bytes.indexOf('xxxx', bytes.toString('latin1').search(/"id":"\d+-\d+"/));
  bytes[filler] = 'y'.charCodeAt(0);
  const log = EventLogSegments.open(files, small);
  const reader = await log.open(0, 'social', 0);
  const seen: string[] = [];
  await assert.rejects(async () => {
    for (let batch = await reader.pull(1024); batch !== null; batch = await reader.pull(1024)) {
      seen.push(...idsOf(batch));
    }
  }, /damaged in 0+\d+\.log at position \d+/);
  assert.deepEqual(seen, ids.slice(0, seen.length));
  assert.ok(seen.length > 0 && seen.length < ids.length);
  await assert.rejects(reader.pull(1024), /damaged/, 'it does not step over on the second try');
  assert.equal((await idsIn(log, 'direct')).length, 20);
  await log.close();
});

test('segment log: damage in the last segment with later commits behind it is a hole, not a torn tail', async () => {
  for (const damage of ['header', 'records'] as const) {
    const files = new LogFilesSimulated();
    const log = EventLogSegments.open(files, { ...small, segmentBytes: 1 << 20 });
    for (let at = 0; at < 5; at++) await log.append(sampleBatch(named(`${at}-`, 2)));
    await log.close();
    const name = logNames(files)[0] as string;
    const bytes = files.bytesOf(name);
    const at = bytes.indexOf('"id":"2-0"');
    bytes[damage === 'records' ? at : bytes.lastIndexOf('CBLK', at) + 9] = 255;
    const again = EventLogSegments.open(files, { ...small, segmentBytes: 1 << 20 });
    assert.equal(again.recovery.holes, 1);
    assert.equal(again.recovery.truncatedBytes, 0);
    const reader = await again.open(0, 'social', 0);
    assert.deepEqual(idsOf((await reader.pull(1 << 20)) ?? assert.fail()), ['0-0', '0-1', '1-0', '1-1']);
    await assert.rejects(reader.pull(1 << 20), /damaged/);
    assert.deepEqual(await again.append(sampleBatch(named('4-', 1))), ['duplicate'], 'what lies behind is known');
    assert.deepEqual(await again.append(sampleBatch(named('new', 1))), ['accepted']);
    await again.close();
  }
});

test('segment log: a missing segment keeps the log from starting, and is named', async () => {
  const files = new LogFilesSimulated();
  await fill(files);
  const missing = logNames(files)[1] as string;
  files.unlink(missing);
  assert.throws(() => EventLogSegments.open(files, small), new RegExp(`lacks the segment ${missing}`));
});

test('segment log: a batch larger than a commit is stored whole and answered once', async () => {
  const files = new LogFilesSimulated();
  const log = EventLogSegments.open(files, small);
  const records = named('big', 60);
  assert.deepEqual(await log.append(sampleBatch([...records, ...records.slice(0, 5)])), [
    ...new Array(60).fill('accepted'),
    ...new Array(5).fill('duplicate'),
  ]);
  assert.equal((await idsIn(log)).length, 60);
  await log.close();
});

test('segment log: appends of one turn share one sync, and nothing is synced while idle', async () => {
  const files = new LogFilesSimulated();
  const log = EventLogSegments.open(files, small);
  await log.append(sampleBatch([{ id: 'first' }]));
  let syncs = 0;
  files.fault = ({ kind }) => {
    if (kind === 'sync') syncs++;
    return undefined;
  };
  await Promise.all(Array.from({ length: 8 }, (_, at) => log.append(sampleBatch([{ id: `a${at}` }]))));
  assert.equal(syncs, 1);
  await log.append(sampleBatch([{ id: 'a0' }]));
  assert.equal(syncs, 1, 'a duplicate needs none');
  await log.close();
});

test('segment log: each commit is told of with its bytes, once it is durable, and a failed one is not', async () => {
  const files = new LogFilesSimulated();
  const told: number[] = [];
  const watch = { clock: new VirtualClock(), committed: (bytes: number) => void told.push(bytes) };
  const log = EventLogSegments.open(files, small, watch);
  await log.append(sampleBatch(named('a', 3)));
  assert.equal(told.length, 1);
  assert.ok((told[0] as number) >= sampleBatch(named('a', 3)).bytes.length);
  await log.append(sampleBatch(named('a', 3)));
  assert.equal(told.length, 1, 'duplicates only: nothing was written');
  files.fault = ({ kind }) => (kind === 'sync' ? 'EIO' : undefined);
  await assert.rejects(log.append(sampleBatch([{ id: 'b' }])));
  assert.equal(told.length, 1);
  files.fault = () => undefined;
  await log.close();
});

function temporaryFolder(): string {
  return fs.mkdtempSync(path.join(os.tmpdir(), 'carillon-log-'));
}

test('segment log: on a real disk, records, seals and duplicates survive a restart', async () => {
  const folder = temporaryFolder();
  const log = EventLogSegments.open(folder, small);
  for (let at = 0; at < 10; at++) await log.append(sampleBatch(named(`${at}-`, 5)));
  await log.close();
  const again = EventLogSegments.open(folder, small);
  assert.equal((await idsIn(again)).length, 50);
  assert.ok((await again.append(sampleBatch(named('3-', 5)))).every((status) => status === 'duplicate'));
  await again.close();
  fs.rmSync(folder, { recursive: true });
});

test('segment log: only one may open the folder, in this process or another', async () => {
  const folder = temporaryFolder();
  const log = EventLogSegments.open(folder, small);
  assert.throws(() => EventLogSegments.open(folder, small), /in use by process \d+/);
  const module = path.join(import.meta.dirname, 'event-log-segments.ts');
  const script = `import { EventLogSegments } from ${JSON.stringify(module)};
    try { EventLogSegments.open(${JSON.stringify(folder)}); console.log('opened'); }
    catch (error) { console.log(error.message); }`;
  const said = execFileSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' });
  assert.match(said, new RegExp(`in use by process ${process.pid}`));
  await log.close();
  await EventLogSegments.open(folder, small).close();
  fs.rmSync(folder, { recursive: true });
});

test('segment log: the lock of a killed process is taken over', async () => {
  const folder = temporaryFolder();
  const module = path.join(import.meta.dirname, 'event-log-segments.ts');
  const script = `import { EventLogSegments } from ${JSON.stringify(module)};
    EventLogSegments.open(${JSON.stringify(folder)}); console.log('open'); setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await new Promise((resolve) => child.stdout.once('data', resolve));
  assert.throws(() => EventLogSegments.open(folder, small), /in use/);
  child.kill('SIGKILL');
  await new Promise((resolve) => child.once('exit', resolve));
  await EventLogSegments.open(folder, small).close();
  // The pid lives on, but in another process than the one that took the lock.
  fs.writeFileSync(path.join(folder, 'lock'), JSON.stringify({ pid: process.pid, born: 'another boot:1' }));
  await EventLogSegments.open(folder, small).close();
  fs.rmSync(folder, { recursive: true });
});

test('segment log: a full file system refuses appends, and takes them again once there is space', async (context) => {
  const folder = temporaryFolder();
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', folder], { stdio: 'ignore' });
  } catch {
    context.skip('no tmpfs can be mounted here');
    return;
  }
  try {
    const ballast = path.join(folder, 'ballast');
    fs.writeFileSync(ballast, Buffer.alloc(24 * 1024));
    const log = EventLogSegments.open(folder, small);
    const accepted: string[] = [];
    let refusal: unknown;
    for (let at = 0; refusal === undefined; at++) {
      await log.append(sampleBatch(named(`${at}-`, 5))).then(
        () => accepted.push(...named(`${at}-`, 5).map(({ id }) => id)),
        (error: unknown) => {
          refusal = error;
        },
      );
    }
    assert.equal((refusal as { code?: string }).code, 'CARILLON_STORAGE_FULL');
    await assert.rejects(log.append(sampleBatch(named('still', 5))), { code: 'CARILLON_STORAGE_FULL' });
    fs.unlinkSync(ballast);
    assert.deepEqual(await log.append(sampleBatch(named('again', 1))), ['accepted']);
    assert.deepEqual(await idsIn(log), [...accepted, 'again0']);
    await log.close();
    const reopened = EventLogSegments.open(folder, small);
    assert.deepEqual(await idsIn(reopened), [...accepted, 'again0']);
    await reopened.close();
  } finally {
    execFileSync('umount', [folder]);
    fs.rmdirSync(folder);
  }
});

test('segment log: a reader that is behind goes on over a file that is sealed while it reads, on a real disk', async () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'carillon-log-'));
  // Segments larger than what a reader buffers, and a tail of next to nothing: it must read the files.
  const KiB = 1024;
  const sizes = { segmentBytes: 512 * KiB, preallocateBytes: 64 * KiB, commitBytesMax: 64 * KiB, tailBytesMax: KiB };
  const log = EventLogSegments.open(folder, sizes);
  const reader = await log.open(0, 'social', 0);
  const read: string[] = [];
  const written: string[] = [];
  for (let at = 0; at < 60; at++) {
    const records = named(`${at}-`, 4, { fillerChars: 8000 });
    await log.append(sampleBatch(records));
    written.push(...records.map(({ id }) => id));
    const batch = at % 2 === 1 ? await reader.pull(48 * KiB) : null;
    if (batch !== null) read.push(...idsOf(batch));
  }
  for (let batch = await reader.pull(KiB); batch !== null; batch = await reader.pull(KiB)) read.push(...idsOf(batch));
  assert.deepEqual(read, written);
  await log.close();
  fs.rmSync(folder, { recursive: true });
});
