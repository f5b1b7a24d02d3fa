/** What callers should not send, and do: the raw material of the fuzzer. */
import fc from 'fast-check';

const words = [
  '',
  ' ',
  '0',
  '-0',
  '-1',
  '1e400',
  'NaN',
  'null',
  'true',
  '9007199254740993',
  '99999999999999999999',
  '__proto__',
  'constructor',
  'toString',
  'counts',
  'read',
  '..',
  '../../etc/passwd',
  "' OR 1=1 --",
  '<script>',
  '\u0000',
  '\u0001r2',
  'default\u0001r2',
  '\u202e\u2066',
  '😀',
  '\ud800',
  '2026-02-30T00:00:00Z',
  '2016-12-31T23:59:60Z',
  '0000-01-01T00:00:00Z',
  '9999-12-31T23:59:59Z',
  'n_',
  `n_${'z'.repeat(24)}`,
];

export const hostileText: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(...words),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.integer({ min: 100, max: 5000 }).map((length) => 'x'.repeat(length)),
);

export const hostileValue: fc.Arbitrary<unknown> = fc.oneof(
  hostileText,
  fc.constantFrom(null, true, [], {}, -1, 0.5, 2 ** 53, 1e308, -(2 ** 63), [[]], { length: -1 }),
  fc.jsonValue({ maxDepth: 4 }),
  fc.integer({ min: 10, max: 60 }).map((depth) => {
    let value: unknown = 1;
    for (let level = 0; level < depth; level++) value = level % 2 === 0 ? [value] : { a: value };
    return value;
  }),
);

/** Bodies that are no proper JSON, or too much of it. */
export const hostileBytes: fc.Arbitrary<Buffer> = fc.oneof(
  fc
    .constantFrom(
      '',
      '{',
      'null',
      '[]',
      '"',
      '{"a":1}{"b":2}',
      '{"ids":["a"],"ids":["b"]}',
      '{"__proto__":{"ids":["a"]}}',
      '{"ids":["\\ud800"]}',
      '{"ids":["\\u0000"]}',
      '{"through":1e400}',
      '{"through":9007199254740993}',
      '\ufeff{"ids":["a"]}',
      '{"ids":[01]}',
    )
    .map((body) => Buffer.from(body)),
  fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
  fc.constantFrom(
    Buffer.from([0x7b, 0x22, 0x61, 0x22, 0x3a, 0x22, 0xff, 0xfe, 0x22, 0x7d]),
    Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22]),
    Buffer.from([0x22, 0xc0, 0xaf, 0x22]),
  ),
  fc.constantFrom(1_000, 20_000, 200_000).map((depth) => Buffer.from('['.repeat(depth))),
  fc.constantFrom(1_000, 20_000).map((depth) => Buffer.from(`${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`)),
);

/** As large as any body may be, just below and just above. */
export const hugeBodies: readonly Buffer[] = [
  Buffer.from(`{"ids":[${'"n_aaaaaaaaaaaa",'.repeat(240_000)}"x"]}`),
  Buffer.from(`"${'y'.repeat(4 * 1024 * 1024 - 2)}"`),
  Buffer.from(`"${'z'.repeat(4 * 1024 * 1024)}"`),
  Buffer.from('['.repeat(4 * 1024 * 1024)),
];
