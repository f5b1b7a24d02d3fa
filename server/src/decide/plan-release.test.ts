import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Lane } from '@carillon/contract/lanes.ts';
import fc from 'fast-check';
import { type HeldRow, planRelease } from './plan-release.ts';

const row = (id: string, category: string, more: Partial<HeldRow> = {}): HeldRow => ({
  id,
  category,
  lane: 'social',
  activityAtMs: 0,
  isStillNews: true,
  isSummed: false,
  ...more,
});

const idsOf = (held: readonly HeldRow[], pushesMax?: number): string[] =>
  planRelease(held, pushesMax).map(({ rows }) => rows.map(({ id }) => id).join('+'));

describe('what was held over the night', () => {
  it('20 likes, 10 comments of which 5 are read, 7 follows: at most 3 pushes for the 32 (BC-26)', () => {
    const many = (count: number, category: string, lane: Lane, isStillNews = () => true): HeldRow[] =>
      Array.from({ length: count }, (_, n) =>
        row(`${category}${n}`, category, { lane, activityAtMs: n, isStillNews: isStillNews() }),
      );
    let comment = 0;
    const comments = many(10, 'comments', 'direct', () => comment++ >= 5);
    const held = [...many(20, 'reactions', 'social'), ...comments, ...many(7, 'follows', 'social')];
    const pushes = planRelease(held);
    assert.deepEqual(
      pushes.map(({ rows }) => [rows[0]?.category, rows.length]),
      [
        ['comments', 5],
        ['reactions', 20],
        ['follows', 7],
      ],
    );
  });

  it('a few rows come each by itself, what matters most first, then the newest', () => {
    const held = [
      row('like', 'reactions', { activityAtMs: 9 }),
      row('message', 'messages', { lane: 'direct', activityAtMs: 1 }),
      row('follow', 'follows', { activityAtMs: 10 }),
    ];
    assert.deepEqual(idsOf(held), ['message', 'follow', 'like']);
  });

  it('as many rows as pushes come each by itself, also of one category; one more, and they come together', () => {
    const likes = ['a', 'b', 'c', 'd'].map((id, n) => row(id, 'reactions', { activityAtMs: -n }));
    assert.deepEqual(idsOf(likes.slice(0, 3)), ['a', 'b', 'c']);
    assert.deepEqual(idsOf(likes), ['a+b+c+d']);
  });

  it('of many categories the last push takes the rest', () => {
    const held = ['a', 'b', 'c', 'd', 'e'].map((category, n) => row(category, category, { activityAtMs: -n }));
    assert.deepEqual(idsOf(held), ['a', 'b', 'c+d+e']);
    assert.deepEqual(idsOf(held, 1), ['a+b+c+d+e']);
  });

  it('what a cap has held goes as one, beside what comes by itself', () => {
    const likes = ['a', 'b', 'c'].map((id) => row(id, 'reactions', { isSummed: true, activityAtMs: 1 }));
    assert.deepEqual(idsOf([...likes, row('m', 'messages', { lane: 'direct' })]), ['m', 'a+b+c']);
    assert.deepEqual(idsOf([...likes, row('d', 'follows')]), ['a+b+c', 'd']);
  });

  it('nothing left that is news: no push', () => {
    assert.deepEqual(idsOf([row('a', 'x', { isStillNews: false })]), []);
    assert.deepEqual(idsOf([]), []);
  });
});

it('any rows: never more pushes than allowed, each row that is news once, the same in any order', () => {
  const held = fc.uniqueArray(
    fc.record({
      id: fc.stringMatching(/^[a-z]{1,3}$/),
      category: fc.constantFrom('a', 'b', 'c', 'd', 'e'),
      lane: fc.constantFrom('direct', 'social', 'bulk'),
      activityAtMs: fc.nat(5),
      isStillNews: fc.boolean(),
      isSummed: fc.boolean(),
    }),
    { maxLength: 30, selector: ({ id }) => id },
  );
  fc.assert(
    fc.property(held, fc.integer({ min: 1, max: 4 }), (rows, pushesMax) => {
      const pushes = planRelease(rows as HeldRow[], pushesMax);
      assert.ok(pushes.length <= pushesMax);
      assert.ok(pushes.every((push) => push.rows.length > 0));
      const covered = pushes.flatMap((push) => push.rows.map(({ id }) => id));
      const news = rows.filter(({ isStillNews }) => isStillNews).map(({ id }) => id);
      assert.deepEqual(covered.sort(), news.sort());
      const summed = rows.filter((each) => each.isStillNews && each.isSummed);
      for (const [category, together] of Map.groupBy(summed, (each) => each.category)) {
        const ids = new Set(together.map(({ id }) => id));
        const spread = pushes.filter((push) => push.rows.some(({ id }) => ids.has(id)));
        assert.equal(spread.length, 1, category);
      }
      assert.deepEqual(planRelease([...rows].reverse() as HeldRow[], pushesMax), pushes);
    }),
    { numRuns: 10_000 },
  );
});
