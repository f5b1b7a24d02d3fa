import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lanes } from '@carillon/contract/lanes.ts';
import fc from 'fast-check';
import { type RecordField, type RecordInput, RecordView, RecordWriter, recordFields } from './record.ts';

const objectFields: readonly RecordField[] = ['actor', 'object', 'data'];

/** An event's JSON with the ranges of its fields, built here on its own so that the test does not lean on intake. */
function eventOf(fields: ReadonlyMap<RecordField, string>) {
  const ranges = new Array<number>(recordFields.length * 2).fill(0);
  let json = '{';
  for (const [field, text] of fields) {
    json += `${json.length > 1 ? ',' : ''}"${field}":`;
    const value = objectFields.includes(field) ? text : JSON.stringify(text);
    const quote = objectFields.includes(field) ? 0 : 1;
    const at = recordFields.indexOf(field) * 2;
    ranges[at] = Buffer.byteLength(json) + quote;
    ranges[at + 1] = Buffer.byteLength(value) - quote * 2;
    json += value;
  }
  return { json: `${json}}`, ranges };
}

const wellFormed = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 });
/** Escapes, quotes, control characters and the like. */
const awkward = fc.oneof(
  wellFormed,
  fc.constantFrom('"', '\\', 'a\\"b', '\n\t', '\\u0041', '\u0001', '🙂"', 'é', '{"a":1}'),
);
const objectText = fc.dictionary(wellFormed, awkward, { maxKeys: 3 }).map((value) => JSON.stringify(value));

const fieldMap = fc
  .tuple(...recordFields.map((field) => fc.option(objectFields.includes(field) ? objectText : awkward)))
  .map((values) => {
    const present = recordFields.flatMap((field, at) => {
      const value = values[at];
      return value === null || value === undefined ? [] : [[field, value] as const];
    });
    return new Map<RecordField, string>(present);
  });

const sample = fc.record({
  fields: fieldMap,
  lane: fc.constantFrom(...lanes),
  shard: fc.integer({ min: 0, max: 65_535 }),
  timeMs: fc.integer({ min: -8.64e15, max: 8.64e15 }),
  acceptedMs: fc.integer({ min: 0, max: 8.64e15 }),
  seq: fc.option(fc.maxSafeInteger()),
  fingerprint: fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }),
  tenant: wellFormed,
  recipients: fc.array(wellFormed, { maxLength: 20 }),
  toAudience: fc.boolean(),
  askedForPush: fc.boolean(),
  merged: fc.boolean(),
  part: fc.option(wellFormed, { nil: undefined }),
  /** Bytes before and behind the event in the buffer it came in. */
  margin: fc.nat(20),
});

type Sample = typeof sample extends fc.Arbitrary<infer T> ? T : never;

function inputOf(one: Sample): RecordInput {
  const { json, ranges } = eventOf(one.fields);
  const source = Buffer.concat([Buffer.alloc(one.margin, '#'), Buffer.from(json), Buffer.alloc(one.margin, '#')]);
  const { lane, shard, timeMs, acceptedMs, seq, fingerprint, tenant, recipients, part } = one;
  const { toAudience, askedForPush, merged } = one;
  const escaped = json.includes('\\');
  const end = source.length - one.margin;
  const times = { timeMs, acceptedMs, seq, fingerprint };
  const people = { recipients, toAudience, askedForPush, merged, ...(part === undefined ? {} : { part }) };
  return { lane, shard, ...times, escaped, tenant, ...people, source, start: one.margin, end, ranges };
}

