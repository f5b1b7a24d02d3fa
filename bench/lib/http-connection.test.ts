import assert from 'node:assert/strict';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { HttpConnection, requestHead } from './http-connection.ts';

test('answers of any length, with a length or in chunks, come back whole over one connection', async () => {
  const server = http.createServer((request, response) => {
    const [, form, bytes] = (request.url ?? '').split('/');
    const body = Buffer.alloc(Number(bytes), 120);
    if (form === 'length') response.setHeader('content-length', body.length);
    response.statusCode = 202;
    if (form === 'length') response.end(body);
    else response.write(body, () => response.end());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const connection = await HttpConnection.open((server.address() as AddressInfo).port);
  try {
    for (const bytes of [1, 500, 70_000, 1_000_000, 2]) {
      const answer = await connection.send(requestHead('POST', `/length/${bytes}`, {}), Buffer.from('posted'));
      assert.deepEqual([answer.status, answer.body.length], [202, bytes]);
    }
    for (const bytes of [1, 70_000]) {
      const answer = await connection.send(requestHead('GET', `/chunks/${bytes}`, {}), null);
      assert.ok(answer.body.length >= bytes, `${answer.body.length}`);
    }
  } finally {
    connection.close();
    server.close();
  }
});
