import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { limits } from '../base/limits.ts';
import { describeInApp } from '../content/describe-in-app.ts';
import { changesFrame, changesFrames, type FrameFacts } from './inbox-changes.ts';
import type { Item } from './item.ts';
import { noMarks } from './item.ts';
import { ana, idsOf, noonMs, testItem } from './test-items.ts';
import { toNotification } from './to-notification.ts';

function factsOf(items: Item[], deepRevision = 0): FrameFacts {
  return {
    head: { items, complete: true, marks: noMarks, deepRevision },
    counts: { unread: 0, unseen: 0, capped: false, revision: 0, marksVersion: 0 },
    nowMs: noonMs,
    toWire: (item) => toNotification(item, noMarks, noonMs, describeInApp),
  };
}

test('wherever the frames break off, resuming brings all the rest, also where rows share a revision', () => {
  const rows = fc.array(fc.tuple(fc.nat({ max: 3 }), fc.boolean()), { minLength: 101, maxLength: 199 });
  fc.assert(
    fc.property(rows, (steps) => {
      let revision = 10;
      const items = steps.map(([step, isLive], n) => {
        revision += step;
        return testItem(ana, `e${n}`, noonMs - n, { revision, state: isLive ? 'live' : 'removed' });
      });
      const facts = factsOf(items);
      const frames = changesFrames(facts, 9);
      const got = new Set<string>();
      for (const frame of frames) {
        assert.ok(frame.kind === 'changes');
        assert.ok(frame.items.length + frame.removed.length <= limits.frameItemsMax);
        for (const id of [...idsOf(frame.items), ...frame.removed]) got.add(id);
        const rest = changesFrame(facts, frame.revision);
        assert.ok(rest.kind === 'changes');
        const resumed = new Set([...got, ...idsOf(rest.items), ...rest.removed]);
        assert.equal(resumed.size, items.length);
      }
      assert.equal(frames.length, 2);
      const last = frames.at(-1);
      assert.equal(last?.kind === 'changes' && last.revision, revision);
    }),
    { numRuns: 50 },
  );
});

test('a deep change or a trim makes older revisions load again, its own not', () => {
  const facts = factsOf([testItem(ana, 'e1', noonMs, { revision: 5 })], 8);
  assert.deepEqual(changesFrame(facts, 7), { kind: 'resync', reason: 'tooOld' });
  const current = changesFrame(facts, 8);
  assert.ok(current.kind === 'changes');
  assert.deepEqual([current.items, current.removed, current.revision], [[], [], 8]);
  assert.deepEqual(changesFrame(facts, 9), { kind: 'resync', reason: 'unknownRevision' });
});
