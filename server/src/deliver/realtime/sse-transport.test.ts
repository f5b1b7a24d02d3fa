import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { limits } from '../../base/limits.ts';
import { SseTransport } from './sse-transport.ts';
import { streamContract } from './stream.contract.ts';
import { openSse, type RefusedError, type SseClient } from './stream-clients.contract.ts';
import { changes, marks, r1, StreamWorld, shown, until } from './stream-world.contract.ts';
import { outFrame } from './transport.ts';

streamContract({ name: 'sse', open: openSse, expired: 4100, revoked: 4101 });

describe('sse', { timeout: 120_000 }, () => {
  let world: StreamWorld;
  const open = (since: number | null, headers: Record<string, string> = {}): Promise<SseClient> =>
    openSse(world, { token: world.token('r1'), since, headers });
  beforeEach(async () => {
    world = await StreamWorld.listen({ connectionBufferBytesMax: 256 * 1024 });
  });
  afterEach(() => world.stop());

  test('BC-45: neither stored, buffered nor compressed on the way, and begun at once', async () => {
    // The catch-up never comes: the head must not wait for it.
    world.feed.pause = () => new Promise(() => {});
    const client = await open(null, { 'accept-encoding': 'gzip, br' });
    const { headers } = client.response;
    assert.equal(headers['content-type'], 'text/event-stream; charset=utf-8');
    assert.match(headers['cache-control'] ?? '', /no-store/);
    assert.equal(headers['x-accel-buffering'], 'no');
    assert.equal(headers['content-encoding'], undefined);
    assert.equal(headers['content-length'], undefined);
    await until(() => /^retry: \d+\n\n/.test(client.text));
    client.kill();
  });

  test('BC-45: while idle there is a comment at least every 25 s, and the next event comes', async () => {
    const client = await open(0);
    await until(() => client.frames.length > 0);
    for (let idle = 0; idle < 6; idle++) {
      const before = client.text.length;
      world.clock.advance(limits.heartbeatMs);
      await until(() => client.text.slice(before).includes(': heartbeat\n\n'));
    }
    world.publish(r1, 5);
    await until(() => shown(client).length === 1);
  });

  test('BC-42: ids only ever rise; hello before a catch-up, marks, pings and bye have none', async () => {
    world.publish(r1, 10, 11, 12);
    const client = await open(10);
    await until(() => shown(client).length === 2);
    world.feed.publishMarks(r1, marks(12));
    world.clock.advance(limits.heartbeatMs);
    world.publish(r1, 13);
    await until(() => shown(client).length === 3);
    const drained = world.gateway.drain(100);
    await world.turnTime(150);
    await drained;
    await until(() => client.ended !== null);
    assert.deepEqual(client.ids, [11, 12, 13]);
    const kinds = client.frames.map((frame) => frame.kind);
    assert.deepEqual(kinds, ['hello', 'changes', 'changes', 'marks', 'ping', 'changes', 'bye']);
    // The browser's own reconnect waits as long as the bye says.
    const bye = client.frames.at(-1);
    assert.ok(bye?.kind === 'bye' && client.text.includes(`retry: ${bye.retryAfterMs}\nevent: bye`));
  });

  test('a first hello and a resync set the position, so that the next visit does not start over', async () => {
    world.publish(r1, 10);
    const fresh = await open(null);
    await until(() => fresh.frames.length > 0);
    assert.deepEqual(fresh.ids, [10]);
    world.feed.forget(r1, 10);
    const old = await open(3);
    await until(() => old.frames.length === 2);
    assert.deepEqual([old.frames[1]?.kind, old.ids], ['resync', [10]]);
  });

  test('marks have no id, whatever revision they claim', () => {
    const transport = new SseTransport(5, 1000);
    transport.send(outFrame(marks(9), 9));
    transport.send(outFrame(changes(6), 6));
    let text = '';
    for (let chunk = transport.body.read(); chunk !== null; chunk = transport.body.read()) text += String(chunk);
    assert.deepEqual(text.match(/^(event|id): .*$/gm), ['event: marks', 'event: changes', 'id: 6']);
  });

  test('Last-Event-ID is newer than the URL', async () => {
    world.publish(r1, 1, 2, 3);
    const client = await openSse(world, { token: world.token('r1'), since: 2, query: { since: '1' } });
    await until(() => shown(client).length > 0);
    assert.deepEqual(shown(client), [3]);
  });

  test('without asking for events there is no stream, and HEAD leaves none behind', async () => {
    await assert.rejects(open(null, { accept: 'text/html' }), (error: RefusedError) => error.status === 400);
    const headers = { authorization: `Bearer ${world.token('r1')}`, accept: 'text/event-stream' };
    const head = await fetch(`${world.origin}/v1/stream`, { method: 'HEAD', headers });
    assert.equal(head.status, 200);
    world.clock.advance(limits.heartbeatMs);
    await until(() => world.gateway.stats().connections.sse === 0);
  });

  test('a slow reader is cut at its bound and loses nothing', async () => {
    const slow = await open(0);
    await until(() => slow.frames.length > 0);
    slow.response.pause();
    let revision = 0;
    while (world.gateway.stats().cut.tooSlow === undefined) {
      revision++;
      world.feed.publish(r1, changes(revision, ['x'.repeat(100_000)]));
      await world.turnTime(50);
    }
    slow.response.resume();
    await until(() => slow.ended !== null);
    assert.equal(slow.ended?.code, 4001);
    const again = await open(slow.position);
    await until(() => shown(slow, again).includes(revision));
    assert.deepEqual(
      shown(slow, again),
      Array.from({ length: revision }, (_, at) => at + 1),
    );
  });

  test('a reader that is stuck for a whole interval is cut, and dropped though it never reads again', async () => {
    const stuck = await open(0);
    await until(() => stuck.frames.length > 0);
    stuck.response.pause();
    let revision = 0;
    const before = (): number => world.framesSent();
    // Fill what the system buffers, but stay below the bound of the gateway.
    for (let sent = before(); sent < 120 && world.gateway.stats().cut.tooSlow === undefined; sent = before()) {
      world.feed.publish(r1, changes(++revision, ['x'.repeat(60_000)]));
      await world.turnTime(50);
    }
    await world.turnTime(2 * limits.heartbeatMs + limits.closeGraceMs);
    await until(() => world.gateway.stats().connections.sse === 0);
    assert.equal(world.gateway.presence(r1).connected, false);
    stuck.kill();
  });
});
