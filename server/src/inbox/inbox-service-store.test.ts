import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import type { MarksFrame } from '@carillon/contract/stream.ts';
import { CarillonError } from '../base/carillon-error.ts';
import { personKey } from '../base/ids.ts';
import { limits } from '../base/limits.ts';
import { VirtualClock } from '../base/virtual-clock.ts';
import { describeInApp } from '../content/describe-in-app.ts';
import { builtInContent } from '../content/live-content.ts';
import { InboxServiceStore } from './inbox-service-store.ts';
import { TestInbox } from './test-inbox.ts';
import { ana, idsOf, noonMs, testMember } from './test-items.ts';
import { testStores } from './test-stores.ts';

const unknownId = 'n_0mmk6ovr0abcdefghijklmno' as Parameters<InboxServiceStore['why']>[1];

function isUnknown(error: unknown): boolean {
  return error instanceof CarillonError && error.code === 'CARILLON_NOTIFICATION_UNKNOWN';
}

for (const stores of testStores()) {
  describe(`inbox service: ${stores.name}`, () => {
    after(() => stores.close());
    const set = async () => {
      const clock = new VirtualClock(noonMs);
      const store = await stores.open();
      const cursorSecret = Buffer.alloc(32, 7);
      const service = new InboxServiceStore({ store, clock, cursorSecret, describe: describeInApp });
      return { clock, store, service, inbox: new TestInbox(store, clock, ana) };
    };
    const unread = async (service: InboxServiceStore) => (await service.counts(ana)).unread;

    test('a notification as the wire shows it', async () => {
      const { service, inbox } = await set();
      const actors = ['Cy', 'Bo', 'Al'].map((name) => ({ id: name.toLowerCase(), name, avatar: 'javascript:x' }));
      const item = await inbox.add('e1', noonMs, { actors, actorCount: 7 });
      const shown = await service.notification(ana, item.id);
      assert.deepEqual(shown.text, { title: 'Likes', body: 'Cy, Bo and 5 others liked your post “My trip”' });
      assert.deepEqual(shown.actors[0], { id: 'cy', name: 'Cy', avatar: null });
      assert.deepEqual(
        [shown.url, shown.createdAt, shown.revision],
        ['/p/p1', '2026-03-10T12:00:00.000Z', item.revision],
      );
      assert.deepEqual(shown.state, { seen: false, read: false, archived: false, snoozedUntil: null });
    });

    test('what never was, is gone, or is another’s is equally unknown', async () => {
      const { service, inbox } = await set();
      const item = await inbox.add('e1', noonMs);
      const gone = await inbox.add('e2', noonMs);
      await inbox.change(gone.id, { state: 'removed' });
      for (const [person, id] of [
        [ana, unknownId],
        [ana, gone.id],
        [personKey('default', 'bo'), item.id],
        [personKey('other', 'ana'), item.id],
      ] as const) {
        await assert.rejects(service.notification(person, id), isUnknown);
        await assert.rejects(service.why(person, id), isUnknown);
        await assert.rejects(service.actors(person, id, null, 10), isUnknown);
        assert.deepEqual((await service.mark(person, { kind: 'read', ids: [id] })).items, []);
      }
      assert.equal(await unread(service), 1);
    });

    test('marks by id: states, counts, and only rows that exist', async () => {
      const { service, inbox } = await set();
      const [one, two] = [await inbox.add('e1', noonMs), await inbox.add('e2', noonMs + 1)];
      const read = await service.mark(ana, { kind: 'read', ids: [one.id, unknownId, one.id] });
      assert.deepEqual(idsOf(read.items), [one.id]);
      assert.deepEqual(read.items[0]?.state, { seen: true, read: true, archived: false, snoozedUntil: null });
      assert.deepEqual([read.counts.unread, read.counts.unseen], [1, 1]);
      const again = await service.mark(ana, { kind: 'unread', ids: [one.id] });
      assert.equal(again.items[0]?.state.seen, true);
      assert.deepEqual([again.counts.unread, again.counts.unseen], [2, 1]);
      assert.ok(again.counts.marksVersion > read.counts.marksVersion);
      assert.equal((await service.mark(ana, { kind: 'archive', ids: [two.id] })).counts.unread, 1);
      assert.equal((await service.mark(ana, { kind: 'unarchive', ids: [two.id] })).counts.unread, 2);
    });

    test('read through a revision: no further than there is, and over an older explicit unread', async () => {
      const { service, inbox } = await set();
      const one = await inbox.add('e1', noonMs);
      const two = await inbox.add('e2', noonMs + 1);
      const frame = await service.mark(ana, { kind: 'read', through: Number.MAX_SAFE_INTEGER });
      assert.equal(frame.readThrough, two.revision);
      await inbox.add('e3', noonMs + 2);
      assert.equal(await unread(service), 1);
      await service.mark(ana, { kind: 'unread', ids: [one.id] });
      assert.equal(await unread(service), 2);
      // A device that knows only of the first row marks all it knows.
      const stale = await service.mark(ana, { kind: 'read', through: one.revision });
      assert.equal(stale.counts.unread, 1);
      assert.equal(stale.readThrough, two.revision);
    });

    test('read through a time: late rows are covered, newer rows that came before them are not', async () => {
      const { service, inbox } = await set();
      const newer = await inbox.add('newer', noonMs + 100);
      const late = await inbox.add('late', noonMs + 10);
      const early = await inbox.add('early', noonMs);
      const frame = await service.mark(ana, { kind: 'read', throughTimeMs: noonMs + 10 });
      assert.equal(frame.counts.unread, 1);
      const page = await service.page(ana, { limit: 9, cursor: null, type: null, category: null, state: 'unread' });
      assert.deepEqual(idsOf(page.items), [newer.id]);
      assert.deepEqual(idsOf(frame.items).toSorted(), [late.id, early.id].toSorted());
      assert.equal((await service.mark(ana, { kind: 'seen', throughTimeMs: noonMs + 100 })).counts.unseen, 0);
      assert.equal(await unread(service), 1);
    });

    test('counts reach to the last row, and follow every mark', async () => {
      const { clock, service, inbox } = await set();
      for (let n = 0; n < 300; n++) await inbox.add(`e${n}`, noonMs + n);
      assert.deepEqual([await unread(service), (await service.counts(ana)).capped], [100, true]);
      const oldest = inbox.list().at(-1);
      assert.ok(oldest);
      await service.mark(ana, { kind: 'read', through: inbox.revision });
      assert.equal(await unread(service), 0);
      await service.mark(ana, { kind: 'unread', ids: [oldest.id] });
      assert.equal(await unread(service), 1);
      const query = { limit: 9, cursor: null, type: null, category: null, state: 'unread' } as const;
      assert.deepEqual(idsOf((await service.page(ana, query)).items), [oldest.id]);
      await service.mark(ana, { kind: 'snooze', ids: [oldest.id], untilMs: noonMs + 1000 });
      assert.equal(await unread(service), 0);
      clock.advance(1000);
      assert.equal(await unread(service), 1);
      await inbox.change(oldest.id, { state: 'removed' });
      assert.equal(await unread(service), 0);
      const { readThrough } = await service.mark(ana, { kind: 'seen', ids: [] });
      assert.ok(readThrough < inbox.revision);
    });

    test('changes since: complete within the newest rows, else a resync', async () => {
      const { service, inbox } = await set();
      for (let n = 0; n < 210; n++) await inbox.add(`e${n}`, noonMs + n);
      const since = inbox.revision;
      assert.deepEqual(((await service.changes(ana, since)) as { items: unknown[] }).items, []);
      const [top, second] = inbox.list();
      assert.ok(top && second);
      await inbox.change(second.id, { actorCount: 2 });
      await inbox.change(top.id, { state: 'removed' });
      const added = await inbox.add('new', noonMs + 500);
      const frame = await service.changes(ana, since);
      assert.equal(frame.kind, 'changes');
      assert.ok(frame.kind === 'changes');
      assert.deepEqual(
        [idsOf(frame.items), frame.removed, frame.revision],
        [[second.id, added.id], [top.id], added.revision],
      );
      assert.equal((await service.changes(ana, 0)).kind, 'resync');
      assert.deepEqual(await service.changes(ana, inbox.revision + 1), { kind: 'resync', reason: 'unknownRevision' });
      const oldest = inbox.list().at(-1);
      assert.ok(oldest);
      await inbox.change(oldest.id, { actorCount: 2 });
      assert.deepEqual(await service.changes(ana, since), { kind: 'resync', reason: 'tooOld' });
      assert.equal((await service.changes(ana, inbox.revision)).kind, 'changes');
      for (let n = 0; n <= limits.changesMax; n++) await inbox.add(`more${n}`, noonMs + 1000 + n);
      assert.deepEqual(await service.changes(ana, added.revision + 1), { kind: 'resync', reason: 'tooOld' });
    });

    test('a catch-up in frames: whoever has part of them resumes without a gap', async () => {
      const { service, inbox } = await set();
      const first = await inbox.add('first', noonMs);
      for (let n = 0; n < 150; n++) await inbox.add(`e${n}`, noonMs + n);
      await service.mark(ana, { kind: 'read', ids: [first.id] });
      const { hello, frames } = await service.catchup(ana, first.revision);
      assert.deepEqual([hello.user, hello.revision, hello.counts.unread], ['ana', inbox.revision, 100]);
      const [one, two, marks, ...others] = frames;
      assert.ok(one?.kind === 'changes' && two?.kind === 'changes' && others.length === 0);
      assert.deepEqual([one.items.length, two.items.length, two.revision], [100, 50, inbox.revision]);
      const rest = await service.changes(ana, one.revision);
      assert.ok(rest.kind === 'changes');
      assert.deepEqual(rest.items, two.items);
      assert.deepEqual(idsOf((marks as MarksFrame).items), [first.id]);
      assert.deepEqual((await service.catchup(ana, null)).frames, []);
      const current = await service.catchup(ana, inbox.revision);
      assert.deepEqual(
        current.frames.map((frame) => frame.kind),
        ['marks'],
      );
      const lost = await service.catchup(ana, inbox.revision + 5);
      assert.deepEqual(lost.frames[0], { kind: 'resync', reason: 'unknownRevision' });
    });

    test('all people of a group, newest first, once each, without those who left', async () => {
      const { store, service, inbox } = await set();
      const item = await inbox.add('e1', noonMs);
      const members = Array.from({ length: 25 }, (_, n) =>
        testMember(`u${n}/c`, {
          actor: { id: `u${n % 20}`, name: null, avatar: null },
          countedAtMs: noonMs + n,
          present: n !== 10,
        }),
      );
      const delta = { item: item.id, revision: 1, members };
      await store.write(0, [{ person: ana, items: [], members: [delta], deepRevision: null }], [1]);
      const met: string[] = [];
      let cursor: string | null = null;
      do {
        const page = await service.actors(ana, item.id, cursor, 7);
        met.push(...idsOf(page.items));
        cursor = page.nextCursor;
      } while (cursor !== null);
      const expected = [4, 3, 2, 1, 0, 19, 18, 17, 16, 15, 14, 13, 12, 11, 9, 8, 7, 6, 5].map((n) => `u${n}`);
      assert.deepEqual(met, expected);
    });

    test('why: the event that opened it, and each channel in plain words', async () => {
      const { service, inbox } = await set();
      const until = '2026-03-11T07:00:00Z';
      const item = await inbox.add('e1', noonMs, {
        decisions: [{ channel: 'push', kind: 'hold', reason: 'quietHours', until }],
      });
      assert.deepEqual(await service.why(ana, item.id), {
        event: { source: 'posts', id: 'e1', type: 'post.liked', time: '2026-03-10T12:00:00.000Z' },
        decisions: [
          {
            channel: 'push',
            kind: 'hold',
            reason: 'quietHours',
            until,
            text: 'Held back from push until Mar 11, 2026, 7:00 AM UTC: these are your quiet hours.',
          },
          ...(['inApp', 'email'] as const).map((channel) => ({
            channel,
            kind: 'skip',
            reason: 'noEndpoint',
            text: builtInContent.explain({ channel, kind: 'skip', reason: 'noEndpoint' }),
          })),
        ],
      });
    });
  });
}
