import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Event } from '@carillon/contract/event.ts';
import { RepostGroups } from './repost-groups.ts';

const hourMs = 3_600_000;

function countsOf(reposts: readonly (readonly [actor: string, hour: number])[]): number[] {
  const groups = new RepostGroups();
  for (const [actor, hour] of reposts) {
    const time = new Date(Date.UTC(2026, 0, 1) + hour * hourMs).toISOString();
    groups.add({ actor: { id: actor }, time } as Event);
  }
  return groups.counts();
}

test('a group closes 24 h after its beginning, to the millisecond', () => {
  assert.deepEqual(
    countsOf([
      ['a', 0],
      ['b', 23.999],
      ['c', 24],
    ]),
    [1, 2],
  );
});

test('a repeat within 24 h counts nowhere and opens nothing; after that it counts again', () => {
  assert.deepEqual(
    countsOf([
      ['a', 0],
      ['b', 20],
      ['b', 30],
      ['a', 31],
    ]),
    [1, 2],
  );
});
