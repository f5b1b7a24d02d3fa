/** Generators of events for property tests: valid ones written in every way JSON allows, and broken ones. */
import fc from 'fast-check';

/** One in sixteen is odd, so that about half of all events, of some ten fields, are valid. */
function mostly<T>(usual: fc.Arbitrary<T>, odd: fc.Arbitrary<unknown>): fc.Arbitrary<T> {
  return fc.oneof({ weight: 15, arbitrary: usual }, { weight: 1, arbitrary: odd as fc.Arbitrary<T> });
}

const printable = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 8 });
const id = mostly(
  fc.oneof(
    fc.stringMatching(/^[a-z0-9]{1,12}$/),
    printable,
    fc.constantFrom('"', '\\', 'é"\\', 'x'.repeat(256), '😀'.repeat(200)),
  ),
  fc.oneof(
    fc.string({ unit: 'binary', maxLength: 6 }),
    fc.constantFrom('', 'a\u007f', '\u0000', '\n', 'x'.repeat(257), '\ud800', 7, null),
  ),
);
const text = mostly(
  fc.oneof(
    printable,
    fc.constantFrom('', 'x'.repeat(200), 'é'.repeat(200), '\n\t"\\/', '\u0001', '\u007f', 'e\u0301'.repeat(100)),
  ),
  fc.oneof(
    fc.string({ unit: 'binary', maxLength: 6 }),
    fc.constantFrom('\u0000', '\ud800', 'e\u0301'.repeat(150), 'y'.repeat(501), 'y'.repeat(2049), 1, []),
  ),
);
const time = mostly(
  fc.oneof(
    fc
      .date({ min: new Date(-62135596800000), max: new Date(253402300799000), noInvalidDate: true })
      .map((date) => date.toISOString()),
    fc.constantFrom(
      '2026-03-10T12:00:00Z',
      '2026-03-10t12:00:00.123456789z',
      '2026-03-10T12:00:00+05:30',
      '2024-02-29T23:59:59.9-23:59',
    ),
  ),
  fc.constantFrom(
    '2026-02-29T00:00:00Z',
    '2016-12-31T23:59:60Z',
    '2026-03-10T24:00:00Z',
    '2026-03-10',
    '2026-03-10T12:00:00',
    '2026-03-10T12:00:00.Z',
    'yesterday',
    0,
  ),
);
const kind = mostly(
  fc.constantFrom('post', 'comment', 'a-b_9', 'p'.repeat(64)),
  fc.constantFrom('9a', '', 'é', 'p'.repeat(65)),
);
const type = mostly(
  fc.constantFrom('post.liked', 'post.liked@2', 'a.b.c', 'aB9.c@9999'),
  fc.constantFrom('post.liked@02', 'post.liked@', 'post.liked@10000', 'post', 'Post.liked', 'post..x', '.a', 'a.'),
);
const number = mostly(
  fc.oneof(fc.integer(), fc.double({ min: -1e15, max: 1e15, noNaN: true }), fc.constantFrom(0, 9007199254740991, 1e-7)),
  fc.constantFrom(9007199254740992, 1e300),
);
const seq = mostly(
  fc.oneof(fc.nat(), fc.constant(9007199254740991)),
  fc.constantFrom(9007199254740992, -1, 1.5, '1', null),
);

const data = mostly(
  fc.oneof(
    fc.constant({}),
    fc.dictionary(
      printable,
      fc.oneof(
        text,
        number,
        fc.boolean(),
        fc.constant(null),
        fc.array(number, { maxLength: 3 }),
        fc.dictionary(printable, text, { maxKeys: 3 }),
      ),
      { maxKeys: 4 },
    ),
    fc.record({ mentions: fc.oneof(fc.array(id, { maxLength: 3 }), fc.constant(Array(50).fill('u'))) }),
    fc.nat(14).map((depth) => nested(depth)),
  ),
  fc.oneof(
    fc.constantFrom({ mentions: 'x' }, { mentions: null }, { mentions: [1] }, { mentions: Array(51).fill('u') }, [], 1),
    fc.nat(20).map((depth) => nested(depth)),
    fc.dictionary(fc.string({ unit: 'binary' }), fc.anything()),
  ),
);

