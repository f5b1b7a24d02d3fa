/** What every FanoutStore must do. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { audienceKey } from '../base/ids.ts';
import { type FanoutJob, notBegun } from './fanout-job.ts';
import type { FanoutStore } from './fanout-store.ts';

function job(name: string, more: Partial<FanoutJob> = {}): FanoutJob {
  return {
    id: `f_${name}`,
    shard: 0,
    audience: audienceKey('default', 'followers:u1'),
    source: 'posts',
    event: name,
    acceptedMs: 1000,
    record: Buffer.from([0, 255, 128, 10]),
    ...more,
  };
}

const list = (store: FanoutStore, tenant: string, max: number) => store.list({ tenant, audience: null }, max);
const reached = { after: 'user "7"', chunks: 2, recipients: 1999, kept: true };

export function fanoutStoreContract(name: string, open: () => Promise<FanoutStore>): void {
  const idsOf = async (store: FanoutStore, shard = 0, after: string | null = null, max = 10) =>
    (await store.pending(shard, after, max)).map(({ id }) => id);

  describe(`FanoutStore: ${name}`, () => {
    test('one that has begun is there with its record and its progress', async () => {
      const store = await open();
      const one = job('a');
      assert.deepEqual(await store.begin([one]), [one]);
      assert.deepEqual(await store.load('f_a'), { job: one, progress: notBegun });
      await store.advance(one, reached);
      assert.deepEqual(await store.load('f_a'), { job: one, progress: reached });
      assert.equal(await store.load('f_b'), null);
    });

    test('beginning again has no effect, whether it is under way or done', async () => {
      const store = await open();
      const [a, b, c] = [job('a'), job('b'), job('c')];
      await store.begin([a, b]);
      await store.advance(a, reached);
      await store.finish(b, reached, 2000);
      assert.deepEqual(await store.begin([a, b, c, c]), [c]);
      assert.deepEqual((await store.load('f_a'))?.progress, reached);
      assert.equal(await store.load('f_b'), null);
    });

    test('those under way of each shard, oldest first, in pages', async () => {
      const store = await open();
      await store.begin([job('c'), job('a'), job('x', { shard: 1 }), job('b'), job('y', { shard: 10 })]);
      assert.deepEqual(await idsOf(store), ['f_a', 'f_b', 'f_c']);
      assert.deepEqual(await idsOf(store, 0, null, 2), ['f_a', 'f_b']);
      assert.deepEqual(await idsOf(store, 0, 'f_b', 2), ['f_c']);
      assert.deepEqual(await idsOf(store, 1), ['f_x']);
      await store.finish(job('b'), reached, 2000);
      assert.deepEqual(await idsOf(store), ['f_a', 'f_c']);
      assert.equal(await store.waiting(100), 4);
      assert.equal(await store.waiting(3), 3);
    });

    test('operators see those of their tenant: under way, then done, newest first', async () => {
      const store = await open();
      const other = job('o', { audience: audienceKey('other', 'followers:u1') });
      const jobs = ['a', 'b', 'c', 'd'].map((each) => job(each));
      await store.begin([...jobs, other]);
      for (const done of [jobs[1], jobs[0]]) await store.finish(done as FanoutJob, reached, 2000);
      await store.advance(jobs[2] as FanoutJob, reached);
      const seen = await list(store, 'default', 10);
      assert.deepEqual(
        seen.map(({ event, recipients, chunks, doneMs }) => [event, recipients, chunks, doneMs]),
        [
          ['c', 1999, 2, null],
          ['d', 0, 0, null],
          ['b', 1999, 2, 2000],
          ['a', 1999, 2, 2000],
        ],
      );
      assert.equal((await list(store, 'default', 3)).length, 3);
      assert.deepEqual(
        (await list(store, 'other', 10)).map(({ event }) => event),
        ['o'],
      );
    });

    test('what was done long ago is forgotten, what is under way never', async () => {
      const store = await open();
      const [a, b, c] = [job('a'), job('b'), job('c')];
      await store.begin([a, b, c]);
      await store.finish(a, reached, 5000);
      await store.finish(b, reached, 7000);
      while ((await store.prune(6000)) > 0);
      assert.deepEqual(
        (await list(store, 'default', 10)).map(({ event }) => event),
        ['c', 'b'],
      );
      assert.deepEqual(await store.begin([a, b]), [a], 'then it would begin anew');
    });
  });
}
