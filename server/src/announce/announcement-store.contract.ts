/** What every AnnouncementStore must do. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { TenantId } from '../base/ids.ts';
import type { Announcement } from './announcement.ts';
import type { AnnouncementStore } from './announcement-store.ts';
import { testAnnouncement } from './test-announcement.ts';

const [t1, t2] = ['t1' as TenantId, 't2' as TenantId];
const at = (id: string, more: Partial<Announcement> = {}) => testAnnouncement({ tenant: t1, id, ...more });

export function announcementStoreContract(name: string, open: () => Promise<AnnouncementStore>): void {
  describe(`AnnouncementStore: ${name}`, () => {
    test('what was created is there as it was, for its tenant alone, newest first', async () => {
      const store = await open();
      const odd = at('b_2', { name: 'naïve "quotes" \\ 🙂\u0000', to: { filter: { locales: ['de'] } } });
      for (const one of [at('b_1'), odd, at('b_3'), at('b_9', { tenant: t2 })]) await store.create(one);
      assert.deepEqual(await store.get(t1, 'b_2'), odd);
      assert.equal(await store.get(t2, 'b_2'), null);
      assert.equal(await store.get(t1, 'b_0'), null);
      assert.deepEqual(
        (await store.list(t1, 10)).map(({ id }) => id),
        ['b_3', 'b_2', 'b_1'],
      );
      assert.deepEqual(
        (await store.list(t1, 2)).map(({ id }) => id),
        ['b_3', 'b_2'],
      );
    });

    test('of two who act at once, one acts', async () => {
      const store = await open();
      await store.create(at('b_1'));
      const outcomes = await Promise.all(
        ['ana', 'bo', 'cy'].map((by) => store.replace(at('b_1', { version: 2, status: 'approved', name: by }))),
      );
      assert.equal(outcomes.filter(Boolean).length, 1);
      assert.equal((await store.get(t1, 'b_1'))?.status, 'approved');
      assert.equal(await store.replace(at('b_1', { version: 2 })), false);
      assert.equal(await store.replace(at('b_1', { version: 4 })), false);
      assert.equal(await store.replace(at('b_7', { version: 2 })), false);
      assert.equal(await store.get(t1, 'b_7'), null);
    });

    test('those that are scheduled or running, of all tenants', async () => {
      const store = await open();
      await store.create(at('b_1', { status: 'scheduled' }));
      await store.create(at('b_2', { status: 'running' }));
      await store.create(at('b_3'));
      await store.create(at('b_4', { tenant: t2, status: 'running' }));
      const ids = async () => (await store.underWay(10)).map(({ id }) => id).sort();
      assert.deepEqual(await ids(), ['b_1', 'b_2', 'b_4']);
      await store.replace(at('b_2', { version: 2, status: 'paused' }));
      await store.replace(at('b_4', { tenant: t2, version: 2, status: 'finished' }));
      await store.replace(at('b_3', { version: 2, status: 'scheduled' }));
      assert.deepEqual(await ids(), ['b_1', 'b_3']);
      assert.equal((await store.underWay(1)).length, 1);
    });
  });
}
