/** Real faults of other systems (CASES), as far as store and service decide them, on both embedded stores. */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { limits } from '../base/limits.ts';
import { VirtualClock } from '../base/virtual-clock.ts';
import { describeInApp } from '../content/describe-in-app.ts';
import type { PageQuery } from './inbox-service.ts';
import { InboxServiceStore } from './inbox-service-store.ts';
import type { Item } from './item.ts';
import { removeRows } from './remove-rows.ts';
import { Retention } from './retention.ts';
import { TestInbox } from './test-inbox.ts';
import { ana, idsOf, noonMs } from './test-items.ts';
import { testStores } from './test-stores.ts';

function query(change: Partial<PageQuery> = {}): PageQuery {
  return { limit: 10, cursor: null, type: null, category: null, state: null, ...change };
}

for (const stores of testStores()) {
  describe(`cases: ${stores.name}`, () => {
    after(() => stores.close());
    const set = async () => {
      const clock = new VirtualClock(noonMs);
      const store = await stores.open();
      const cursorSecret = Buffer.alloc(32, 7);
      const service = new InboxServiceStore({ store, clock, cursorSecret, describe: describeInApp });
      return { clock, store, service, inbox: new TestInbox(store, clock, ana) };
    };
    const pages = async (service: InboxServiceStore, change: Partial<PageQuery>) => {
      const all: string[][] = [];
      let cursor: string | null = null;
      do {
        const page = await service.page(ana, query({ ...change, cursor }));
        all.push(idsOf(page.items));
        cursor = page.nextCursor;
      } while (cursor !== null);
      return all;
    };
    /** Counts, checked against what the list can show. */
    const unread = async (service: InboxServiceStore) => {
      const { unread: count } = await service.counts(ana);
      assert.equal(count, (await pages(service, { state: 'unread' })).flat().length, 'count and list differ');
      return count;
    };

    test('BC-30 cursor with equal timestamps', async () => {
      const { service, inbox } = await set();
      const timeMs = noonMs + 123;
      const likes = [await inbox.add('like1', timeMs), await inbox.add('like2', timeMs)].toSorted((a, b) =>
        a.id < b.id ? -1 : 1,
      );
      assert.deepEqual(await pages(service, { limit: 1 }), [[likes[0]?.id], [likes[1]?.id], []]);
    });

    test('BC-30 a type filter with one match per page moves on', async () => {
      const { service, inbox } = await set();
      const likes: string[] = [];
      for (let n = 0; n < 19; n++) {
        const item = await inbox.add(`e${n}`, noonMs, { type: n % 2 === 0 ? 'post.liked' : 'user.followed' });
        if (n % 2 === 0) likes.push(item.id);
      }
      const met = await pages(service, { limit: 1, type: 'post.liked' });
      assert.deepEqual(
        met.slice(0, 10).map((page) => page.length),
        Array(10).fill(1),
      );
      assert.deepEqual(met.flat().toSorted(), likes.toSorted());
      assert.equal(met.flat().length, 10);
    });

    test('BC-32 mark-all-read races a new notification', async () => {
      const { clock, service, inbox } = await set();
      for (let n = 1; n <= 30; n++) await inbox.add(`N${n}`, noonMs + n);
      const first = await service.page(ana, query());
      const upTo = first.items[0];
      clock.advance(50);
      const late = await inbox.add('N31', noonMs + 31);
      clock.advance(50);
      const frame = await service.mark(ana, { kind: 'read', through: upTo?.revision as number });
      assert.equal(frame.counts.unread, 1);
      const second = await service.page(ana, query({ cursor: first.nextCursor }));
      assert.deepEqual(idsOf(second.items), idsOf(inbox.list().slice(11, 21)));
      assert.ok(
        second.items.every((item) => !item.state.read && !item.state.seen),
        'new for this view',
      );
      const fresh = await service.page(ana, query({ limit: 31 }));
      assert.deepEqual(idsOf(fresh.items.filter((item) => !item.state.read)), [late.id]);
      assert.equal(await unread(service), 1);
    });

    test('BC-33 retention never leaves a count that the list cannot show', async () => {
      const { clock, store, service, inbox } = await set();
      const remove = async (person: typeof ana, items: readonly Item[]) => {
        await unread(service);
        await removeRows(store, clock, person, items);
        await unread(service);
      };
      const retention = new Retention({ store, clock, remove, failed: (error) => assert.fail(String(error)) });
      const old = await inbox.add('old', noonMs);
      clock.step(limits.retentionMs + 24 * 60 * 60 * 1000);
      const rows = [];
      for (const name of ['like', 'comment', 'follow']) rows.push(await inbox.add(name, clock.now()));
      const since = inbox.revision;
      assert.equal(await unread(service), 4);
      for (const [index, row] of rows.entries()) {
        await inbox.change(row.id, { state: 'removed', actorCount: 0 });
        assert.equal(await unread(service), 3 - index);
      }
      assert.equal(await retention.run(), 1);
      assert.deepEqual((await pages(service, {})).flat(), []);
      const { unread: count, unseen, revision } = await service.counts(ana);
      assert.deepEqual([count, unseen], [0, 0]);
      assert.ok(revision > inbox.revision);
      assert.deepEqual(await service.changes(ana, since), { kind: 'resync', reason: 'tooOld' });
      assert.equal(await store.item(ana, old.id), null);
      await retention.stop();
    });

    test('BC-36 the counter cannot drift under repeats', async () => {
      const { store, service, inbox } = await set();
      const item = await inbox.add('N1', noonMs);
      const steps: number[] = [];
      for (const kind of ['unread', 'unread', 'read', 'read'] as const) {
        await service.mark(ana, { kind, ids: [item.id] });
        steps.push(await unread(service));
      }
      assert.deepEqual(steps, [1, 1, 0, 0]);
      const again = { person: ana, items: [{ item, movedFrom: null }], members: [], deepRevision: null };
      await store.write(0, [again], [1]);
      await store.write(0, [again], [1]);
      assert.equal(await unread(service), 0);
      await inbox.add('N2', noonMs + 1);
      assert.equal(await unread(service), 1);
    });
  });
}
