import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { makeCertificate } from '../../../../scripts/make-certificate.ts';
import { VirtualClock } from '../../base/virtual-clock.ts';
import { PushServiceClient } from './push-service-client.ts';
import { publicLookup } from './safe-endpoint.ts';
import { TestHttp2Server } from './test-http2-server.ts';

const folder = mkdtempSync(join(tmpdir(), 'carillon-certificate-'));
after(() => rmSync(folder, { recursive: true }));
const hasOpenssl = (() => {
  try {
    execFileSync('openssl', ['version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
})();
const skip = hasOpenssl ? false : 'openssl is not there';
if (hasOpenssl) makeCertificate(folder);
const read = (name: string): string => (hasOpenssl ? readFileSync(join(folder, name), 'utf8') : '');
const tls = { key: read('server.key'), cert: read('server.pem') };

const client = (isLocalAllowed = true): PushServiceClient =>
  new PushServiceClient({
    clock: new VirtualClock(),
    lookup: publicLookup({ hosts: ['*'], isLocalAllowed }),
    ca: tls.cert,
  });
const body = Buffer.from('x');

test('V10: HTTP/2 where the service speaks it', { skip }, async () => {
  const server = new TestHttp2Server(() => ({ status: 201 }), {}, tls);
  const { port } = new URL(await server.listen());
  const push = client();
  const url = new URL(`https://localhost:${port}/push/1?a=b`);
  const replies = await Promise.all(Array.from({ length: 20 }, () => push.post(url, { ttl: '60' }, body)));
  assert.ok(replies.every((reply) => reply.kind === 'answer' && reply.status === 201));
  assert.deepEqual([server.seen[0]?.path, server.seen[0]?.headers.ttl], ['/push/1?a=b', '60']);
  await Promise.all([push.close(), server.close()]);
});

test('HTTP/1.1 where it speaks nothing else, from the first push on, each once', { skip }, async () => {
  let requests = 0;
  const server = createServer(tls, (request, response) => {
    requests++;
    request.resume().on('end', () => response.writeHead(201).end());
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const push = client();
  const url = new URL(`https://localhost:${(server.address() as AddressInfo).port}/push/1`);
  for (let round = 0; round < 2; round++) {
    const replies = await Promise.all(Array.from({ length: 5 }, () => push.post(url, { ttl: '60' }, body)));
    assert.ok(
      replies.every((reply) => reply.kind === 'answer' && reply.status === 201),
      JSON.stringify(replies),
    );
  }
  assert.equal(requests, 10);
  await push.close();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

test('S5: no connection to a name that leads to this machine, and a certificate of nobody is refused', {
  skip,
}, async () => {
  const server = new TestHttp2Server(() => ({ status: 201 }), {}, tls);
  const { port } = new URL(await server.listen());
  const url = new URL(`https://localhost:${port}/x`);
  const strict = client(false);
  assert.deepEqual(await strict.post(url, {}, body), { kind: 'unsent', code: 'notPublic' });
  const stranger = new PushServiceClient({
    clock: new VirtualClock(),
    lookup: publicLookup({ hosts: ['*'], isLocalAllowed: true }),
  });
  assert.deepEqual(await stranger.post(url, {}, body), { kind: 'unsent', code: 'DEPTH_ZERO_SELF_SIGNED_CERT' });
  assert.equal(server.sessions.length, 0);
  await Promise.all([strict.close(), stranger.close(), server.close()]);
});