function nested(depth: number): object {
  let value: unknown = 1;
  for (let level = 0; level < depth; level++) value = level % 2 ? { a: value } : [value];
  return { value };
}

const thing = { kind, id, owner: id, title: text, url: text };
const required = { requiredKeys: ['kind', 'id'] as ('kind' | 'id')[] };
const to = mostly(
  fc.oneof(
    fc.record({ user: id }),
    fc.record({ users: fc.array(id, { minLength: 1, maxLength: 4 }) }),
    fc.record({ audience: fc.constantFrom('followers:u1', 'é'.repeat(320)) }),
  ),
  fc.constantFrom(
    {},
    null,
    { user: 'u', users: ['u'] },
    { users: [] },
    { users: Array(1001).fill('u') },
    { audience: '' },
    { audience: 'x'.repeat(321) },
  ),
);

/** A value of an event's shape: mostly valid, sometimes with one field out of bounds or of a wrong kind. */
export const eventValue: fc.Arbitrary<unknown> = fc
  .record(
    {
      id,
      source: id,
      type,
      time,
      seq,
      actor: fc.record({ id, name: text, avatar: fc.oneof(text, fc.constant(null)) }, { requiredKeys: ['id'] }),
      object: fc.record({ ...thing, image: text, parent: fc.record(thing, required) }, required),
      to,
      data,
      traceparent: mostly(
        fc.constant(`00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`),
        fc.constantFrom(
          '00-x',
          `00-${'A'.repeat(32)}-${'b'.repeat(16)}-01`,
          `00-${'a'.repeat(32)}_${'b'.repeat(16)}-01`,
        ),
      ),
    },
    { requiredKeys: ['id', 'source', 'type', 'time', 'actor', 'object', 'to'] },
  )
  .chain((event) =>
    fc.oneof(
      { weight: 20, arbitrary: fc.constant(event as unknown) },
      { weight: 1, arbitrary: fc.constantFrom(...Object.keys(event)).map((name) => without(event, name)) },
      { weight: 1, arbitrary: fc.constant({ ...event, extra: 1 }) },
      { weight: 1, arbitrary: fc.anything().map((value) => ({ ...event, actor: value })) },
    ),
  );

function without(event: object, name: string): object {
  return Object.fromEntries(Object.entries(event).filter(([key]) => key !== name));
}

/** A plain event that every part takes. */
export const plainEvent = {
  id: 'e-1',
  source: 'posts',
  type: 'post.liked',
  time: '2026-03-10T12:00:00Z',
  seq: 1,
  actor: { id: 'a1', name: 'Ana', avatar: 'https://app.example/a1.png' },
  object: { kind: 'post', id: 'p1', owner: 'r1', title: 'My trip', url: '/p/p1' },
  to: { user: 'r1' },
  data: {},
};

/** JSON text of a value written with random white space and needless escapes, then perhaps damaged by one edit. */
export function jsonTextOf(value: fc.Arbitrary<unknown>): fc.Arbitrary<string> {
  const edit = fc.record({
    at: fc.nat(),
    remove: fc.nat(2),
    insert: fc.constantFrom(
      '',
      '"',
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      '\\',
      '0',
      '-',
      '\u0000',
      ' ',
      'e',
      '"id":"x",',
      '\\u12',
    ),
  });
  return fc
    .tuple(value, fc.nat(4), fc.boolean(), fc.option(edit, { freq: 1 }))
    .map(([event, indent, ascii, damage]) => {
      let text = JSON.stringify(event, null, indent) ?? 'null';
      if (ascii)
        text = text.replace(/[^\x20-\x7e\n]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
      if (damage === null) return text;
      const at = damage.at % (text.length + 1);
      return text.slice(0, at) + damage.insert + text.slice(at + damage.remove);
    });
}
