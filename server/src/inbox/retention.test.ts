import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { personKey } from '../base/ids.ts';
import { dayMs } from '../base/iso-time.ts';
import { limits } from '../base/limits.ts';
import { VirtualClock } from '../base/virtual-clock.ts';
import type { Item } from './item.ts';
import { removeRows } from './remove-rows.ts';
import { Retention, type RetentionParts } from './retention.ts';
import { TestInbox } from './test-inbox.ts';
import { ana, idsOf, noonMs } from './test-items.ts';
import { testStores } from './test-stores.ts';

const bo = personKey('default', 'bo');

function raise(error: unknown): void {
  throw error;
}

for (const stores of testStores()) {
  describe(`retention: ${stores.name}`, () => {
    after(() => stores.close());
    const set = async (change: Partial<RetentionParts> = {}) => {
      const clock = new VirtualClock(noonMs);
      const store = await stores.open();
      const retention = new Retention({
        store,
        clock,
        remove: (person, items) => removeRows(store, clock, person, items),
        failed: raise,
        ...change,
      });
      return { clock, store, retention, inbox: new TestInbox(store, clock, ana) };
    };

    test('rows go when their time from intake is over, not before, whatever their event time', async () => {
      const { clock, store, retention, inbox } = await set();
      const old = await inbox.add('old', noonMs);
      const replayed = await inbox.add('replayed', noonMs - 400 * dayMs, { acceptedAtMs: noonMs + 1 });
      const ahead = await inbox.add('ahead', noonMs + limits.eventAheadMs, { acceptedAtMs: noonMs });
      clock.advance(limits.retentionMs);
      assert.equal(await retention.run(), 0);
      clock.step(1);
      assert.equal(await retention.run(), 2);
      const head = await store.head(ana, 10);
      assert.deepEqual(idsOf(head.items), [replayed.id]);
      assert.ok(head.deepRevision > inbox.revision);
      assert.deepEqual([await store.item(ana, old.id), await store.item(ana, ahead.id)], [null, null]);
      await retention.stop();
    });

    test('categories have times of their own', async () => {
      const { clock, store, retention, inbox } = await set({ keptMs: { digests: dayMs, legal: 400 * dayMs } });
      await inbox.add('digest', noonMs, { category: 'digests' });
      const like = await inbox.add('like', noonMs);
      const legal = await inbox.add('legal', noonMs - 5, { category: 'legal' });
      clock.step(2 * dayMs);
      await retention.run();
      assert.deepEqual(idsOf((await store.head(ana, 10)).items), [like.id, legal.id]);
      clock.step(limits.retentionMs);
      await retention.run();
      assert.deepEqual(idsOf((await store.head(ana, 10)).items), [legal.id]);
      await retention.stop();
    });

    test('the oldest beyond the greatest number go, in bounded steps, each archived first', async () => {
      const archived: string[] = [];
      let stepMax = 0;
      const { store, clock, inbox } = await set();
      const remove = async (person: typeof ana, items: readonly Item[]) => {
        assert.ok(items.every((item) => archived.includes(item.id)));
        stepMax = Math.max(stepMax, items.length);
        await removeRows(store, clock, person, items);
      };
      const archive = async (_: unknown, items: readonly Item[]) => {
        archived.push(...idsOf(items));
      };
      const retention = new Retention({ store, clock, remove, archive, rowsPerPersonMax: 20, failed: raise });
      for (let n = 0; n < 250; n++) await inbox.add(`e${n}`, noonMs + Math.floor(n / 3));
      const kept = idsOf(inbox.list()).slice(0, 20);
      assert.equal(await retention.run(), 230);
      assert.deepEqual(idsOf((await store.head(ana, 300)).items), kept);
      assert.equal(new Set(archived).size, 230);
      assert.ok(stepMax <= limits.retentionStepRows);
      assert.equal(await retention.run(), 0);
      await retention.stop();
    });

    test('a failing archive keeps the rows; the next pass takes them', async () => {
      let isDown = true;
      const archive = async () => {
        if (isDown) throw new Error('archive is down');
      };
      const { store, retention, inbox } = await set({ archive, rowsPerPersonMax: 1 });
      await inbox.add('e1', noonMs);
      await inbox.add('e2', noonMs + 1);
      await assert.rejects(retention.run(), /archive is down/);
      assert.equal((await store.head(ana, 10)).items.length, 2);
      isDown = false;
      assert.equal(await retention.run(), 1);
      await retention.stop();
    });

    test('it runs by the clock, through everybody, and not after it was stopped', async () => {
      const told: number[] = [];
      const { clock, store, retention, inbox } = await set({ trimmed: (rows) => told.push(rows) });
      await inbox.add('e1', noonMs);
      await new TestInbox(store, clock, bo).add('e1', noonMs);
      clock.advance(limits.retentionMs + limits.retentionEveryMs);
      await retention.run();
      assert.deepEqual(await store.people(null, 10), []);
      assert.deepEqual(told, [2]);
      await retention.stop();
      await inbox.add('e2', noonMs);
      clock.advance(limits.retentionEveryMs * 2);
      assert.equal((await store.head(ana, 10)).items.length, 1);
    });
  });
}
