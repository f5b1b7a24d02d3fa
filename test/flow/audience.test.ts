/** Audiences: who is in them, and events that are for all of them (F1–F5). */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import type { Event } from '@carillon/contract/event.ts';
import { personKey } from '../../server/src/base/ids.ts';
import { systemRandom } from '../../server/src/base/random.ts';
import { event, follow, like, type When } from './events.ts';
import { eventually } from './eventually.ts';
import { operatorsKey, type Tenant } from './flow-config.ts';
import { okay, Person, rows } from './person.ts';
import { isCluster, resultsOf, World } from './world.ts';

interface Fanout {
  readonly audience: string;
  readonly event: string;
  readonly recipients: number;
  readonly doneAt: string | null;
}

const post = (actor: string, thing: string, when?: When): Event =>
  event(
    'post.published',
    { actor: { id: actor }, object: { kind: 'post', id: thing, owner: actor }, to: { audience: `followers:${actor}` } },
    when,
  );

describe('audiences', () => {
  let world: World;
  beforeEach(async () => {
    world = await World.start({ where: 'process', config: { audiences: { broadcastAbove: 1_000_000 } } });
  });
  afterEach(() => world.close());

  const ask = (method: string, path: string, tenant: Tenant = 't1') => world.producer(tenant).ask(method, path);
  const count = async (audience: string, tenant: Tenant = 't1') =>
    okay<{ count: number }>(await ask('GET', `/v1/subscriptions/${audience}`, tenant)).count;
  const inboxOf = async (user: string, tenant: Tenant = 't1') => (await world.person(user, tenant)).inbox();

  /** Bulk import, in requests as large as may be. */
  async function subscribeAll(audience: string, users: readonly string[]): Promise<void> {
    for (let at = 0; at < users.length; at += 10_000) {
      const lines = users.slice(at, at + 10_000).map((user) => JSON.stringify({ audience, user }));
      const answer = await fetch(`${world.origin}/v1/subscriptions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${world.producer().token}`, 'content-type': 'application/x-ndjson' },
        body: lines.join('\n'),
      });
      assert.equal(((await answer.json()) as { taken: number }).taken, lines.length);
    }
  }

  test('BC-07 (a), (c): 20,000 followers, a like meanwhile, SIGKILL half-way, the same post again', async () => {
    const followers = Array.from({ length: 20_000 }, (_, n) => `f${n}`);
    await subscribeAll('followers:a9', followers);
    assert.equal(await count('followers:a9'), 20_000);
    const p9 = post('a9', 'p9');
    const written = async () => (await world.metric('carillon_fanout_recipients_total'))[0] ?? 0;
    await world.send([p9]);
    assert.ok((await written()) < 20_000, 'the author does not wait for the followers');

    // How long it takes is for the bench to say.
    await eventually(async () => (await written()) > 0);
    await world.send([like('a2', 'p1', 'r1')]);
    const r1 = await world.person('r1');
    await eventually(async () => (await r1.inbox()).length === 1);
    assert.ok((await written()) < 20_000, 'the like is there while the fan-out goes on');

    await eventually(async () => (await written()) >= 5000);
    assert.ok((await written()) < 20_000, 'half-way');
    await world.crash();
    await world.settled();
    await world.crash();
    await world.settled();

    const [again] = resultsOf(await world.post([p9]));
    // A cluster's intake that has forgotten it takes it again, and readers of the log drop it.
    assert.equal(again?.status, isCluster ? 'accepted' : 'duplicate');
    await world.settled();
    assert.deepEqual(rows(await inboxOf('f777')), ['post.published post:p9 a9']);
    assert.deepEqual(await inboxOf('a9'), []);
    const { items } = okay<{ items: Fanout[] }>(await new Person(world, operatorsKey).ask('GET', '/v1/admin/fanouts'));
    assert.equal(items.length, 1);
    assert.equal(items[0]?.recipients, 20_000);
    assert.notEqual(items[0]?.doneAt, null);
    await world.pause();
    await world.withStore(async (store) => {
      for (const user of followers) {
        const { items: found } = await store.head(personKey('t1', user), 10);
        assert.deepEqual(
          found.map(({ type, object }) => `${type} ${object.id}`),
          ['post.published p9'],
          user,
        );
      }
    });
  });

  test('F2: follows and unfollows keep the followers, in their own order; the author hears nothing', async () => {
    await world.happen(follow('b1', 'a1'), follow('b2', 'a1'), follow('b3', 'a1'), follow('a1', 'a1'));
    const unfollow = (actor: string, when: When) => ({ ...follow(actor, 'a1', when), type: 'user.unfollowed' });
    // b3's unfollow overtakes a follow that is older than it.
    await world.happen(unfollow('b2', { at: 5 }), unfollow('b3', { at: 9 }), follow('b3', 'a1', { at: 7 }));
    assert.equal(await count('followers:a1'), 2);
    await world.happen(post('a1', 'p1', { at: 20 }));
    assert.deepEqual(rows(await inboxOf('b1')), ['post.published post:p1 a1']);
    assert.deepEqual(await inboxOf('b2'), []);
    assert.deepEqual(await inboxOf('b3'), []);
    assert.ok(!rows(await inboxOf('a1')).some((row) => row.startsWith('post.published')));
  });

  test('S3: an audience is its tenant’s', async () => {
    await world.send([follow('b1', 'a1')], 't1');
    await world.send([follow('b2', 'a1')], 't2');
    await world.settled();
    await world.send([post('a1', 'p1')], 't2');
    await world.settled();
    assert.equal(await count('followers:a1', 't1'), 1);
    assert.deepEqual(await inboxOf('b1'), []);
    assert.deepEqual(rows(await inboxOf('b2', 't2')), ['post.published post:p1 a1']);
  });

  test('any other audience must have been joined; whoever leaves it hears no more', async () => {
    const comment = (thing: string) =>
      event('comment.created', {
        actor: { id: 'a1' },
        object: { kind: 'comment', id: thing, parent: { kind: 'post', id: 'p1' } },
        to: { audience: 'thread:p1' },
      });
    const refused = await world.post(comment('c0'));
    assert.equal(refused.status, 400);
    assert.equal((JSON.parse(refused.text) as { code: string }).code, 'CARILLON_AUDIENCE_UNKNOWN');
    for (const user of ['b1', 'b2'])
      assert.equal((await ask('PUT', `/v1/subscriptions/thread:p1/${user}`)).status, 200);
    await world.happen(comment('c1'));
    assert.equal((await ask('DELETE', '/v1/subscriptions/thread:p1/b2')).status, 204);
    await world.happen(comment('c2'));
    assert.equal((await inboxOf('b1')).length, 1);
    assert.equal((await inboxOf('b1'))[0]?.actorCount, 1);
    assert.equal((await inboxOf('b2'))[0]?.object.id, (await inboxOf('b1'))[0]?.object.id);
    await world.restart();
    assert.equal(await count('thread:p1'), 1);
  });

  test('many posts to several audiences at once, over crashes: each member has each post once', async () => {
    const authors = ['a1', 'a2', 'a3'];
    await world.happen(...authors.flatMap((author) => Array.from({ length: 40 }, (_, n) => follow(`m${n}`, author))));
    const posts = authors.flatMap((author) => Array.from({ length: 8 }, (_, n) => post(author, `${author}-${n}`)));
    const sending = world.send(posts);
    await sending;
    for (let round = 0; round < 2; round++) {
      for (let turn = systemRandom.below(40); turn > 0; turn--) await new Promise((resolve) => setImmediate(resolve));
      await world.crash();
    }
    await world.settled();
    for (let n = 0; n < 40; n++) {
      const things = (await inboxOf(`m${n}`)).map(({ object }) => object.id);
      assert.deepEqual(things.sort(), posts.map(({ object }) => object?.id).sort());
    }
  });
});
