/** What every store of dead letters must do; run against each adapter. `open` answers an empty one. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { personKey, type TenantId } from '../base/ids.ts';
import type { DeadLetter, DeadLetterFilter, DeadLetterStore } from './dead-letter-store.ts';

const t1 = 't1' as TenantId;

function letter(name: string, change: Partial<DeadLetter> = {}): DeadLetter {
  return {
    name: `n_${name} push 1 d_1`,
    person: personKey('t1', 'ana'),
    channel: 'push',
    endpoint: 'd_1',
    state: 'failed',
    provider: 'apns',
    code: 'BadTopic',
    attempts: 1,
    version: 3,
    diedAtMs: 1000,
    ...change,
  };
}

export function deadLetterStoreContract(name: string, open: () => Promise<DeadLetterStore>): void {
  test(`${name}: all there is to a letter comes back, in order and page by page, apart by tenant`, async () => {
    const store = await open();
    const letters = ['a', 'b', 'c'].map((each) => letter(each, { code: each === 'b' ? null : 'x', provider: null }));
    await store.put([letters[2], letters[0], letters[1]] as DeadLetter[]);
    await store.put([letter('a', { person: personKey('t2', 'ana') })]);
    const first = await store.page(t1, {}, null, 2);
    assert.deepEqual(first, letters.slice(0, 2));
    assert.deepEqual(await store.page(t1, {}, first[1]?.name ?? null, 2), letters.slice(2));
    assert.equal(await store.count(t1, {}), 3);
    assert.equal(await store.count('t' as TenantId, {}), 0);
  });

  test(`${name}: a filter means those for which all of it holds`, async () => {
    const store = await open();
    await store.put([
      letter('a'),
      letter('b', { code: 'TooLarge' }),
      letter('c', { channel: 'email', provider: 'ses', state: 'unknown' }),
      letter('d', { person: personKey('t1', 'bo') }),
    ]);
    const cases: readonly (readonly [DeadLetterFilter, string])[] = [
      [{ code: 'BadTopic' }, 'acd'],
      [{ code: 'BadTopic', user: 'bo' }, 'd'],
      [{ channel: 'email' }, 'c'],
      [{ provider: 'apns', state: 'failed' }, 'abd'],
      [{ state: 'unknown', channel: 'push' }, ''],
    ];
    for (const [filter, expected] of cases) {
      const found = await store.page(t1, filter, null, 10);
      assert.equal(found.map((each) => each.name[2]).join(''), expected, JSON.stringify(filter));
      assert.equal(await store.count(t1, filter), expected.length);
    }
  });

  test(`${name}: one that dies again takes its own place, and an older death does not`, async () => {
    const store = await open();
    await store.put([letter('a', { version: 5, code: 'new' })]);
    await store.put([letter('a', { version: 3, code: 'old' })]);
    assert.deepEqual(await store.page(t1, {}, null, 10), [letter('a', { version: 5, code: 'new' })]);
    await store.remove([letter('a'), letter('never there')]);
    assert.equal(await store.count(t1, {}), 0);
  });

  test(`${name}: retention takes those that died before a time`, async () => {
    const store = await open();
    await store.put([letter('a', { diedAtMs: 10 }), letter('b', { diedAtMs: 20 })]);
    while ((await store.expire(20)) > 0);
    assert.deepEqual(await store.page(t1, {}, null, 10), [letter('b', { diedAtMs: 20 })]);
  });
}
