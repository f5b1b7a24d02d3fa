import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { event, follow, inComment, like } from './events.ts';
import { rows } from './person.ts';
import { World } from './world.ts';

describe('what an inbox shows', () => {
  let world: World;
  before(async () => {
    world = await World.start();
  });
  after(() => world.close());

  test('BC-04: a reply that also mentions its reader twice is one row, and others are mentioned', async () => {
    const [r1, r2] = [await world.person('r1'), await world.person('r2')];
    await world.happen(
      inComment('mention.created', 'c1', { to: { users: ['r1', 'r2', 'r1'] } }),
      inComment('reply.created', 'c1', { to: { user: 'r1' } }),
    );
    const inbox = await r1.inbox();
    assert.deepEqual(rows(inbox), ['reply.created comment:c1 a1']);
    assert.equal((inbox[0] as { mentioned?: boolean }).mentioned, true);
    assert.equal(await r1.unread(), 1);
    assert.deepEqual(rows(await r2.inbox()), ['mention.created comment:c1 a1']);
  });

  test('BC-05: edits tell of a mention once, take it away, and bring it back in silence', async () => {
    const r1 = await world.person('bc05');
    const edit = (at: number, text: string, mentions?: string[]) =>
      inComment(
        'comment.edited',
        'c5',
        {
          object: { kind: 'comment', id: 'c5', title: text },
          to: mentions?.length ? { users: mentions } : { user: 'bc05' },
          ...(mentions === undefined ? {} : { data: { mentions } }),
        },
        { at, seq: at },
      );
    await world.happen(edit(10, 'hi @r1', ['bc05']));
    const [row] = await r1.inbox();
    assert.deepEqual(rows(await r1.inbox()), ['mention.created comment:c5 a1']);
    assert.equal(await r1.told(row?.id as string), true);
    await world.happen(edit(20, 'hi @r1!', ['bc05']));
    assert.deepEqual(
      (await r1.inbox()).map(({ id, object, activityRevision }) => [id, object.title, activityRevision]),
      [[row?.id, 'hi @r1!', row?.activityRevision]],
      'new words, no news',
    );
    await world.happen(edit(30, 'hi', []));
    assert.deepEqual(await r1.inbox(), []);
    assert.equal(await r1.unread(), 0);
    await world.happen(edit(40, 'hi @r1', ['bc05']));
    const back = await r1.inbox();
    assert.deepEqual(
      back.map(({ id, activityRevision }) => [id, activityRevision]),
      [[row?.id, row?.activityRevision]],
    );
    await world.happen(edit(50, 'hi @r1'));
    assert.deepEqual(await r1.inbox(), back, 'an edit of an image changes nothing');
  });

  test('BC-07 (b): a post that mentions 5,000 people is refused and stores nothing', async () => {
    const mentions = Array.from({ length: 5000 }, (_, index) => `m${index}`);
    const users = mentions.slice(0, 51);
    const bomb = { ...inComment('comment.edited', 'c7', { to: { user: 'm0' } }), data: { mentions } };
    for (const body of [bomb, inComment('mention.created', 'c7', { to: { users } })]) {
      const { status, text } = await world.post(body as never);
      assert.deepEqual([status, JSON.parse(text).code], [422, 'CARILLON_EVENT_MENTIONS_TOO_MANY']);
    }
    await world.settled();
    assert.deepEqual(await (await world.person('m0')).inbox(), []);
  });

  test('BC-30: rows of the same moment page one by one, and a filter with one match per page moves on', async () => {
    const r1 = await world.person('bc30');
    await world.happen(like('a1', 'p1', 'bc30', { at: 0.123 }), like('a2', 'p2', 'bc30', { at: 0.123 }));
    const pages = await r1.pages('limit=1');
    assert.deepEqual(
      pages.slice(0, 2).map(({ items }) => items.length),
      [1, 1],
    );
    assert.ok(pages.slice(2).every(({ items, nextCursor }) => items.length === 0 && nextCursor === null));

    const reader = await world.person('bc30b');
    const days = 2 * 86_400;
    for (let n = 0; n < 10; n++) {
      // Days apart, so that each follow begins a row of its own.
      await world.send([
        like('a1', `p${n}`, 'bc30b', { at: n * days }),
        follow(`f${n}`, 'bc30b', { at: (n + 0.5) * days }),
      ]);
    }
    await world.settled();
    assert.equal((await reader.inbox()).length, 20);
    const filtered = (await reader.pages('type=post.liked&limit=1')).filter(({ items }) => items.length > 0);
    assert.deepEqual(
      filtered.map(({ items }) => rows(items)[0]),
      Array.from({ length: 10 }, (_, n) => `post.liked post:p${9 - n} a1`),
    );
  });

  test('BC-32: marking all read while something arrives leaves the new one unread, and the view as it was', async () => {
    const r1 = await world.person('bc32');
    const message = (n: number) =>
      event(
        'message.sent',
        { actor: { id: 'a1' }, object: { kind: 'message', id: `m${n}` }, to: { user: 'bc32' } },
        { at: n },
      );
    await world.happen(...Array.from({ length: 30 }, (_, n) => message(n + 1)));
    const first = await r1.page('limit=10');
    await world.happen(message(31));
    await r1.mark('read', { through: first.counts.revision });
    assert.equal(await r1.unread(), 1);
    const second = await r1.page(`limit=10&cursor=${first.nextCursor}`);
    assert.deepEqual(
      second.items.map(({ object, state }) => [object.id, state.read]),
      Array.from({ length: 10 }, (_, n) => [`m${20 - n}`, false]),
    );
    const reopened = await (await world.person('bc32')).inbox();
    assert.deepEqual(
      reopened.filter(({ state }) => !state.read).map(({ object }) => object.id),
      ['m31'],
    );
    // Second run: the tab is closed right after the click.
    await r1.mark('unread', { ids: [reopened[5]?.id] });
    const controller = new AbortController();
    const click = fetch(`${world.origin}/v1/notifications/read`, {
      method: 'POST',
      headers: { authorization: `Bearer ${r1.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ ids: [reopened[5]?.id] }),
      signal: controller.signal,
    });
    await click;
    controller.abort();
    assert.equal(await r1.unread(), 1);
  });

  test('BC-33: a deleted post takes its rows and their count along', async () => {
    const r1 = await world.person('bc33');
    await world.happen(
      like('a1', 'p33', 'bc33'),
      {
        ...inComment('comment.created', 'c33', { actor: { id: 'a2' }, to: { user: 'bc33' } }),
        object: { kind: 'comment', id: 'c33', parent: { kind: 'post', id: 'p33' } },
      },
      follow('a3', 'bc33'),
    );
    assert.equal(await r1.unread(), 3);
    await world.happen(
      event(
        'post.deleted',
        { actor: { id: 'bc33' }, object: { kind: 'post', id: 'p33' }, to: { user: 'bc33' } },
        { at: 60 },
      ),
    );
    assert.deepEqual(rows(await r1.inbox()), ['user.followed user:bc33 a3']);
    assert.equal(await r1.unread(), 1);
    await world.happen(
      event(
        'user.unfollowed',
        { actor: { id: 'a3' }, object: { kind: 'user', id: 'bc33' }, to: { user: 'bc33' } },
        { at: 61 },
      ),
    );
    assert.deepEqual(await r1.inbox(), []);
    assert.equal(await r1.unread(), 0);
  });

  test('BC-36: unread equals the unread rows after each step, whatever is repeated', async () => {
    const r1 = await world.person('bc36');
    const n1 = like('a1', 'p1', 'bc36');
    await world.happen(n1);
    const ids = [(await r1.inbox())[0]?.id];
    const found: number[] = [];
    for (const kind of ['unread', 'unread', 'read', 'read']) {
      await r1.mark(kind, { ids });
      found.push(await r1.unread());
    }
    assert.deepEqual(found, [1, 1, 0, 0]);
    await world.post([n1, n1]);
    await world.settled();
    assert.equal(await r1.unread(), 0);
    assert.equal((await r1.inbox()).length, 1);
    await world.happen(like('a1', 'p2', 'bc36', { at: 1 }));
    assert.equal(await r1.unread(), 1);
  });
});
