import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { filteredKey } from './filtered-key.ts';
import { type Item, type Member, type NotifyWindow, noWindow } from './item.ts';
import { activityAtMsOf, decodeItem, encodeItem } from './item-codec.ts';
import { decodeMembers, encodeMembers, mergeDeltas } from './member-codec.ts';
import { ana, noonMs, testItem, testMember } from './test-items.ts';

const text = fc.string({ unit: 'binary', maxLength: 30 });
const textOrNull = fc.option(text);
/** All that a JavaScript date can hold before the year 2128. */
const timeMs = fc.integer({ min: -8.6e15, max: 5e12 });
const revision = fc.nat({ max: Number.MAX_SAFE_INTEGER });
const actor = fc.record({ id: text, name: textOrNull, avatar: textOrNull });
const parent = fc.record({ kind: text, id: text, title: textOrNull, url: textOrNull });

const member: fc.Arbitrary<Member> = fc.record({
  key: text,
  actor,
  thing: text,
  countedAtMs: timeMs,
  seq: fc.option(revision),
  timeMs,
  present: fc.boolean(),
  countedIn: fc.oneof(fc.constant(0), fc.nat()),
});

const window: fc.Arbitrary<NotifyWindow> = fc.oneof(
  fc.constant(noWindow),
  fc.record({ number: fc.integer({ min: 1 }), endsAtMs: fc.option(timeMs), untold: fc.nat() }),
);

const items: fc.Arbitrary<Item> = fc
  .record({
    type: text,
    category: text,
    lane: fc.constantFrom('direct', 'social', 'bulk'),
    groupKey: text,
    state: fc.constantFrom('live', 'removed'),
    createdAtMs: timeMs,
    activityAtMs: timeMs,
    createdRevision: revision,
    activityRevision: revision,
    revision,
    acceptedAtMs: timeMs,
    actors: fc.array(actor, { maxLength: 3 }),
    actorCount: fc.nat(),
    actorCountIsEstimate: fc.boolean(),
    actorCountAtMove: fc.nat(),
    object: fc.record({
      kind: text,
      id: text,
      title: textOrNull,
      url: textOrNull,
      image: textOrNull,
      parent: fc.option(parent),
    }),
    mentioned: fc.boolean(),
    formerPlaces: fc.array(fc.record({ activityAtMs: timeMs, from: revision, until: revision })),
    openedBy: fc.record({ source: text, id: text }),
    decisions: fc.array(
      fc.oneof(
        fc.constant({ channel: 'inApp', kind: 'send', reason: 'default' } as const),
        fc.date({ noInvalidDate: true }).map((date) => {
          return { channel: 'push', kind: 'hold', reason: 'quietHours', until: date.toISOString() } as const;
        }),
      ),
    ),
    window,
    opening: fc.array(member, { maxLength: 2 }),
    sketch: fc.option(text),
  })
  .chain((parts) => fc.boolean().map((asked) => ({ ...parts, askedForPush: asked && parts.window.number > 0 })))
  .chain((parts) => fc.boolean().map((isFiltered) => ({ ...parts, ...(isFiltered ? inFilteredView(parts) : {}) })))
  .map((parts) => ({ ...testItem(ana, 'e1', noonMs), ...parts }));

function inFilteredView({ groupKey, state }: { groupKey: string; state: 'live' | 'removed' }) {
  return { groupKey: filteredKey(groupKey), state: state === 'live' ? ('filtered' as const) : state };
}

const members: fc.Arbitrary<Member[]> = fc.array(member);

test('any item comes back from its bytes as it was', () => {
  fc.assert(
    fc.property(items, (item) => {
      assert.deepEqual(decodeItem(Buffer.from(encodeItem(item)).toString()), plain(item));
    }),
  );
});

test('any members come back from their bytes as they were', () => {
  fc.assert(
    fc.property(members, (list) => {
      assert.deepEqual(decodeMembers(Buffer.from(encodeMembers(list)).toString()), plain(list));
    }),
  );
});

test('text that would break lines or UTF-8 survives', () => {
  const name = '"\\\u0000\u0001\n\u2028 \ud800 😀 é';
  const item = testItem(ana, 'e1', noonMs, { actors: [{ id: name, name, avatar: null }] });
  assert.equal(decodeItem(Buffer.from(encodeItem(item)).toString()).actors[0]?.name, name);
});

test('the format of the first release is read for good', () => {
  const lines = [
    '1',
    5 + 8,
    8,
    1773144000000,
    1,
    1,
    1000,
    100,
    2,
    1,
    'n_0mmk6ovr0abcdefghijklmno',
    'direct',
    'reply.created',
  ];
  const more = ['replies', 'g', 'posts', 'e1', 'inApp send default,push hold quietHours 2026-03-11T07:00:00Z'];
  const object = ['rs 5 1', 'comment', 'c1', 'Nice!\\nReally', '\u0001', '\u0001', 'post', 'p1', 'My trip', '/p/p1'];
  const stored = [...lines, ...more, ...object, 'a1', 'Ana', '\u0001'].join('\n');
  const item = decodeItem(stored);
  assert.equal(encodeItem(item), stored);
  assert.deepEqual(
    [item.revision, item.activityRevision, item.createdRevision, item.createdAtMs, item.acceptedAtMs],
    [9, 8, 7, 1773143999000, 1773144000100],
  );
  assert.deepEqual([item.object.title, item.object.parent?.title, item.mentioned], ['Nice!\nReally', 'My trip', true]);
  assert.deepEqual(item.formerPlaces, [{ activityAtMs: 1773143999000, from: 3, until: 7 }]);
  assert.deepEqual(item.actors, [{ id: 'a1', name: 'Ana', avatar: null }]);
});

test('a format of a later release is refused, not guessed', () => {
  assert.throws(() => decodeItem('9\n1'), /unknown format "9"/);
  assert.throws(() => decodeMembers('2\n1'), /unknown format "2"/);
});

test('the later delta of a member wins', () => {
  const gone = testMember('bo', { present: false });
  assert.deepEqual(mergeDeltas([[testMember('bo'), testMember('cy')], [gone]]), [gone, testMember('cy')]);
  assert.deepEqual(mergeDeltas([]), []);
});

/** Without fast-check's null prototypes, and with -0 as JSON has it. */
function plain<Value>(value: Value): Value {
  return JSON.parse(JSON.stringify(value)) as Value;
}

test('where an item stands is told without decoding it', () => {
  fc.assert(fc.property(items, (item) => assert.equal(activityAtMsOf(encodeItem(item)), item.activityAtMs)));
  assert.throws(() => activityAtMsOf('9\n1\n2\n3'), /unknown format "9"/);
});
