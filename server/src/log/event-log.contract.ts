/**
 * What every adapter of `EventLog` must do, in the words of the port. Each adapter's test calls this once; what the
 * embedded ones promise beyond it is in event-log-embedded.contract.ts.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ErrorCode } from '@carillon/contract/error-codes.ts';
import { type Lane, lanes } from '@carillon/contract/lanes.ts';
import type { AppendStatus, EventLog, LogReader, Position } from './event-log.ts';
import { idsOf, type SampleRecord, sampleBatch } from './sample-records.ts';

export interface LogUnderTest {
  readonly log: EventLog;
  /** Closes the log and opens it again over what is durable. */
  reopen(): Promise<EventLog>;
  /** Makes the next commit fail with `refusal`, and only that one. */
  failOnce(): void;
  readonly refusal: ErrorCode;
  dispose(): Promise<void>;
}

export const everything = 1 << 20;

export function named(prefix: string, count: number, more: Partial<SampleRecord> = {}): SampleRecord[] {
  return Array.from({ length: count }, (_, at) => ({ id: `${prefix}${at}`, ...more }));
}

export async function drain(reader: LogReader, bytesMax = everything): Promise<string[]> {
  const ids: string[] = [];
  for (let batch = await reader.pull(bytesMax); batch !== null; batch = await reader.pull(bytesMax)) {
    const found = idsOf(batch);
    assert.equal(found.length, batch.count, 'count tells the records of the batch');
    ids.push(...found);
  }
  return ids;
}

export async function readAllOf(
  log: EventLog,
  lane: Lane = 'social',
  from: Position = 0,
  shard = 0,
): Promise<string[]> {
  const reader = await log.open(shard, lane, from);
  const ids = await drain(reader);
  reader.close();
  return ids;
}

/** Runs each promise over a log of its own. */
export function promises(name: string, make: () => Promise<LogUnderTest>): Declare {
  return (text, body) => {
    test(`${name}: ${text}`, async () => {
      const under = await make();
      try {
        await body(under, under.log);
      } finally {
        await under.dispose();
      }
    });
  };
}

export function eventLogContract(name: string, make: () => Promise<LogUnderTest>): void {
  const promise = promises(name, make);
  durability(promise);
  order(promise);
  identity(promise);
  positions(promise);
  times(promise);
}

export type Declare = (text: string, body: (under: LogUnderTest, log: EventLog) => Promise<void>) => void;

function durability(promise: Declare): void {
  promise('what was appended is there after a restart', async (under, log) => {
    const statuses = await log.append(sampleBatch(named('a', 3)));
    assert.deepEqual(statuses, ['accepted', 'accepted', 'accepted']);
    assert.deepEqual(await readAllOf(await under.reopen()), ['a0', 'a1', 'a2']);
  });

  promise('a rejected append stored nothing, and the next one works', async (under, log) => {
    await log.append(sampleBatch([{ id: 'before' }]));
    under.failOnce();
    await assert.rejects(log.append(sampleBatch([{ id: 'refused' }])), { code: under.refusal });
    assert.deepEqual(await log.append(sampleBatch([{ id: 'after' }])), ['accepted']);
    assert.deepEqual(await readAllOf(log), ['before', 'after']);
    assert.deepEqual(await log.append(sampleBatch([{ id: 'refused' }])), ['accepted'], 'it is not a duplicate');
    assert.deepEqual(await readAllOf(await under.reopen()), ['before', 'after', 'refused']);
  });

  promise('a batch that is not whole records is refused', async (_, log) => {
    const batch = sampleBatch(named('a', 2));
    await assert.rejects(log.append({ bytes: batch.bytes.subarray(0, batch.bytes.length - 1), count: 2 }));
    await assert.rejects(log.append({ bytes: batch.bytes, count: 3 }));
    assert.deepEqual(await readAllOf(log), []);
  });

  promise('close stores what waits, and then refuses', async (under, log) => {
    const waiting = log.append(sampleBatch([{ id: 'last' }]));
    await log.close();
    assert.deepEqual(await waiting, ['accepted']);
    await assert.rejects(log.append(sampleBatch([{ id: 'late' }])), { code: 'CARILLON_DRAINING' });
    assert.deepEqual(await readAllOf(await under.reopen()), ['last']);
  });
}

