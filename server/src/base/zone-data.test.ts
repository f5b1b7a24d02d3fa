/** Which rules of zones are too old to reckon with. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isZoneDataOld, leastZoneData, zoneData } from './zone-data.ts';

test('those of this process are not; older ones are, and what is no version', () => {
  assert.equal(isZoneDataOld(), false, zoneData);
  assert.equal(isZoneDataOld(leastZoneData), false);
  assert.deepEqual(['2025z', '2019a', 'none', ''].map(isZoneDataOld), [true, true, true, true]);
});