function assertReads(view: RecordView, one: Sample): void {
  assert.equal(view.version, 1);
  assert.equal(view.lane, one.lane);
  assert.equal(view.shard, one.shard);
  assert.equal(view.timeMs, one.timeMs);
  assert.equal(view.acceptedMs, one.acceptedMs);
  assert.equal(view.seq, one.seq);
  assert.equal(view.fingerprint, one.fingerprint);
  assert.equal(view.tenant, one.tenant);
  assert.deepEqual(view.recipients(), one.recipients);
  assert.equal(view.isToAudience, one.toAudience);
  assert.equal(view.isAskedForPush, one.askedForPush);
  assert.equal(view.isMerged, one.merged);
  assert.equal(view.part, one.part ?? '');
  assert.equal(view.event(), eventOf(one.fields).json);
  for (const field of recordFields) {
    const expected = one.fields.get(field);
    assert.equal(view.has(field), expected !== undefined, field);
    const found = objectFields.includes(field) ? view.json(field) : view.text(field);
    assert.equal(found, expected ?? '', field);
  }
}

test('record: every field of every record of a batch is read as it was written', () => {
  fc.assert(
    fc.property(fc.array(sample, { minLength: 1, maxLength: 6 }), fc.nat(200), (records, initialBytes) => {
      const writer = new RecordWriter(initialBytes);
      for (const one of records) writer.add(inputOf(one));
      assert.equal(writer.count, records.length);
      const bytes = writer.bytes;
      const batch = writer.take();
      assert.equal(batch.bytes.length, bytes);
      assert.equal(batch.count, records.length);
      const buffer = Buffer.from(batch.bytes);
      const view = new RecordView();
      const starts: number[] = [];
      let at = 0;
      for (const one of records) {
        starts.push(at);
        at = view.move(buffer, at);
        assertReads(view, one);
      }
      assert.equal(at, buffer.length);
      // Backwards too: a view holds nothing of where it was before.
      for (let place = records.length - 1; place >= 0; place--) {
        view.move(buffer, starts[place] as number);
        assertReads(view, records[place] as Sample);
      }
    }),
    { numRuns: 200 },
  );
});

test('record: a batch that was taken is not touched by what is written after', () => {
  const [first, second] = fc.sample(sample, { numRuns: 2, seed: 5 }) as [Sample, Sample];
  const writer = new RecordWriter();
  writer.add(inputOf(first));
  const taken = writer.take();
  const before = Buffer.from(taken.bytes);
  writer.add(inputOf(second));
  assert.deepEqual(Buffer.from(taken.bytes), before);
  const view = new RecordView();
  view.move(Buffer.from(writer.take().bytes), 0);
  assertReads(view, second);
});

const largest = fc.sample(sample, { numRuns: 1, seed: 1 })[0] as Sample;

test('record: the largest event and the longest list of recipients fit', () => {
  const filler = JSON.stringify({ text: 'x'.repeat(64 * 1024 - 40) });
  const fields = new Map<RecordField, string>([
    ['id', 'e1'],
    ['data', filler],
  ]);
  const recipients = Array.from({ length: 1000 }, (_, at) => `${at}-${'é'.repeat(200)}`);
  const one = { ...largest, fields, recipients };
  const writer = new RecordWriter(16);
  writer.add(inputOf(one));
  const view = new RecordView();
  const batch = writer.take();
  assert.equal(view.move(Buffer.from(batch.bytes), 0), batch.bytes.length);
  assertReads(view, one);
});

test('record: what does not fit its place is refused and leaves the batch as it was', () => {
  const writer = new RecordWriter();
  writer.add(inputOf(largest));
  const bytes = writer.bytes;
  const input = inputOf(largest);
  const tooFar = [...(input.ranges as number[])];
  tooFar[1] = 65_536;
  assert.throws(() => writer.add({ ...input, ranges: tooFar }), RangeError);
  assert.throws(() => writer.add({ ...input, tenant: 'x'.repeat(65_536) }), RangeError);
  assert.throws(() => writer.add({ ...input, recipients: new Array(65_536).fill('r') }), RangeError);
  assert.equal(writer.bytes, bytes);
  assert.equal(writer.count, 1);
  const view = new RecordView();
  view.move(Buffer.from(writer.take().bytes), 0);
  assertReads(view, largest);
});
