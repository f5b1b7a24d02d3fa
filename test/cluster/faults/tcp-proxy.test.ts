import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { after, before, test } from 'node:test';
import { type LinkFault, TcpProxy } from './tcp-proxy.ts';

/** Sends back what it gets. */
let echo: Server;
let echoPort: number;

before(async () => {
  echo = createServer({ allowHalfOpen: true }, (socket) => {
    socket.on('error', () => {});
    socket.pipe(socket);
  }).listen(0, '127.0.0.1');
  await once(echo, 'listening');
  echoPort = (echo.address() as { port: number }).port;
});
after(() => echo.close());

async function withProxy(run: (proxy: TcpProxy, client: Socket) => Promise<void>): Promise<void> {
  const proxy = await TcpProxy.open(echoPort);
  const client = connect(proxy.port, '127.0.0.1').on('error', () => {});
  await once(client, 'connect');
  try {
    await run(proxy, client);
  } finally {
    client.destroy();
    await proxy.close();
  }
}

/** Resolves with what came back once it is as long as what was sent. */
async function echoed(client: Socket, sent: Buffer): Promise<Buffer> {
  const parts: Buffer[] = [];
  let bytes = 0;
  client.write(sent);
  for await (const [part] of eventsOf(client)) {
    parts.push(part);
    bytes += part.length;
    if (bytes >= sent.length) break;
  }
  return Buffer.concat(parts);
}

async function* eventsOf(client: Socket): AsyncGenerator<[Buffer]> {
  for (;;) yield (await once(client, 'data')) as [Buffer];
}

function closed(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    socket.once('close', () => resolve());
  });
}

async function tookMs(run: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await run();
  return performance.now() - began;
}

test('bytes pass unchanged and in order, many more than may be under way', async () => {
  await withProxy(async (_proxy, client) => {
    const sent = randomBytes(8 * 1024 * 1024);
    const back: Buffer[] = [];
    client.on('data', (part: Buffer) => back.push(part));
    client.end(sent);
    await once(client, 'end');
    assert.ok(Buffer.concat(back).equals(sent));
  });
});

test('latency delays each way, and all bytes by as much, not one after the other', async () => {
  await withProxy(async (proxy, client) => {
    proxy.set({ kind: 'latency', delayMs: 40 });
    const one = await tookMs(() => echoed(client, Buffer.from('one')));
    assert.ok(one >= 79, `${one}`);
    const sent = randomBytes(1024 * 1024 - 1);
    const began = performance.now();
    const back: Buffer[] = [];
    client.on('data', (part: Buffer) => back.push(part));
    client.end(sent);
    await once(client, 'end');
    assert.ok(Buffer.concat(back).equals(sent));
    // Some 16 pieces each way: one after the other they would take 1.3 s.
    assert.ok(performance.now() - began < 1000);
  });
});

test('bandwidth holds for all connections together', async () => {
  await withProxy(async (proxy, client) => {
    proxy.set({ kind: 'bandwidth', bytesPerSecond: 200_000 });
    const other = connect(proxy.port, '127.0.0.1');
    const took = await tookMs(() =>
      Promise.all([echoed(client, Buffer.alloc(5000)), echoed(other, Buffer.alloc(5000))]),
    );
    other.destroy();
    assert.ok(took >= 99, `${took}`);
  });
});

test('a cut link resets what is open and whatever is opened', async () => {
  await withProxy(async (proxy, client) => {
    assert.equal((await echoed(client, Buffer.from('before'))).toString(), 'before');
    proxy.set({ kind: 'cut' });
    await closed(client);
    const other = connect(proxy.port, '127.0.0.1').on('error', () => {});
    await closed(other);
    proxy.set({ kind: 'none' });
    const third = connect(proxy.port, '127.0.0.1');
    assert.equal((await echoed(third, Buffer.from('after'))).toString(), 'after');
    third.destroy();
  });
});

test('a silent link passes nothing, and everything once it is well again', async () => {
  await withProxy(async (proxy, client) => {
    const silence: LinkFault = { kind: 'silence' };
    proxy.set(silence);
    assert.equal(proxy.fault, silence);
    const came: Buffer[] = [];
    client.on('data', (part: Buffer) => came.push(part));
    client.write('one');
    // A link that is well answers within this many turns of the same loop.
    const check = await TcpProxy.open(echoPort);
    const well = connect(check.port, '127.0.0.1');
    for (let round = 0; round < 20; round++) await echoed(well, Buffer.from('round'));
    well.destroy();
    await check.close();
    assert.equal(came.length, 0);
    client.write(' two');
    proxy.set({ kind: 'none' });
    while (Buffer.concat(came).toString() !== 'one two') await once(client, 'data');
  });
});

test('a target that is gone resets the connection', async () => {
  const nobody = createServer().listen(0, '127.0.0.1');
  await once(nobody, 'listening');
  const { port } = nobody.address() as { port: number };
  nobody.close();
  const proxy = await TcpProxy.open(port);
  const client = connect(proxy.port, '127.0.0.1').on('error', () => {});
  await closed(client);
  await proxy.close();
});
