import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import fc from 'fast-check';
import { eventValue, jsonTextOf, plainEvent } from '../intake/event-arbitrary.ts';
import { openTestIntake, type TestIntake } from './test-intake.ts';

interface Result {
  id: string | null;
  status: string;
  error?: { code: string; path: string; detail: string };
}

let intake: TestIntake;
let sent = 0;
/** A plain event with an id of its own. */
const event = (change: object = {}) => ({ ...plainEvent, id: `e${sent++}`, ...change });
const results = async (response: Response) => ((await response.json()) as { results: Result[] }).results;

before(async () => {
  intake = await openTestIntake();
});
after(() => intake.app.close());

async function refusal(response: Response): Promise<{ status: number; code: string; path: string | undefined }> {
  const problem = (await response.json()) as { status: number; code: string; errors?: { path: string }[] };
  assert.equal(response.headers.get('content-type'), 'application/problem+json');
  return { status: response.status, code: problem.code, path: problem.errors?.[0]?.path };
}

describe('POST /v1/events', () => {
  let stored = 0;
  beforeEach(() => {
    stored = intake.log.records().length;
  });
  const added = () => intake.log.records().slice(stored);

  test('one event: 202 with its result, once durable, and a duplicate when sent again', async () => {
    const one = event();
    assert.deepEqual(await results(await intake.send(one)), [{ id: one.id, status: 'accepted' }]);
    const expected = {
      shard: 0,
      lane: 'social',
      id: one.id,
      source: 'posts',
      tenant: 'default',
      to: ['r1'],
      event: one,
    };
    assert.deepEqual(added(), [expected]);
    const again = await intake.send({ ...one, object: { kind: 'post', id: 'other' } });
    assert.equal(again.status, 202);
    assert.deepEqual(await results(again), [{ id: one.id, status: 'duplicate' }]);
    assert.equal(added().length, 1);
  });

  test('a list: one result each, in order; a bad one fails by itself, with code and path', async () => {
    const list = [event(), { ...event(), object: { kind: 'post' } }, event({ type: 'no.such' }), 7, event()];
    list.push(list[0] as never);
    const found = await results(await intake.send(list));
    assert.deepEqual(
      found.map(({ status, error }) => [status, error?.code, error?.path]),
      [
        ['accepted', undefined, undefined],
        ['rejected', 'CARILLON_EVENT_INVALID', '/object/id'],
        ['rejected', 'CARILLON_EVENT_TYPE_UNKNOWN', '/type'],
        ['rejected', 'CARILLON_EVENT_INVALID', ''],
        ['accepted', undefined, undefined],
        ['duplicate', undefined, undefined],
      ],
    );
    assert.equal(found[1]?.id, (list[1] as { id: string }).id);
    assert.equal(found[3]?.id, null);
    assert.equal(added().length, 2);
  });

  test('NDJSON: blank lines are passed over, bad lines and bad bytes fail by themselves', async () => {
    const good = JSON.stringify(event());
    const lines = [
      Buffer.from(`${good}\r\n\n{"id":\n  \n`),
      Buffer.from([0x22, 0xff, 0x0a]),
      Buffer.from(JSON.stringify(event())),
    ];
    const found = await results(await intake.send(Buffer.concat(lines), { 'content-type': 'application/x-ndjson' }));
    assert.deepEqual(
      found.map(({ status }) => status),
      ['accepted', 'rejected', 'rejected', 'accepted'],
    );
    assert.equal(added().length, 2);
  });

  test('odd but valid JSON is stored in canonical form, under the same identity', async () => {
    const one = event({ seq: 7 });
    const odd = JSON.stringify(one)
      .replace('"seq":7', '"seq" : 7.0e0')
      .replace(one.id, `\\u00${one.id.charCodeAt(0).toString(16)}${one.id.slice(1)}`);
    assert.deepEqual(await results(await intake.send(odd)), [{ id: one.id, status: 'accepted' }]);
    assert.deepEqual(added()[0]?.event, one);
    assert.equal((await results(await intake.send(one)))[0]?.status, 'duplicate');
  });

  test('recipients: lists without repetition, and people that an edit mentions', async () => {
    await intake.send(event({ to: { users: ['a', 'b', 'a', 'q"\\'] } }));
    await intake.send(event({ type: 'comment.edited', to: { user: 'a' }, data: { mentions: ['b', 'a'] } }));
    await intake.send(event({ type: 'comment.created', to: { user: 'a' }, data: { mentions: ['b'] } }));
    assert.deepEqual(
      added().map(({ to }) => to.join()),
      ['a,b,q"\\', 'a,b', 'a'],
    );
  });

  const people = (count: number) => Array.from({ length: count }, (_, index) => `u${index}`);
  const refusals: [string, unknown, number, string, string?][] = [
    [
      'BC-07 (b): an edit that mentions 5,000',
      event({ type: 'comment.edited', data: { mentions: people(5000) } }),
      422,
      'CARILLON_EVENT_MENTIONS_TOO_MANY',
      '/data/mentions',
    ],
    [
      'BC-07 (b): a mention of 51',
      event({ type: 'mention.created', to: { users: people(51) } }),
      422,
      'CARILLON_EVENT_MENTIONS_TOO_MANY',
      '/to/users',
    ],
    ['more than 1,000 recipients', event({ to: { users: people(1001) } }), 400, 'CARILLON_EVENT_INVALID'],
    [
      'an audience that is unknown',
      event({ to: { audience: 'followers:u1' } }),
      400,
      'CARILLON_AUDIENCE_UNKNOWN',
      '/to/audience',
    ],
    ['an unknown version of a type', event({ type: 'post.liked@2' }), 400, 'CARILLON_EVENT_TYPE_UNKNOWN', '/type'],
    ['a foreign source', event({ source: 'chat' }), 403, 'CARILLON_EVENT_SOURCE_FOREIGN', '/source'],
    ['a time 5 min 1 s ahead', event({ time: '2026-03-10T12:05:01Z' }), 400, 'CARILLON_EVENT_TIME_AHEAD', '/time'],
    ['an unknown field', event({ recipient: 'r1' }), 400, 'CARILLON_EVENT_INVALID', '/recipient'],
    ['a like by nobody', event({ actor: undefined }), 400, 'CARILLON_EVENT_INVALID', '/actor'],
    ['a like of nothing', event({ object: undefined }), 400, 'CARILLON_EVENT_INVALID', '/object'],
    ['an id that is a number', event({ id: 7 }), 400, 'CARILLON_EVENT_INVALID', '/id'],
    [
      'a seq above 2^53',
      JSON.stringify(event({ seq: 1 })).replace('"seq":1', '"seq":9007199254740993'),
      400,
      'CARILLON_EVENT_INVALID',
      '/seq',
    ],
    [
      'a number above 2^53 in data',
      `${JSON.stringify(event()).slice(0, -3)}{"n":1e16}}`,
      400,
      'CARILLON_EVENT_INVALID',
      '/data/n',
    ],
    ['a NUL in a name', event({ actor: { id: 'a', name: '\0' } }), 400, 'CARILLON_EVENT_INVALID', '/actor/name'],
    [
      'half a surrogate pair',
      event({ actor: { id: 'a', name: '\ud800' } }),
      400,
      'CARILLON_EVENT_INVALID',
      '/actor/name',
    ],
    [
      'a title too long',
      event({ object: { kind: 'post', id: 'p', title: 'x'.repeat(501) } }),
      400,
      'CARILLON_EVENT_INVALID',
      '/object/title',
    ],
    ['deep nesting', '{"a":'.repeat(10_000), 400, 'CARILLON_EVENT_INVALID', ''],
    ['an event above 64 KiB', event({ data: { text: 'x'.repeat(65_536) } }), 413, 'CARILLON_REQUEST_TOO_LARGE'],
    ['malformed JSON', '{"id":', 400, 'CARILLON_REQUEST_MALFORMED'],
    ['bytes that are not UTF-8', Buffer.from([0x7b, 0xff, 0x7d]), 400, 'CARILLON_REQUEST_MALFORMED'],
    ['an empty body', '', 400, 'CARILLON_REQUEST_MALFORMED'],
    ['an array that does not end', '[{}', 400, 'CARILLON_REQUEST_MALFORMED'],
    ['an array with a hole', '[{},,{}]', 400, 'CARILLON_REQUEST_MALFORMED'],
    ['something behind an array', '[]x', 400, 'CARILLON_REQUEST_MALFORMED'],
    ['1,001 events', `[${'1,'.repeat(1000)}1]`, 413, 'CARILLON_REQUEST_TOO_LARGE'],
    ['a body above 4 MiB', Buffer.alloc(4 * 1024 * 1024 + 1, 0x20), 413, 'CARILLON_REQUEST_TOO_LARGE'],
  ];
  for (const [what, body, status, code, path] of refusals) {
    test(`${what}: ${status} ${code}, nothing stored`, async () => {
      const found = await refusal(await intake.send(body));
      assert.deepEqual([found.status, found.code], [status, code]);
      if (path !== undefined) assert.equal(found.path, path);
      assert.equal(added().length, 0);
    });
  }

  for (const [name, value] of [['text/plain'], ['application/json; charset=latin1'], ['application/json', 'gzip']]) {
    test(`content type ${name} ${value ?? ''} is refused`, async () => {
      const headers = { 'content-type': name as string, ...(value && { 'content-encoding': value }) };
      assert.equal((await refusal(await intake.send(event(), headers))).code, 'CARILLON_REQUEST_MEDIA_TYPE');
    });
  }

  test('time: exactly 5 minutes ahead and any past are accepted', async () => {
    const found = await results(
      await intake.send([event({ time: '2026-03-10T12:05:00Z' }), event({ time: '1970-01-01T00:00:00Z' })]),
    );
    assert.deepEqual(
      found.map(({ status }) => status),
      ['accepted', 'accepted'],
    );
  });

  test("BC-63: a user's token may not send events", async () => {
    const { token } = await intake.tokens.issue({ user: 'r2' });
    const response = await intake.send(event(), { authorization: `Bearer ${token}` });
    assert.deepEqual(await refusal(response), { status: 403, code: 'CARILLON_AUTH_FORBIDDEN', path: undefined });
    assert.equal(added().length, 0);
  });

  test('BC-01 (a, b): an idempotency key over HTTP', async () => {
    let go = () => {};
    intake.log.stalled = new Promise((resolve) => {
      go = resolve;
    });
    const one = event();
    const headers = { 'idempotency-key': '"k1"' };
    const first = intake.send(one, headers);
    const appendsBefore = intake.log.appends;
    while (intake.log.appends === appendsBefore) await new Promise((resolve) => setImmediate(resolve));
    const early = await intake.send(one, headers);
    assert.equal(early.headers.get('retry-after'), '1');
    assert.equal((await refusal(early)).code, 'CARILLON_IDEMPOTENCY_RUNNING');
    go();
    intake.log.stalled = null;
    const answer = await results(await first);
    assert.deepEqual(answer, [{ id: one.id, status: 'accepted' }]);
    assert.deepEqual(await results(await intake.send(one, headers)), answer);
    assert.equal((await refusal(await intake.send(event(), headers))).status, 422);
    assert.equal(added().length, 1);
  });

  test('a full disk: 507, nothing accepted; the same events are taken afterwards', async () => {
    intake.log.memory.fail({ code: 'CARILLON_STORAGE_FULL' });
    const list = [event(), event()];
    assert.equal((await refusal(await intake.send(list))).status, 507);
    assert.equal(added().length, 0);
    assert.deepEqual(
      (await results(await intake.send(list))).map(({ status }) => status),
      ['accepted', 'accepted'],
    );
    assert.equal(intake.failures.pop()?.error.code, 'CARILLON_STORAGE_FULL');
  });

  test('too much waits to be stored: 503 with Retry-After, before the body is read', async () => {
    intake.log.waiting = 33 * 1024 * 1024;
    const response = await intake.send('{"never":"parsed"');
    intake.log.waiting = 0;
    assert.equal(response.headers.get('retry-after'), '1');
    assert.equal((await refusal(response)).code, 'CARILLON_OVERLOADED');
    intake.failures.pop();
  });

  test('a lane that is behind closes, the others stay open', async () => {
    intake.log.unapplied.bulk = 65 * 1024 * 1024;
    const bulk = event({ id: 'e "quoted" \u00e9', type: 'post.published' });
    const found = await results(await intake.send([bulk, event()]));
    const single = await refusal(await intake.send(bulk));
    intake.log.unapplied.bulk = 0;
    assert.deepEqual(
      found.map(({ status, error }) => error?.code ?? status),
      ['CARILLON_OVERLOADED', 'accepted'],
    );
    assert.equal(found[0]?.id, 'e "quoted" \u00e9', 'the app knows which to send again');
    assert.deepEqual([single.status, single.code], [503, 'CARILLON_OVERLOADED']);
    intake.failures.pop();
  });

  test('fuzz: whatever is sent, the answer is documented and never a 5xx', async () => {
    const body = fc.oneof(
      jsonTextOf(eventValue),
      jsonTextOf(fc.array(eventValue, { maxLength: 3 })),
      fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes)),
    );
    const type = fc.constantFrom(
      'application/json',
      'application/x-ndjson',
      'application/cloudevents+json',
      'application/cloudevents-batch+json',
      'text/plain',
    );
    const failedBefore = intake.failures.length;
    await fc.assert(
      fc.asyncProperty(body, type, async (text, contentType) => {
        const response = await intake.send(text, { 'content-type': contentType });
        await response.arrayBuffer();
        assert.ok([202, 400, 403, 413, 415, 422].includes(response.status), `status ${response.status}`);
      }),
      { numRuns: 1000 },
    );
    assert.equal(intake.failures.length, failedBefore);
  });
});