function order(promise: Declare): void {
  promise('records of one (shard, lane) are read in the order of their append', async (under, log) => {
    const appends = Array.from({ length: 20 }, (_, at) => log.append(sampleBatch(named(`${at}-`, 5))));
    await Promise.all(appends);
    const expected = Array.from({ length: 20 }, (_, at) => named(`${at}-`, 5).map(({ id }) => id)).flat();
    assert.deepEqual(await readAllOf(log), expected);
    assert.deepEqual(await readAllOf(await under.reopen()), expected);
  });

  promise('each lane and shard is read apart from the others', async (under, log) => {
    const mixed: SampleRecord[] = [];
    for (let at = 0; at < 30; at++) {
      const lane = (['direct', 'social', 'bulk'] as const)[at % 3] as Lane;
      mixed.push({ id: `${lane}-${at % 2}-${at}`, lane, shard: at % 2 });
    }
    await log.append(sampleBatch(mixed));
    for (const open of [log, await under.reopen()]) {
      for (const lane of ['direct', 'social', 'bulk'] as const) {
        for (const shard of [0, 1]) {
          const expected = mixed.filter((one) => one.lane === lane && one.shard === shard).map(({ id }) => id);
          assert.deepEqual(await readAllOf(open, lane, 0, shard), expected);
        }
      }
    }
  });

  promise('pull answers at least one record, at most about bytesMax, and null once caught up', async (_, log) => {
    await log.append(sampleBatch(named('a', 10)));
    const reader = await log.open(0, 'social', 0);
    const one = sampleBatch([{ id: 'a0' }]).bytes.length;
    assert.deepEqual(idsOf((await reader.pull(1)) ?? assert.fail()), ['a0']);
    assert.deepEqual(idsOf((await reader.pull(one * 3)) ?? assert.fail()), ['a1', 'a2', 'a3']);
    assert.equal((await drain(reader)).length, 6);
    assert.equal(await reader.pull(everything), null);
    await log.append(sampleBatch([{ id: 'more' }]));
    assert.deepEqual(await drain(reader), ['more']);
  });

  promise(
    'behindBytes is 0 once caught up, and tells about what was appended and not yet pulled',
    async (under, log) => {
      const batch = sampleBatch(named('a', 10));
      const reader = await log.open(0, 'social', 0);
      assert.equal(reader.behindBytes(), 0);
      await log.append(batch);
      await log.append(sampleBatch(named('b', 10, { lane: 'bulk' })));
      isAbout(reader.behindBytes(), batch.bytes.length);
      const first = (await reader.pull(1)) ?? assert.fail();
      const left = batch.bytes.length - first.bytes.length;
      isAbout(reader.behindBytes(), left);
      const again = await (await under.reopen()).open(0, 'social', first.next);
      isAbout(again.behindBytes(), left);
      await drain(again);
      assert.equal(again.behindBytes(), 0);
    },
  );

  promise('listeners hear of appends to their shard until they stop', async (_, log) => {
    const heard = new Set<string>();
    const stop = log.onAppend(0, () => heard.add('zero'));
    log.onAppend(1, () => heard.add('one'));
    await log.append(sampleBatch([{ id: 'a' }]));
    assert.deepEqual([...heard], ['zero']);
    heard.clear();
    stop();
    await log.append(sampleBatch([{ id: 'b' }, { id: 'c', shard: 1 }]));
    assert.deepEqual([...heard], ['one']);
  });
}

function isAbout(actual: number, expected: number): void {
  assert.ok(actual >= expected / 2 && actual <= expected * 2, `${actual} is about ${expected}`);
}

