/** Nobody reaches, changes or even notices what belongs to another person or tenant (S3). */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { WebSocket } from 'ws';
import {
  openPolls,
  openSse,
  openWebSocket,
  type RefusedError,
} from '../../server/src/deliver/realtime/stream-clients.contract.ts';
import type { OpenStream, StreamClient } from '../../server/src/deliver/realtime/stream-world.contract.ts';
import { event, like } from './events.ts';
import { eventually } from './eventually.ts';
import { appOrigin, operatorsKey, producerKey, tenants, userToken } from './flow-config.ts';
import { type Answered, Person, rows } from './person.ts';
import { resultsOf, World } from './world.ts';

const transports: readonly OpenStream[] = [openWebSocket, openSse, openPolls];

/** Everything of an answer but what names the request, the moment, and the id that was asked for. */
function bare({ status, headers, text }: Answered, id: string): string {
  const kept = [...headers].filter(([name]) => !['date', 'x-request-id', 'content-length'].includes(name));
  return JSON.stringify([status, kept, text.replace(/"requestId":"[^"]*"/, '').replaceAll(id, '<id>')]);
}

describe('isolation of the whole service', () => {
  let world: World;
  before(async () => {
    world = await World.start();
  });
  after(() => world.close());

  test('BC-64: what a person may no longer see is in no list, answer or frame, and not counted', async () => {
    const r1 = await world.person('bc64');
    const parent = { kind: 'group', id: 'g1', title: 'A private group' };
    const comment = (type: string, id: string, at: number) =>
      event(
        type,
        { actor: { id: 'a1' }, object: { kind: 'comment', id, title: 'secret-7', parent }, to: { user: 'bc64' } },
        { at },
      );
    await world.happen(
      comment('comment.created', 'c1', 1),
      comment('mention.created', 'c2', 2),
      like('a1', 'p', 'bc64'),
    );
    const [row] = await r1.inbox();
    const stream = await r1.open(openWebSocket);
    await world.happen(
      event('access.revoked', { object: { kind: 'group', id: 'g1' }, to: { user: 'bc64' } }, { at: 3 }),
      comment('comment.edited', 'c1', 4),
      comment('reply.created', 'c3', 5),
    );
    assert.deepEqual(rows(await r1.inbox()), ['post.liked post:p a1']);
    assert.equal(await r1.unread(), 1);
    const streamed = () => JSON.stringify(stream.frames);
    await eventually(() => streamed().includes(row?.id as string));
    const answers = await Promise.all([
      r1.ask('GET', `/v1/notifications/${row?.id}`),
      r1.ask('GET', `/v1/notifications/${row?.id}/why`),
      r1.ask('GET', '/v1/notifications?state=archived'),
      r1.ask('GET', '/v1/notifications/changes?since=0'),
    ]);
    assert.doesNotMatch(JSON.stringify(answers) + streamed(), /secret-7|private group/);
    stream.kill();
  });

  test("BC-63: another person's notification is told from a random one by nothing, and stays as it is", async () => {
    await world.happen(like('a1', 'p63', 'r1'), like('a1', 'p64', 'r2'));
    const [r1, r2] = [await world.person('r1'), await world.person('r2')];
    const foreignTenant = await world.person('r1', 't2');
    const id = (await r1.inbox())[0]?.id as string;
    const own = (await r2.inbox())[0]?.id as string;
    const random = `n_${'0'.repeat(9)}${'x'.repeat(id.length - 11)}`;
    const sameTime = id.slice(0, -4) + (id.endsWith('AAAA') ? 'BBBB' : 'AAAA');
    const calls: [string, (id: string) => string, ((id: string) => object)?][] = [
      ['GET', (id) => `/v1/notifications/${id}`],
      ['GET', (id) => `/v1/notifications/${id}/why`],
      ['GET', (id) => `/v1/notifications/${id}/actors`],
      ['PATCH', (id) => `/v1/notifications/${id}`],
      ['DELETE', (id) => `/v1/notifications/${id}`],
      ...['read', 'unread', 'seen', 'archive', 'unarchive'].map((kind): (typeof calls)[number] => [
        'POST',
        () => `/v1/notifications/${kind}`,
        (id) => ({ ids: [id] }),
      ]),
    ];
    for (const other of [r2, foreignTenant]) {
      for (const [method, path, body] of calls) {
        const answers: string[] = [];
        for (const each of [id, random, sameTime]) {
          answers.push(bare(await other.ask(method, path(each), body?.(each)), each));
        }
        assert.equal(
          answers[0]?.replace(/"(revision|marksVersion)":\d+/g, ''),
          answers[1]?.replace(/"(revision|marksVersion)":\d+/g, ''),
          `${method} ${path('')}`,
        );
        assert.equal(
          answers[0]?.replace(/"(revision|marksVersion)":\d+/g, ''),
          answers[2]?.replace(/"(revision|marksVersion)":\d+/g, ''),
          `${method} ${path('')}`,
        );
      }
      for (const path of [`/v1/notifications/${id}`, `/v1/notifications/${id}/why`]) {
        assert.equal((await other.ask('GET', path)).status, 404);
      }
    }
    await r2.mark('read', { ids: [own, id] });
    assert.equal((await r2.inbox())[0]?.state.read, true);
    assert.deepEqual(
      (await r1.inbox()).map(({ state }) => state),
      [{ seen: false, read: false, archived: false, snoozedUntil: null }],
    );
    const sent = await r2.ask('POST', '/v1/events', like('r2', 'p1', 'r1'));
    assert.equal(sent.status, 403);
    for (const key of [producerKey('t1'), operatorsKey]) {
      assert.equal((await new Person(world, key).ask('GET', '/v1/notifications')).status, 403);
      for (const open of transports.slice(0, 2)) {
        await assert.rejects(new Person(world, key).open(open), (error) => (error as RefusedError).status === 403);
      }
    }
  });

  test("a cursor of one person is no cursor of another's", async () => {
    await world.happen(like('a1', 'c1', 'c-r1'), like('a2', 'c2', 'c-r1', { at: 1 }));
    const page = await (await world.person('c-r1')).page('limit=1');
    assert.ok(page.nextCursor !== null);
    for (const other of [await world.person('c-r2'), await world.person('c-r1', 't2')]) {
      const answer = await other.ask('GET', `/v1/notifications?limit=1&cursor=${page.nextCursor}`);
      const refused = answer.status === 400 && JSON.parse(answer.text).code === 'CARILLON_CURSOR_INVALID';
      assert.ok(refused || JSON.parse(answer.text).items.length === 0, answer.text);
    }
  });

  test('BC-66: tenants with the same people, posts, ids and keys never meet', async () => {
    const [one, two] = await Promise.all(tenants.map((tenant) => world.person('42', tenant)));
    assert.ok(one !== undefined && two !== undefined);
    const streams = await Promise.all([one, two].map((each) => Promise.all(transports.map((open) => each.open(open)))));
    const [first, second] = streams as [StreamClient[], StreamClient[]];
    await eventually(() => [...first, ...second].every(({ frames }) => frames.length > 0));
    const event = like('a1', 'p1', '42', { id: 'same', source: 'posts' });
    const headers = { 'idempotency-key': '"same"' };
    assert.equal(resultsOf(await world.post(event, 't1', headers))[0]?.status, 'accepted');
    await world.settled();
    await eventually(() => first.every((client) => changesIn(client) === 1));
    assert.deepEqual(rows(await one.inbox()), ['post.liked post:p1 a1']);
    assert.deepEqual(await two.inbox(), []);
    assert.equal(await two.unread(), 0);
    // The same event, id and key from the other tenant: an event of its own, and not a repetition.
    const other = { ...event, object: { ...event.object, title: 'Theirs' } } as typeof event;
    assert.equal(resultsOf(await world.post(other, 't2', headers))[0]?.status, 'accepted');
    await world.settled();
    await eventually(() => second.every((client) => changesIn(client) === 1));
    assert.deepEqual(
      (await two.inbox()).map(({ object }) => object.title),
      ['Theirs'],
    );
    assert.deepEqual(
      (await one.inbox()).map(({ object }) => object.title),
      ['Title of p1'],
    );
    const ids = (await Promise.all([one.inbox(), two.inbox()])).flat().map(({ id }) => id);
    assert.equal(new Set(ids).size, 2);
    await two.mark('read', { through: (await two.counts()).revision });
    assert.deepEqual([await one.unread(), await two.unread()], [1, 0]);
    assert.ok(first.every((client) => changesIn(client) === 1 && client.frames.every(({ kind }) => kind !== 'marks')));
    for (const client of [...first, ...second]) client.kill();
  });

  test("a tenant's token or key is none in another tenant", async () => {
    const token = await userToken('t1', '42');
    const [head, , signature] = token.split('.');
    const claims = Buffer.from(
      JSON.stringify({ ...JSON.parse(String(Buffer.from(token.split('.')[1] as string, 'base64url'))), iss: 'app-t2' }),
    ).toString('base64url');
    const forged = new Person(world, `${head}.${claims}.${signature}`);
    assert.equal((await forged.ask('GET', '/v1/notifications')).status, 401);
  });

  test('BC-67: sockets of foreign pages, cookies and tokens in the URL are refused before the upgrade', async () => {
    const person = await world.person('bc67');
    const { token } = person;
    const open = (options: { path?: string; headers?: Record<string, string>; protocols?: string[] }) =>
      new Promise<number>((resolve) => {
        const { path = '/v1/stream', headers = {}, protocols = ['carillon.v1'] } = options;
        const socket = new WebSocket(world.origin.replace('http', 'ws') + path, protocols, { headers });
        socket.on('unexpected-response', (_request, response) => resolve(response.statusCode ?? 0));
        socket.on('error', () => {});
        socket.on('open', () => {
          socket.terminate();
          resolve(101);
        });
      });
    const cookie = `session=${token}`;
    const bearer = ['carillon.v1', `bearer.${token}`];
    assert.equal(await open({ headers: { origin: 'https://evil.test', cookie }, protocols: bearer }), 403, '(a)');
    assert.equal(await open({ headers: { cookie } }), 401, '(b)');
    for (const name of ['access_token', 'token']) {
      assert.equal(await open({ path: `/v1/stream?${name}=${token}` }), 401, '(c)');
    }
    assert.equal(await open({ headers: { origin: appOrigin }, protocols: bearer }), 101, '(d)');
    const scoped = await world.person('bc67', 't1', { scope: 'profile' });
    const scopes = [`bearer.${scoped.token}`, 'carillon.v1'];
    assert.notEqual(await open({ protocols: scopes }), 101, '(e)');
    const ticket = JSON.parse((await person.ask('POST', '/v1/stream/ticket')).text) as { ticket: string };
    assert.equal(await open({ path: `/v1/stream?ticket=${ticket.ticket}` }), 101, '(c) a ticket, once');
    assert.equal(await open({ path: `/v1/stream?ticket=${ticket.ticket}` }), 401);
    assert.ok(!JSON.stringify(world.logged).includes(token), 'no token in the log');
  });

  test('BC-70: a revoked session loses streams, polls and requests at once, over a restart too; others go on', async () => {
    const person = await world.person('bc70', 't1', { sid: 'S1/phone' });
    const others = [
      await world.person('bc70', 't1', { sid: 'S2' }),
      await world.person('bc70', 't2', { sid: 'S1/phone' }),
    ];
    const open = (each: Person) => Promise.all(transports.map((transport) => each.open(transport)));
    const [streams, kept] = [await open(person), (await Promise.all(others.map(open))).flat()];
    await eventually(() => [...streams, ...kept].every(({ frames }) => frames.length > 0));
    const path = `/v1/sessions/${encodeURIComponent('S1/phone')}`;
    assert.equal((await person.ask('DELETE', path)).status, 403, 'only the app ends sessions');
    assert.equal((await world.producer().ask('DELETE', path)).status, 204);
    await eventually(async () => (await person.ask('GET', '/v1/notifications')).status === 401);
    await world.send([like('a1', 'p1', 'bc70')]);
    await eventually(() => streams.every(({ ended }) => ended !== null));
    assert.deepEqual(
      streams.map(({ ended }) => ended?.code),
      [4101, 4101, 401],
    );
    await eventually(() => kept.slice(0, 3).every((client) => changesIn(client) === 1));
    assert.ok(kept.every(({ ended }) => ended === null));
    for (const transport of transports.slice(0, 2)) {
      await assert.rejects(person.open(transport), (error) => (error as RefusedError).status === 401);
    }
    for (const client of kept) client.kill();
    await world.restart();
    assert.equal((await person.ask('GET', '/v1/notifications')).status, 401);
    assert.equal((await others[0]?.ask('GET', '/v1/notifications'))?.status, 200);
  });
});

function changesIn({ frames }: StreamClient): number {
  return frames.filter((frame) => frame.kind === 'changes' && frame.items.length > 0).length;
}