test('requests of one turn share an append', async (t) => {
  const own = await openTestIntake();
  t.after(() => own.app.close());
  await Promise.all(Array.from({ length: 40 }, () => own.send(event())));
  assert.equal(own.log.records().length, 40);
  assert.ok(own.log.appends < 40, `${own.log.appends} appends`);
});

test('with several shards each gets its own people, and the event stays one', async (t) => {
  const own = await openTestIntake({ shards: 8 });
  t.after(() => own.app.close());
  const one = event({ to: { users: Array.from({ length: 100 }, (_, index) => `u${index}`) } });
  assert.deepEqual(await results(await own.send(one)), [{ id: one.id, status: 'accepted' }]);
  const records = own.log.records();
  assert.equal(new Set(records.map(({ shard }) => shard)).size, records.length);
  assert.ok(records.length > 4);
  assert.equal(new Set(records.flatMap(({ to }) => to)).size, 100);
  assert.deepEqual(await results(await own.send(one)), [{ id: one.id, status: 'duplicate' }]);
});

test('M1: outcomes are told by lane, an event counting once however many shards it has', async (t) => {
  const own = await openTestIntake({ shards: 8 });
  t.after(() => own.app.close());
  const many = event({ to: { users: ['u1', 'u2', 'u3', 'u4', 'u5'] } });
  const direct = event({ type: 'message.sent', object: { kind: 'message', id: 'm1' } });
  await own.send([many, direct, many, event({ type: 'no.such' })]);
  await own.send([direct]);
  assert.deepEqual(own.outcomes, [
    { accepted: [1, 1, 0], duplicates: [0, 1, 0], rejected: 1 },
    { accepted: [0, 0, 0], duplicates: [1, 0, 0], rejected: 0 },
  ]);
});

