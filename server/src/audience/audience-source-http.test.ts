/** Members from an app: a real server, with what servers do wrong. */
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { audienceKey } from '../base/ids.ts';
import { limits } from '../base/limits.ts';
import { VirtualClock } from '../base/virtual-clock.ts';
import type { Member } from './audience-source.ts';
import { AudienceSourceHttp } from './audience-source-http.ts';

const secret = 'the app and we know it';
const thread = audienceKey('t1', 'thread:p/1 é');

describe('an audience whose members the app knows', () => {
  let server: Server;
  let clock: VirtualClock;
  let source: AudienceSourceHttp;
  let requests: IncomingMessage[];
  let answer: (url: URL, response: ServerResponse) => void;

  beforeEach(async () => {
    clock = new VirtualClock(Date.UTC(2026, 2, 10, 12));
    requests = [];
    server = createServer((request, response) => {
      requests.push(request);
      answer(new URL(request.url ?? '', 'http://app.test'), response);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const url = `http://127.0.0.1:${port}/who/{audience}?after={after}&max={max}`;
    source = new AudienceSourceHttp({ url, secret, clock });
  });
  afterEach(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  const json = (response: ServerResponse, page: unknown, status = 200): void => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(page));
  };

  /** What comes of a call while virtual time passes. */
  async function outcome<Result>(call: Promise<Result>): Promise<Result | { code: string }> {
    let done = false;
    const settled = call
      .catch((error: { code: string }) => ({ code: error.code }))
      .finally(() => {
        done = true;
      });
    while (!done) {
      await new Promise((resolve) => setImmediate(resolve));
      clock.advance(50);
    }
    return settled;
  }

  const failure = async (): Promise<string | undefined> => {
    const found = await outcome(source.members(thread, null, 10));
    return 'code' in found ? found.code : undefined;
  };

  test('F2: pages are followed to the end, each cursor as the app gave it', async () => {
    const people = Array.from({ length: 7 }, (_, n) => `u${n}`);
    answer = (url, response) => {
      const from = Number(url.searchParams.get('after')?.replace('at&', '') || 0);
      const to = from + Number(url.searchParams.get('max'));
      const members = people.slice(from, to).map((user, n) => (n % 2 ? user : { user, notify: true }));
      json(response, { members, next: to < people.length ? `at&${to}` : null });
    };
    const found: Member[] = [];
    for (let after: string | null = null, more = true; more; more = after !== null) {
      const page = await source.members(thread, after, 3);
      found.push(...page.members);
      after = page.next;
    }
    assert.deepEqual(
      found.map(({ user }) => user),
      people,
    );
    assert.deepEqual(found.slice(0, 2), [
      { user: 'u0', notify: true },
      { user: 'u1', notify: false },
    ]);
    assert.equal(requests.length, 3);
  });

  test('requests are signed over time, tenant, path and query', async () => {
    answer = (_, response) => json(response, { members: [], next: null });
    await source.members(thread, null, 10);
    const [{ url, headers }] = requests as [IncomingMessage];
    assert.equal(url, '/who/thread%3Ap%2F1%20%C3%A9?after=&max=10');
    assert.equal(headers['carillon-tenant'], 't1');
    const seconds = clock.now() / 1000;
    const mac = createHmac('sha256', secret).update(`${seconds}\nt1\n${url}`).digest('hex');
    assert.equal(headers['carillon-signature'], `t=${seconds},v1=${mac}`);
  });

  test('410 is an audience without members, anything else that is no page is none of the answer', async () => {
    answer = (_, response) => json(response, {}, 410);
    assert.deepEqual(await source.members(thread, null, 10), { members: [], next: null });
    for (const status of [204, 302, 404, 500, 503]) {
      answer = (_, response) => response.writeHead(status, { location: '/elsewhere' }).end();
      assert.equal(await failure(), status === 302 ? 'failed' : `status${status}`);
    }
  });

  test('what fails passingly is asked for again, a few times', async () => {
    answer = (_, response) => {
      if (requests.length === 1) response.writeHead(503).end();
      else if (requests.length === 2) response.destroy();
      else json(response, { members: ['u1'], next: null });
    };
    assert.deepEqual(await outcome(source.members(thread, null, 10)), {
      members: [{ user: 'u1', notify: false }],
      next: null,
    });
    requests = [];
    answer = (_, response) => response.destroy();
    assert.equal(await failure(), 'failed');
    assert.equal(requests.length, limits.audienceFetchTries);
  });

  test('an app that does not answer, or not to the end, is given up', async () => {
    answer = () => {};
    assert.equal(await failure(), 'timeout');
    answer = (_, response) => void response.writeHead(200).write('{"members":[');
    assert.equal(await failure(), 'timeout');
  });

  test('a page that makes no sense is refused as a whole', async () => {
    const bad = [
      'no json',
      '[]',
      '{"members":["u1"]}',
      '{"members":[7],"next":null}',
      '{"members":[""],"next":null}',
      '{"members":["a\\u0000b"],"next":null}',
      '{"members":["\\ud800"],"next":null}',
      '{"members":["u1"],"next":""}',
      JSON.stringify({ members: Array.from({ length: limits.audiencePageMembersMax + 1 }, () => 'u'), next: null }),
      `{"members":["${'x'.repeat(300)}"],"next":null}`,
    ];
    for (const body of bad) {
      answer = (_, response) => response.end(body);
      assert.equal(await failure(), 'malformed', body.slice(0, 60));
    }
    answer = (_, response) => {
      for (let at = 0; at < 64; at++) response.write(' '.repeat(limits.audiencePageBytesMax / 32));
      response.end('{"members":[],"next":null}');
    };
    assert.equal(await failure(), 'malformed', 'too long');
  });
});
