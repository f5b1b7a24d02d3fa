import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import fc from 'fast-check';
import { CarillonError } from '../base/carillon-error.ts';
import { personKey } from '../base/ids.ts';
import { VirtualClock } from '../base/virtual-clock.ts';
import { describeInApp } from '../content/describe-in-app.ts';
import type { PageQuery } from './inbox-service.ts';
import { InboxServiceStore } from './inbox-service-store.ts';
import type { InboxStore } from './inbox-store.ts';
import { TestInbox } from './test-inbox.ts';
import { ana, idsOf, moved, moveWrite, noonMs, personWrite } from './test-items.ts';
import { testStores } from './test-stores.ts';

const cursorSecret = Buffer.alloc(32, 7);

function query(change: Partial<PageQuery> = {}): PageQuery {
  return { limit: 3, cursor: null, type: null, category: null, state: null, ...change };
}

for (const stores of testStores()) {
  describe(`inbox pages: ${stores.name}`, () => {
    after(() => stores.close());
    const set = async (person = ana, store?: InboxStore) => {
      const clock = new VirtualClock(noonMs);
      const opened = store ?? (await stores.open());
      const service = new InboxServiceStore({ store: opened, clock, cursorSecret, describe: describeInApp });
      return { clock, service, inbox: new TestInbox(opened, clock, person) };
    };

    test('no row is repeated or hidden, whatever moves, comes and goes between pages', async () => {
      const store = await stores.open();
      let run = 0;
      const step = fc.record({
        kind: fc.constantFrom('add', 'late', 'move', 'nudge', 'remove', 'change', 'page', 'page'),
        pick: fc.nat(),
      });
      await fc.assert(
        fc.asyncProperty(fc.nat({ max: 12 }), fc.array(step, { maxLength: 40 }), async (rows, steps) => {
          const person = personKey('t', `p${++run}`);
          const { service, inbox } = await set(person, store);
          let timeMs = noonMs;
          for (let n = 0; n < rows; n++, timeMs += n % 3) await inbox.add(`first${n}`, timeMs);
          const met: string[] = [];
          let page = await service.page(person, query());
          met.push(...idsOf(page.items));
          const atFirst = new Set(inbox.items.keys());
          for (const [n, { kind, pick }] of steps.entries()) {
            const ids = [...inbox.items.keys()].filter((id) => inbox.items.get(id)?.state === 'live');
            const id = ids[pick % Math.max(1, ids.length)];
            timeMs += pick % 2;
            if (kind === 'add') await inbox.add(`new${n}`, timeMs);
            else if (kind === 'late') await inbox.add(`late${n}`, noonMs + (pick % 5));
            else if (kind === 'move' && id) await inbox.move(id, timeMs);
            else if (kind === 'nudge' && id) {
              await inbox.move(id, Math.min(timeMs, (inbox.items.get(id)?.activityAtMs ?? 0) + (pick % 4)));
            } else if (kind === 'change' && id) await inbox.change(id, { actorCount: 9 });
            else if (kind === 'remove' && id) await inbox.change(id, { state: 'removed' });
            else if (kind === 'page' && page.nextCursor !== null) {
              page = await service.page(person, query({ cursor: page.nextCursor }));
              met.push(...idsOf(page.items));
            }
          }
          while (page.nextCursor !== null) {
            page = await service.page(person, query({ cursor: page.nextCursor }));
            met.push(...idsOf(page.items));
          }
          assert.equal(new Set(met).size, met.length, 'repeated');
          for (const id of atFirst) {
            if (inbox.items.get(id)?.state === 'live') assert.ok(met.includes(id), 'hidden');
          }
        }),
        { numRuns: stores.name === 'memory' ? 150 : 60 },
      );
    });

    test('a former place that the item no longer names shows nothing, though its row is still there', async () => {
      const store = await stores.open();
      const { service, inbox } = await set(ana, store);
      const low = await inbox.add('low', noonMs);
      for (let n = 1; n <= 4; n++) await inbox.add(`e${n}`, noonMs + 100 * n);
      const first = await service.page(ana, query());
      const up = { ...moved(low, noonMs + 50, inbox.revision + 1), formerPlaces: [] };
      await store.write(0, [moveWrite(ana, moved(low, noonMs + 50, inbox.revision + 1), low)], [1]);
      await store.write(0, [personWrite(ana, [up])], [2]);
      const second = await service.page(ana, query({ cursor: first.nextCursor }));
      assert.deepEqual(idsOf(second.items), idsOf(inbox.list().slice(3)));
    });

    test('filters that match rarely go on to the end, beyond the newest rows', async () => {
      const { service, inbox } = await set();
      for (let n = 0; n < 450; n++) {
        const type = n % 200 === 0 ? 'user.followed' : 'post.liked';
        await inbox.add(`e${n}`, noonMs + n, { type });
      }
      const expected = idsOf(inbox.list().filter((item) => item.type === 'user.followed'));
      const met: string[] = [];
      let cursor: string | null = null;
      do {
        const page = await service.page(ana, query({ limit: 1, type: 'user.followed', cursor }));
        met.push(...idsOf(page.items));
        cursor = page.nextCursor;
      } while (cursor !== null);
      assert.deepEqual(met, expected);
      const page = await service.page(ana, query({ limit: 100, type: 'reply.created' }));
      assert.deepEqual([page.items, page.nextCursor], [[], null]);
    });

    test('each filter shows its rows, and rows come back when a snooze ends', async () => {
      const { clock, service, inbox } = await set();
      const [one, two, three, four] = [
        await inbox.add('e1', noonMs),
        await inbox.add('e2', noonMs + 1),
        await inbox.add('e3', noonMs + 2, { category: 'follows' }),
        await inbox.add('e4', noonMs + 3),
      ];
      await service.mark(ana, { kind: 'read', ids: [one.id] });
      await service.mark(ana, { kind: 'archive', ids: [two.id] });
      await service.mark(ana, { kind: 'snooze', ids: [four.id], untilMs: noonMs + 5000 });
      const shown = async (change: Partial<PageQuery>) => idsOf((await service.page(ana, query(change))).items);
      assert.deepEqual(await shown({}), [three.id, one.id]);
      assert.deepEqual(await shown({ state: 'unread' }), [three.id]);
      assert.deepEqual(await shown({ state: 'read' }), [one.id]);
      assert.deepEqual(await shown({ state: 'archived' }), [two.id]);
      assert.deepEqual(await shown({ state: 'filtered' }), []);
      assert.deepEqual(await shown({ category: 'follows' }), [three.id]);
      clock.advance(5000);
      assert.deepEqual(await shown({ state: 'unread' }), [four.id, three.id]);
      assert.equal((await service.counts(ana)).unread, 2);
    });

    test('a cursor holds for its person and its filters only, and not when changed', async () => {
      const { service, inbox } = await set();
      for (let n = 0; n < 5; n++) await inbox.add(`e${n}`, noonMs + n);
      const { nextCursor: cursor } = await service.page(ana, query());
      assert.ok(cursor);
      const wrong = [
        service.page(personKey('default', 'bo'), query({ cursor })),
        service.page(ana, query({ cursor, type: 'post.liked' })),
        service.page(ana, query({ cursor: `${cursor.slice(0, -2)}AA` })),
        service.page(ana, query({ cursor: 'nonsense' })),
        service.page(ana, query({ cursor: '' })),
        service.page(ana, query({ cursor: 'a'.repeat(5000) })),
      ];
      for (const result of wrong) {
        await assert.rejects(
          result,
          (error) => error instanceof CarillonError && error.code === 'CARILLON_CURSOR_INVALID',
        );
      }
      assert.equal((await service.page(ana, query({ cursor, limit: 100 }))).items.length, 2);
    });
  });
}
