/** Events for large audiences: kept once, shown live, and in the inbox of whoever opens it (F3). */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import type { Event } from '@carillon/contract/event.ts';
import { openWebSocket } from '../../server/src/deliver/realtime/stream-clients.contract.ts';
import type { StreamClient } from '../../server/src/deliver/realtime/stream-world.contract.ts';
import { notificationId } from '../../server/src/inbox/notification-id.ts';
import { event, t0Ms, type When } from './events.ts';
import { eventually } from './eventually.ts';
import { okay, rows } from './person.ts';
import { World } from './world.ts';

interface Fanout {
  readonly event: string;
  readonly kept: boolean;
  readonly recipients: number;
}

const audience = 'followers:a1';
const above = 10;

const post = (thing: string, when?: When, type = 'post.published'): Event =>
  event(type, { actor: { id: 'a1' }, object: { kind: 'post', id: thing, owner: 'a1' }, to: { audience } }, when);

/** What a stream was told, in order: rows that came or changed, and rows that went. */
const told = ({ frames }: StreamClient): string[] =>
  frames.flatMap((frame) =>
    frame.kind === 'changes' ? [...frame.items.map(({ object }) => object.id), ...frame.removed.map(() => 'gone')] : [],
  );

describe('broadcasts', () => {
  let world: World;
  beforeEach(async () => {
    world = await World.start({ where: 'process', config: { audiences: { broadcastAbove: above } } });
  });
  afterEach(() => world.close());

  const users = (count: number, from = 0) => Array.from({ length: count }, (_, n) => `m${from + n}`);
  const member = async (user: string, method: 'PUT' | 'DELETE', body?: object) => {
    const path = `/v1/subscriptions/${audience}/${user}`;
    assert.ok((await world.producer().ask(method, path, body)).status < 300);
  };
  const join = async (...some: string[]) => {
    for (const user of some) await member(user, 'PUT');
  };
  const things = async (user: string) => (await (await world.person(user)).inbox()).map(({ object }) => object.id);
  const fanouts = async () =>
    okay<{ fanouts: Fanout[] }>(await world.producer().ask('GET', `/v1/subscriptions/${audience}`)).fanouts;

  test('F3: kept once; whoever opens has it, once, with counts and marks as any other, also after a crash', async () => {
    await join(...users(12));
    const p1 = post('p1');
    await world.happen(p1);
    assert.deepEqual(
      (await fanouts()).map(({ event: id, kept, recipients }) => [id, kept, recipients]),
      [[p1.id, true, 0]],
    );
    await world.crash();
    const m0 = await world.person('m0');
    assert.equal((await m0.counts()).unread, 1, 'counting is opening');
    const [row] = await m0.inbox();
    assert.deepEqual(rows(await m0.inbox()), ['post.published post:p1 a1']);
    const opening = { tenant: 't1', user: 'm0', type: 'post.published', source: 'posts', eventId: p1.id, timeMs: t0Ms };
    assert.equal(row?.id, notificationId(opening), 'as if it had been written to the inbox');
    assert.equal(await m0.unread(), 1);
    await m0.mark('read', { ids: [row?.id] });
    await world.crash();
    assert.deepEqual(await things('m0'), ['p1']);
    assert.equal(await m0.unread(), 0);
    const m1 = await world.person('m1');
    const { revision } = await m1.counts();
    await world.happen(post('p2', { at: 1 }));
    const { items } = await m1.get<{ items: { object: { id: string } }[] }>(
      `/v1/notifications/changes?since=${revision}`,
    );
    assert.deepEqual(
      items.map(({ object }) => object.id),
      ['p2'],
    );
    assert.deepEqual(await things('m1'), ['p2', 'p1']);
    assert.deepEqual(await things('m1'), ['p2', 'p1']);
    assert.deepEqual(await things('a1'), [], 'not to the author');
    assert.deepEqual(await things('x1'), [], 'nor to who is no member');
  });

  test('F3: members who are connected are shown it at once, and when they connect; others are not', async () => {
    await join(...users(12));
    await world.happen(post('p1'));
    const [m0, x1] = [await world.person('m0'), await world.person('x1')];
    const start = (await x1.counts()).revision;
    const first = await m0.open(openWebSocket, start);
    await eventually(() => told(first).includes('p1'));
    const other = await x1.open(openWebSocket, start);
    await world.happen(post('p2', { at: 1 }));
    await eventually(() => told(first).includes('p2'));
    assert.deepEqual(await things('m0'), ['p2', 'p1']);
    await world.happen(post('p3', { at: 2 }));
    await eventually(() => told(first).includes('p3'));
    assert.deepEqual(told(first), ['p1', 'p2', 'p3']);
    assert.deepEqual(told(other), []);
    first.kill();
    other.kill();
  });

  test('F3: who joins later, or has left, does not get it; who asked to be pushed has it without opening', async () => {
    await join(...users(12));
    await member('m1', 'PUT', { notify: true });
    await world.happen(post('p1'));
    assert.deepEqual((await fanouts())[0]?.recipients, 1);
    await join('late');
    await member('m2', 'DELETE');
    await member('m3', 'DELETE');
    await join('m3');
    // A new wish does not make a new member.
    await member('m4', 'PUT', { notify: true });
    await world.happen(post('p2', { at: 1 }));
    assert.deepEqual(await things('late'), ['p2']);
    assert.deepEqual(await things('m2'), []);
    assert.deepEqual(await things('m3'), ['p2']);
    assert.deepEqual(await things('m4'), ['p2', 'p1']);
    assert.deepEqual(await things('m1'), ['p2', 'p1']);
  });

  test('F3: what is taken back goes from who has it, and is never shown to who has not', async () => {
    await join(...users(12));
    await world.happen(post('p1'));
    assert.deepEqual(await things('m0'), ['p1']);
    await world.happen(post('p2', { at: 1 }), post('p1', { at: 2 }, 'post.deleted'));
    assert.deepEqual(await things('m0'), ['p2']);
    const m1 = await world.person('m1');
    const stream = await m1.open(openWebSocket, 0);
    await eventually(() => told(stream).includes('p2'));
    assert.deepEqual(await things('m1'), ['p2']);
    assert.equal(await m1.unread(), 1);
    assert.ok(!told(stream).includes('p1'));
    stream.kill();
  });

  test('F3: an audience that grows and shrinks over the threshold doubles nothing and loses nothing', async () => {
    await join(...users(above));
    await world.happen(post('p1'));
    await join('more');
    await world.happen(post('p2', { at: 1 }));
    await member('m9', 'DELETE');
    await world.happen(post('p3', { at: 2 }));
    assert.deepEqual((await fanouts()).map(({ kept, recipients }) => [kept, recipients]).reverse(), [
      [false, 10],
      [true, 0],
      [false, 10],
    ]);
    assert.deepEqual(await things('m0'), ['p3', 'p2', 'p1']);
    assert.deepEqual(await things('more'), ['p3', 'p2']);
    await world.happen(post('p2', { at: 3 }, 'post.deleted'));
    assert.deepEqual(await things('m1'), ['p3', 'p1'], 'taken back one by one, kept once');
  });

  test('F3: of many who open at once, and again and again while posts come, each has each post once', async () => {
    await join(...users(30));
    const opening = async (user: string) => {
      const person = await world.person(user);
      for (let times = 0; times < 5; times++) await Promise.all([person.counts(), person.page(), person.page()]);
    };
    const posts = Array.from({ length: 6 }, (_, n) => post(`p${n}`, { at: n }));
    const all = Promise.all(users(30).map(opening));
    for (const one of posts) await world.send([one]);
    await all;
    await world.settled();
    for (const user of users(30)) assert.deepEqual(await things(user), ['p5', 'p4', 'p3', 'p2', 'p1', 'p0'], user);
  });
});
