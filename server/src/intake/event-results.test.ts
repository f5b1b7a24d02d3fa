import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CarillonError } from '../base/carillon-error.ts';
import { EventResults } from './event-results.ts';

test('results come in order, ids as they were written, and outcomes are counted per event and lane', () => {
  const body = Buffer.from('..a\\"b..c..');
  const other = Buffer.from('é');
  const results = new EventResults(body, 4);
  results.packed(body, { start: 2, end: 6 }, { first: 5, behind: 7, lane: 1 });
  results.rejected(
    null,
    new CarillonError('CARILLON_EVENT_INVALID', 'Bad.', { fields: [{ path: '/x', detail: 'Worse.' }] }),
  );
  results.packed(other, { start: 0, end: 2 }, { first: 7, behind: 8, lane: 0 });
  results.packed(body, { start: 8, end: 9 }, { first: 8, behind: 10, lane: 1 });
  // The first five records of the batch belong to another request.
  const first = ['accepted', 'accepted', 'accepted', 'accepted', 'accepted'] as const;
  const statuses = [...first, 'duplicate', 'duplicate', 'accepted', 'duplicate', 'accepted'] as const;
  assert.deepEqual(JSON.parse(results.toJson(statuses).toString()), {
    results: [
      { id: 'a"b', status: 'duplicate' },
      { id: null, status: 'rejected', error: { code: 'CARILLON_EVENT_INVALID', path: '/x', detail: 'Worse.' } },
      { id: 'é', status: 'accepted' },
      { id: 'c', status: 'accepted' },
    ],
  });
  assert.deepEqual(results.outcomes(statuses), { accepted: [1, 1, 0], duplicates: [0, 1, 0], rejected: 1 });
});
