import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Outcome, provesGone } from './outcome.ts';

const registeredAtMs = Date.UTC(2026, 2, 10, 11);
const gone = (asOfMs: number | null): Outcome => ({ kind: 'gone', code: 'Unregistered', asOfMs });

test('BC-46: an endpoint that was registered again since it was called dead stays', () => {
  assert.equal(provesGone(gone(1773140399000), registeredAtMs), false, '10:59:59');
  assert.equal(provesGone(gone(registeredAtMs), registeredAtMs), false, 'in the same millisecond');
  assert.equal(provesGone(gone(1773142200000), registeredAtMs), true, '11:30:00');
});

test('V11: a provider that gives no time is believed; nothing but `gone` is proof', () => {
  assert.equal(provesGone(gone(null), registeredAtMs), true);
  assert.equal(provesGone({ kind: 'refused', code: 'BadDeviceToken' }, registeredAtMs), false);
  assert.equal(provesGone({ kind: 'blocked', code: 'InvalidProviderToken' }, registeredAtMs), false);
});
