/** The stream of the whole service, by each transport: no gap, no repeat, and the list it keeps is the inbox. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import {
  openPolls,
  openSse,
  openWebSocket,
  type SseClient,
} from '../../server/src/deliver/realtime/stream-clients.contract.ts';
import type { OpenStream, StreamClient } from '../../server/src/deliver/realtime/stream-world.contract.ts';
import { event, like, unlike } from './events.ts';
import { eventually } from './eventually.ts';
import { listAfter } from './person.ts';
import { World } from './world.ts';

const transports: readonly [string, OpenStream][] = [
  ['websocket', openWebSocket],
  ['sse', openSse],
  ['poll', openPolls],
];

const message = (user: string, n: number) =>
  event(
    'message.sent',
    { actor: { id: 'a1' }, object: { kind: 'message', id: `m${n}` }, to: { user } },
    { at: n, id: `${user}-${n}` },
  );

/** Messages a client was shown, in order, repeats included. */
function shown(...clients: readonly StreamClient[]): string[] {
  return clients.flatMap(({ frames }) =>
    frames.flatMap((frame) => (frame.kind === 'changes' ? frame.items.map(({ object }) => object.id) : [])),
  );
}

describe('the stream of the whole service', () => {
  let world: World;
  before(async () => {
    world = await World.start();
  });
  after(() => world.close());

  for (const [name, open] of transports) {
    test(`BC-40 ${name}: what was missed and what is live come once and in order, killed and reopened`, async () => {
      const user = `bc40-${name}`;
      const person = await world.person(user);
      await world.happen(message(user, 1234));
      const start = (await person.page()).counts.revision;
      await world.happen(message(user, 1235), message(user, 1236));
      const sent = world.send([message(user, 1237)]);
      const first = await person.open(open, start);
      await sent;
      await eventually(() => shown(first).includes('m1237'));
      first.kill();
      const second = await person.open(open, first.position);
      await world.happen(message(user, 1238));
      await eventually(() => shown(second).includes('m1238'));
      second.kill();
      assert.deepEqual(shown(first, second), ['m1235', 'm1236', 'm1237', 'm1238']);
    });

    test(`BC-42 ${name}: recovered once, later reconnects bring nothing`, async () => {
      const user = `bc42-${name}`;
      const person = await world.person(user);
      await world.happen(message(user, 0));
      const start = (await person.page()).counts.revision;
      await world.happen(message(user, 1), message(user, 2));
      const clients = [await person.open(open, start)];
      const [first] = clients as [StreamClient];
      await eventually(() => shown(first).length === 2);
      for (let again = 0; again < 2; again++) {
        const last = clients.at(-1) as StreamClient;
        last.kill();
        const next = await person.open(open, last.position);
        clients.push(next);
        await eventually(async () => (await world.openStreams()) === 1);
        if (name !== 'poll') await eventually(() => next.frames.some(({ kind }) => kind === 'marks'));
      }
      for (const client of clients) client.kill();
      assert.deepEqual(shown(...clients), ['m1', 'm2']);
    });

    test(`a list kept by ${name} is the inbox, whatever happens to it`, async () => {
      const user = `list-${name}`;
      const person = await world.person(user);
      await world.happen(like('a1', 'p1', user), message(user, 1));
      const page = await person.page('limit=100');
      const client = await person.open(open, page.counts.revision);
      await world.happen(like('a2', 'p1', user, { at: 2 }), like('a1', 'p2', user, { at: 3 }), message(user, 4));
      const ids = (await person.inbox()).map(({ id }) => id);
      await person.mark('read', { ids: ids.slice(0, 1) });
      await person.mark('archive', { ids: ids.slice(1, 2) });
      await world.happen(unlike('a1', 'p2', user, { at: 6 }), unlike('a2', 'p1', user, { at: 7 }));
      await person.mark('read', { through: (await person.counts()).revision });
      await world.happen(message(user, 9));
      await eventually(() => shown(client).includes('m9'));
      client.kill();
      const archived = (await person.inbox('state=archived&limit=100')).map(({ id }) => id);
      const kept = listAfter(page.items, client).filter(({ id }) => !archived.includes(id));
      assert.deepEqual(kept, await person.inbox());
    });
  }

  test('BC-45: an event stream is neither buffered nor compressed, and says how often it beats', async () => {
    const person = await world.person('bc45');
    const client = (await person.open(openSse)) as SseClient;
    await eventually(() => client.frames.length > 0);
    const { headers } = client.response;
    assert.equal(headers['x-accel-buffering'], 'no');
    assert.match(headers['cache-control'] ?? '', /no-transform/);
    assert.equal(headers['content-encoding'], undefined);
    const [hello] = client.frames;
    assert.ok(hello?.kind === 'hello' && hello.heartbeatMs <= 25_000);
    client.kill();
  });

  test('BC-32: a mark on one device reaches the others', async () => {
    const person = await world.person('bc32s');
    await world.happen(message('bc32s', 1));
    const clients = await Promise.all(transports.map(([, open]) => person.open(open)));
    await eventually(() => clients.slice(0, 2).every(({ frames }) => frames.length > 0));
    const counts = await person.mark('read', { through: (await person.counts()).revision });
    await eventually(() =>
      clients.every(({ frames }) => frames.some((frame) => frame.kind === 'marks' && frame.counts.unread === 0)),
    );
    assert.equal(counts.unread, 0);
    for (const client of clients) client.kill();
  });

  test('BC-43: a stop tells clients to come back well apart, and a new process has everything', async () => {
    const person = await world.person('bc43');
    await world.happen(message('bc43', 1));
    const start = (await person.page()).counts.revision;
    const clients = await Promise.all(
      Array.from({ length: 30 }, (_, n) => person.open(n % 2 === 0 ? openWebSocket : openSse, start)),
    ).then((all) => all.slice(-20));
    await world.send([message('bc43', 2)]);
    await world.restart();
    await eventually(() => clients.every(({ ended }) => ended !== null));
    const waits = clients.flatMap(({ frames }) => frames.flatMap((frame) => (frame.kind === 'bye' ? [frame] : [])));
    assert.equal(waits.length, clients.length);
    assert.ok(waits.every(({ code, retryAfterMs = 0 }) => code === 4000 && retryAfterMs >= 5000));
    assert.ok(new Set(waits.map(({ retryAfterMs }) => retryAfterMs)).size > clients.length / 2, 'spread out');
    const back = await Promise.all(clients.map(({ position }) => person.open(openWebSocket, position)));
    await world.happen(message('bc43', 3));
    await eventually(() => back.every((client) => shown(client).includes('m3')));
    for (const [n, client] of back.entries()) {
      client.kill();
      assert.deepEqual(shown(clients[n] as StreamClient, client), ['m2', 'm3']);
      assert.ok(client.frames.every(({ kind }) => kind !== 'resync'));
    }
  });
});