function identity(promise: Declare): void {
  promise('readers show an identity once, whatever was appended, also after a restart', async (under, log) => {
    await log.append(sampleBatch([{ id: 'a' }]));
    await log.append(sampleBatch([{ id: 'a' }, { id: 'b' }]));
    const again = await under.reopen();
    await again.append(sampleBatch([{ id: 'b' }, { id: 'c' }, { id: 'a' }]));
    assert.deepEqual(await readAllOf(again), ['a', 'b', 'c']);
    assert.deepEqual(await readAllOf(again), ['a', 'b', 'c'], 'reading it again is no repeat');
  });

  promise('a reader that goes on from a position shows no repeat of what lies before it', async (under, log) => {
    await log.append(sampleBatch([...named('a', 3), { id: 'other lane', lane: 'bulk' }]));
    const social = (await (await log.open(0, 'social', 0)).pull(everything))?.next ?? assert.fail();
    const bulk = (await (await log.open(0, 'bulk', 0)).pull(everything))?.next ?? assert.fail();
    const again = await under.reopen();
    const repeats = [{ id: 'a1' }, { id: 'other lane' }, { id: 'new' }];
    await again.append(sampleBatch([...repeats, { id: 'a2', lane: 'direct' }, { id: 'a0', lane: 'bulk' }]));
    const positions: Record<Lane, Position> = { direct: 0, social, bulk };
    const readers = await Promise.all(lanes.map((lane) => again.open(0, lane, positions[lane])));
    const shown = [];
    for (const reader of readers) shown.push(await drain(reader));
    assert.deepEqual(shown, [[], ['new'], []]);
  });

  promise('a repeat within one batch, across appends under way, or soon after, is a duplicate', async (_, log) => {
    const both = await Promise.all([
      log.append(sampleBatch([{ id: 'a' }, { id: 'a', lane: 'bulk' }])),
      log.append(sampleBatch([{ id: 'b' }, { id: 'a', lane: 'direct' }])),
    ]);
    assert.deepEqual(both, [
      ['accepted', 'duplicate'],
      ['accepted', 'duplicate'],
    ]);
    assert.deepEqual(await log.append(sampleBatch([{ id: 'b' }])), ['duplicate']);
    assert.deepEqual(await readAllOf(log), ['a', 'b']);
  });

  promise('tenant, source and id together are the identity', async (under, log) => {
    const records = [{ id: 'a' }, { id: 'a', source: 'other' }, { id: 'a', tenant: 'other' }];
    assert.deepEqual(await log.append(sampleBatch(records)), ['accepted', 'accepted', 'accepted']);
    assert.deepEqual(await log.append(sampleBatch(records)), ['duplicate', 'duplicate', 'duplicate']);
    const again = await under.reopen();
    await again.append(sampleBatch(records));
    assert.deepEqual(await readAllOf(again), ['a', 'a', 'a']);
  });

  promise('an event has one record in each shard where it has people', async (under, log) => {
    const records = [0, 1, 2].map((shard) => ({ id: 'a', shard }));
    assert.deepEqual(await log.append(sampleBatch(records)), ['accepted', 'accepted', 'accepted']);
    const again = await under.reopen();
    const statuses = await again.append(sampleBatch([...records, { id: 'a', shard: 3 }]));
    assert.equal(statuses[3], 'accepted');
    for (const shard of [0, 1, 2, 3]) assert.deepEqual(await readAllOf(again, 'social', 0, shard), ['a']);
  });

  promise(
    'F1: each part of an audience is a record of its own, and a repeated part is a repeat',
    async (under, log) => {
      const records = [
        { id: 'a', recipients: [] },
        { id: 'a', part: 'x' },
        { id: 'a', part: 'y', recipients: ['r1', 'r2'] },
      ];
      assert.deepEqual(await log.append(sampleBatch(records)), ['accepted', 'accepted', 'accepted']);
      assert.deepEqual(await log.append(sampleBatch(records)), ['duplicate', 'duplicate', 'duplicate']);
      const again = await under.reopen();
      await again.append(sampleBatch(records));
      const forged = { id: 'f', fingerprint: 4242 };
      await again.append(sampleBatch([{ ...forged, part: 'x' }, { ...forged, part: 'y' }, forged]));
      assert.deepEqual(await readAllOf(again), ['a', 'a', 'a', 'f', 'f', 'f']);
    },
  );

  promise('a fingerprint alone never decides that', async (under, log) => {
    const forged = named('same', 5, { fingerprint: 4242 });
    assert.deepEqual(await log.append(sampleBatch(forged)), new Array<AppendStatus>(5).fill('accepted'));
    assert.deepEqual(await log.append(sampleBatch(forged)), new Array<AppendStatus>(5).fill('duplicate'));
    const again = await under.reopen();
    await again.append(sampleBatch(forged));
    assert.deepEqual(await again.append(sampleBatch([{ id: 'another', fingerprint: 4242 }])), ['accepted']);
    assert.deepEqual(await readAllOf(again), [...forged.map(({ id }) => id), 'another']);
  });
}

