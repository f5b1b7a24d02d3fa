import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import { limits } from '../base/limits.ts';
import { RecentPlaces } from './recent-places.ts';

it('says exactly how many rows are above, or that it cannot, or that a whole list has come since', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(40), { maxLength: 600 }), fc.boolean(), (steps, isNearlyInOrder) => {
      const places = new RecentPlaces(Number.NEGATIVE_INFINITY);
      const before: number[] = [];
      for (const [index, step] of steps.entries()) {
        const time = isNearlyInOrder ? index * 10 - step : step;
        const above = before.filter((other) => other > time).length;
        const told = places.above(time);
        places.note(time);
        if (told < limits.changesMax) assert.equal(told, above);
        if (isNearlyInOrder) assert.equal(told, above);
        if (told === limits.changesMax) assert.ok(before.length > limits.changesMax);
        before.push(time);
      }
    }),
  );
});
