import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type PersonKey, personKey } from '../base/ids.ts';
import type { PageText } from '../inbox/inbox-service.ts';
import { PageCache } from './page-cache.ts';
import { PageHolders } from './page-holders.ts';

const [ana, bo, cy] = ['ana', 'bo', 'cy'].map((user) => personKey('default', user)) as [
  PersonKey,
  PersonKey,
  PersonKey,
];
const page = (bytes: number, validUntilMs = Number.POSITIVE_INFINITY): PageText => ({
  json: Buffer.alloc(bytes),
  nextCursor: null,
  validUntilMs,
});

describe('kept pages', () => {
  it('are answered until dropped, each by its length', () => {
    const cache = new PageCache(100);
    const first = page(10);
    cache.put(ana, 20, first);
    assert.equal(cache.get(ana, 20, 0), first);
    assert.equal(cache.get(ana, 100, 0), null);
    cache.drop(ana);
    assert.equal(cache.get(ana, 20, 0), null);
  });

  it('end when a snoozed row comes back', () => {
    const cache = new PageCache(100);
    cache.put(ana, 20, page(10, 5000));
    assert.notEqual(cache.get(ana, 20, 4999), null);
    assert.equal(cache.get(ana, 20, 5000), null);
  });

  it('stay within their bytes: the one unused longest goes', () => {
    const cache = new PageCache(100);
    cache.put(ana, 20, page(40));
    cache.put(bo, 20, page(40));
    cache.get(ana, 20, 0);
    cache.put(cy, 20, page(40));
    assert.equal(cache.get(bo, 20, 0), null);
    assert.notEqual(cache.get(ana, 20, 0), null);
    cache.put(cy, 20, page(10));
    cache.put(bo, 20, page(40));
    assert.notEqual(cache.get(ana, 20, 0), null, 'a page put again counts once');
  });
});

describe('whose page may be kept', () => {
  it('nobody whose inbox changed while it was read', () => {
    const told: PersonKey[][] = [];
    const holders = new PageHolders((people) => told.push(people));
    const first = holders.begin(ana);
    holders.changed([ana, bo]);
    const second = holders.begin(ana);
    assert.equal(holders.mayKeep(ana, first), false);
    assert.equal(holders.mayKeep(ana, second), true);
    assert.deepEqual(told, [[ana]], 'only of whom a page may be held');
    holders.changed([ana]);
    holders.changed([ana]);
    assert.deepEqual(told, [[ana], [ana]], 'once a page');
  });
});