function positions(promise: Declare): void {
  promise('next leads exactly behind the last record, across a restart', async (under, log) => {
    await log.append(sampleBatch(named('a', 10)));
    await log.append(sampleBatch(named('b', 3)));
    const nexts: Position[] = [];
    const reader = await log.open(0, 'social', 0);
    for (let batch = await reader.pull(1); batch !== null; batch = await reader.pull(1)) nexts.push(batch.next);
    assert.equal(nexts.length, 13);
    const expected = await readAllOf(log);
    for (const open of [log, await under.reopen()]) {
      for (const [at, next] of nexts.entries()) {
        assert.deepEqual(await readAllOf(open, 'social', next), expected.slice(at + 1));
      }
    }
    assert.ok(nexts.every((next, at) => at === 0 || next > (nexts[at - 1] as number)));
  });

  promise('a position behind the end stops the reader', async (_, log) => {
    await log.append(sampleBatch(named('a', 4)));
    await assert.rejects(log.open(0, 'social', 1e12), /ends at/);
  });

  promise('a position older than what is kept is an error, start is not', async (under, log) => {
    const reader = await log.open(0, 'social', 0);
    let next = 0;
    for (let at = 0; at < 40; at++) {
      await log.append(sampleBatch(named(`${at}-`, 4, { acceptedMs: 1000 + at, fillerChars: 400 })));
      next = (await reader.pull(everything))?.next ?? assert.fail();
    }
    const idle = await log.open(0, 'social', 0);
    const first = (await (await log.open(0, 'social', 0)).pull(1))?.next ?? assert.fail();
    assert.equal(await log.trim(1000, () => next), 0, 'nothing was accepted before the first');
    assert.equal(await log.trim(2000, () => 0), 0, 'nothing is dropped that is not applied');
    assert.ok((await log.trim(1030, () => next)) > 0);
    await assert.rejects(log.open(0, 'social', first), /no longer kept/);
    // What a reader has read ahead it may still show, but never what lies behind a gap.
    const shown = await drain(idle).catch((error: Error) => assert.match(error.message, /no longer kept/));
    if (shown !== undefined) assert.equal(shown.length, 160);
    const kept = await readAllOf(log);
    assert.ok(kept.length < 160 && kept.at(-1) === '39-3' && kept.includes('30-0'));
    assert.equal((await (await under.reopen()).open(0, 'social', next)).behindBytes(), 0);
  });

  promise('what was dropped may come again, what is kept is still a repeat', async (under, log) => {
    const reader = await log.open(0, 'social', 0);
    for (let at = 0; at < 40; at++) await log.append(sampleBatch(named(`${at}-`, 4, { fillerChars: 400 })));
    let next = 0;
    for (let batch = await reader.pull(everything); batch !== null; batch = await reader.pull(everything)) {
      next = batch.next;
    }
    await log.append(sampleBatch([{ id: 'kept', acceptedMs: 5000 }]));
    await log.trim(2000, () => next);
    const again = await under.reopen();
    const [status] = await again.append(sampleBatch([{ id: '0-0' }, { id: 'kept' }]));
    assert.equal(status, 'accepted');
    assert.deepEqual((await readAllOf(again)).slice(-2), ['kept', '0-0']);
  });

  promise('a quiet lane does not lose its place when other lanes are dropped', async (under, log) => {
    await log.append(sampleBatch([{ id: 'quiet', lane: 'direct' }]));
    const direct = (await (await log.open(0, 'direct', 0)).pull(1))?.next ?? assert.fail();
    for (let at = 0; at < 40; at++) await log.append(sampleBatch(named(`${at}-`, 4, { fillerChars: 400 })));
    assert.ok((await log.trim(5000, () => Number.POSITIVE_INFINITY)) > 0);
    const reader = await log.open(0, 'direct', direct);
    await log.append(sampleBatch([{ id: 'woken', lane: 'direct' }]));
    assert.deepEqual(await drain(reader), ['woken']);
    const again = await under.reopen();
    assert.deepEqual(await readAllOf(again, 'direct', direct), ['woken'], 'nothing of the lane was lost');
    assert.deepEqual(await readAllOf(again, 'bulk', 0), [], 'a lane that never had anything opens as well');
    await assert.rejects(again.open(0, 'social', direct), /no longer kept/, 'this lane has lost records');
  });
}

function times(promise: Declare): void {
  promise('positionAt leads to the first record accepted at or after a time', async (under, log) => {
    for (let at = 0; at < 40; at++) {
      const more = { acceptedMs: 1000 + at * 10, fillerChars: 400 };
      await log.append(
        sampleBatch([...named(`s${at}-`, 3, more), ...named(`d${at}-`, 1, { ...more, lane: 'direct' })]),
      );
    }
    for (const open of [log, await under.reopen()]) {
      const from = async (timeMs: number, lane: Lane) =>
        (await readAllOf(open, lane, await open.positionAt(0, lane, timeMs)))[0];
      assert.equal(await from(0, 'social'), 's0-0');
      assert.equal(await from(1200, 'social'), 's20-0');
      assert.equal(await from(1201, 'direct'), 'd21-0');
      assert.equal(await from(1391, 'social'), undefined);
    }
  });

  promise('positionAt finds a place within one append', async (_, log) => {
    await log.append(sampleBatch([1, 2, 3, 4].map((at) => ({ id: `a${at}`, acceptedMs: at }))));
    assert.deepEqual(await readAllOf(log, 'social', await log.positionAt(0, 'social', 3)), ['a3', 'a4']);
  });

  promise('acceptedAt tells when the record at a position was accepted', async (_, log) => {
    await log.append(sampleBatch([3, 4].map((at) => ({ id: `a${at}`, acceptedMs: at }))));
    const reader = await log.open(0, 'social', 0);
    const first = (await reader.pull(1)) ?? assert.fail();
    const second = (await reader.pull(1)) ?? assert.fail();
    assert.equal(await log.acceptedAt(0, 'social', 0), 3);
    assert.equal(await log.acceptedAt(0, 'social', first.next), 4);
    assert.equal(await log.acceptedAt(0, 'social', second.next), null);
    assert.equal(await log.acceptedAt(0, 'bulk', 0), null);
  });
}