test('over its rate a caller gets 429 with Retry-After and RateLimit fields, others do not', async (t) => {
  const own = await openTestIntake({ rate: { perSecond: 10, burst: 20 } });
  t.after(() => own.app.close());
  assert.equal((await own.send(Array.from({ length: 60 }, () => event()))).status, 202);
  const over = await own.send(event());
  assert.equal(over.headers.get('retry-after'), '5');
  assert.match(over.headers.get('ratelimit-policy') ?? '', /^"events";q=20;w=2$/);
  assert.equal((await refusal(over)).status, 429);
  const { token } = await own.tokens.issue({ source: 'chat' });
  assert.equal((await own.send(event({ source: 'chat' }), { authorization: `Bearer ${token}` })).status, 202);
  own.clock.advance(4200);
  assert.equal((await own.send(event())).status, 202);
});

describe('POST /v1/dev/token', () => {
  const ask = (body: object, headers: Record<string, string> = {}) =>
    fetch(`${intake.origin}/v1/dev/token`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });

  test('gives a token that works', async () => {
    const { token } = (await (await ask({ source: 'posts' })).json()) as { token: string };
    assert.equal((await intake.send(event(), { authorization: `Bearer ${token}` })).status, 202);
  });

  test('refuses proxied requests and unknown roles', async () => {
    assert.equal((await refusal(await ask({ user: '1' }, { 'x-forwarded-for': '1.2.3.4' }))).status, 403);
    assert.equal((await refusal(await ask({ role: 'root' }))).status, 400);
    assert.equal((await refusal(await ask({ user: '1', source: 'x' }))).status, 400);
  });
});
