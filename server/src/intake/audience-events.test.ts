/** Events to audiences on their way into the log: one record each, whatever the form they come in (F1, E5). */
import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { openTestIntake, type TestIntake } from '../api/test-intake.ts';
import { shardOf } from '../base/hash.ts';
import { audienceKey } from '../base/ids.ts';
import { limits } from '../base/limits.ts';
import { plainEvent } from './event-arbitrary.ts';

const known = new Set(['followers:u1', 'thread:p1']);
let asked: string[][] = [];
let sent = 0;
let intake: TestIntake;
let stored = 0;

before(async () => {
  const unknown = async (_tenant: string, names: readonly string[]) => {
    asked.push([...names]);
    return new Set(names.filter((name) => !known.has(name)));
  };
  intake = await openTestIntake({ shards: 8, audiences: { unknown } });
});
after(() => intake.app.close());
beforeEach(() => {
  asked = [];
  intake.log.unapplied = { direct: 0, social: 0, bulk: 0 };
  stored = intake.log.records().length;
});

const event = (to: object, more: object = {}) => ({ ...plainEvent, id: `e${sent++}`, to, ...more });
const added = () => intake.log.records().slice(stored);
const results = async (response: Response) => {
  const found = ((await response.json()) as { results: { status: string; error?: { code: string; path: string } }[] })
    .results;
  return found.map(({ status, error }) => error?.path ?? status);
};

test('an audience is one record without people, in the bulk lane of the audience’s shard', async () => {
  const one = event({ audience: 'followers:u1' }, { type: 'comment.created' });
  assert.deepEqual(await results(await intake.send(one)), ['accepted']);
  const [record] = added();
  assert.deepEqual([record?.lane, record?.to, record?.event], ['bulk', [], one]);
  assert.equal(record?.shard, shardOf(audienceKey('default', 'followers:u1'), 8));
  assert.deepEqual(await results(await intake.send(one)), ['duplicate']);
});

test('one look-up a request, of each name once, and none where there is none', async () => {
  await intake.send([event({ user: 'r1' }), event({ users: ['r1', 'r2'] })]);
  assert.deepEqual(asked, []);
  const list = [
    event({ audience: 'followers:u1' }),
    event({ audience: 'followers:nobody' }),
    event({ user: 'r1' }),
    event({ audience: 'followers:u1' }),
    event({ audience: 'thread:p1' }),
  ];
  const found = await results(await intake.send(list));
  assert.deepEqual(found, ['accepted', '/to/audience', 'accepted', 'accepted', 'accepted']);
  assert.deepEqual(asked, [['followers:u1', 'followers:nobody', 'thread:p1']]);
});

test('whatever the form: lines, escaped keys and names, CloudEvents', async () => {
  const ndjson = { 'content-type': 'application/x-ndjson' };
  const lines = [event({ audience: 'thread:p1' }), event({ audience: 'thread:p2' })].map((one) => JSON.stringify(one));
  assert.deepEqual(await results(await intake.send(lines.join('\n'), ndjson)), ['accepted', '/to/audience']);
  for (const name of ['thread:p1', 'thread:p2']) {
    const escaped = JSON.stringify(event({ audience: name }))
      .replace('"audience"', '"\\u0061udience"')
      .replace('thread:', 'thr\\u0065ad:');
    const answer = await intake.send(`[${escaped}]`);
    assert.deepEqual(await results(answer), [name === 'thread:p1' ? 'accepted' : '/to/audience']);
    const { id, source, type, time, ...data } = event({ audience: name });
    const cloud = { 'content-type': 'application/cloudevents-batch+json' };
    const one = { specversion: '1.0', id, source, type, time, data };
    const found = await results(await intake.send([one], cloud));
    assert.deepEqual(found, [name === 'thread:p1' ? 'accepted' : '/to/audience']);
  }
});

test('D8: while the bulk lane is behind, audiences are refused, whatever the type', async () => {
  intake.log.unapplied = { direct: 0, social: 0, bulk: limits.unappliedBytesMax.bulk + 1 };
  const direct = { type: 'comment.created' };
  const found = await results(
    await intake.send([event({ audience: 'thread:p1' }, direct), event({ user: 'r1' }, direct)]),
  );
  assert.deepEqual(found, ['', 'accepted']);
});
