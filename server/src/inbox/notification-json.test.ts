import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import type { NotificationId } from '../base/ids.ts';
import { describeInApp } from '../content/describe-in-app.ts';
import { builtInTypes } from '../content/type-catalogue.ts';
import type { Item, ItemMark, Marks } from './item.ts';
import { noMarks } from './item.ts';
import { notificationJson } from './notification-json.ts';
import { ana, noonMs, testItem } from './test-items.ts';
import { toNotification } from './to-notification.ts';

const text = fc.oneof(fc.string({ unit: 'binary', maxLength: 20 }), fc.string({ maxLength: 20 }));
const textOrNull = fc.option(text);
const url = fc.oneof(textOrNull, fc.constantFrom('/p/p1', 'https://app.example/ü?"', 'javascript:alert(1)'));
const names = builtInTypes.types.map(({ name }) => name);

const items: fc.Arbitrary<Item> = fc
  .record({
    type: fc.oneof(fc.constantFrom(...names), text),
    category: text,
    actors: fc.array(fc.record({ id: text, name: textOrNull, avatar: url }), { maxLength: 3 }),
    actorCount: fc.nat(),
    actorCountIsEstimate: fc.boolean(),
    object: fc.record({
      kind: text,
      id: text,
      title: textOrNull,
      url,
      image: url,
      parent: fc.option(fc.record({ kind: text, id: text, title: textOrNull, url })),
    }),
    mentioned: fc.boolean(),
    activityAtMs: fc.integer({ min: 0, max: 4e12 }),
  })
  .map((parts) => testItem(ana, 'e1', noonMs, parts));

const mark = <Value>(value: fc.Arbitrary<Value>) => fc.option(fc.record({ value, version: fc.nat(9) }));
const marks = fc.record({
  readThrough: fc.nat(2),
  seenThrough: fc.nat(2),
  read: mark(fc.boolean()),
  archived: mark(fc.boolean()),
  snoozedUntilMs: mark(fc.option(fc.integer({ min: noonMs - 1000, max: noonMs + 1000 }))),
});

it('is to the letter what the objects would give', () => {
  fc.assert(
    fc.property(items, marks, (item, { readThrough, seenThrough, ...own }) => {
      const given = Object.fromEntries(Object.entries(own).filter(([, value]) => value !== null)) as ItemMark;
      const all: Marks = { ...noMarks, readThrough, seenThrough, items: new Map([[item.id as NotificationId, given]]) };
      const wanted = JSON.stringify(toNotification(item, all, noonMs, describeInApp));
      assert.equal(notificationJson(item, all, noonMs, describeInApp), wanted);
    }),
    { numRuns: 2000 },
  );
});
