import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import type { TenantId } from '../../base/ids.ts';
import { silentLog } from '../../base/log.ts';
import { Telemetry } from '../../base/telemetry.ts';
import { VirtualClock } from '../../base/virtual-clock.ts';
import { builtInTypes } from '../../content/type-catalogue.ts';
import type { AppendStatus } from '../../log/event-log.ts';
import { EventLogMemory } from '../../log/event-log-memory.ts';
import type { PackedBatch } from '../../log/record.ts';
import { Intake } from '../intake.ts';
import type { DeadLetter } from './dead-letter.ts';
import { MessageTaker } from './message-taker.ts';
import { TopicLog } from './topic-log.ts';
import type { TopicMessage } from './topic-message.ts';
import { TopicTally } from './topic-tally.ts';

function event(id: string, type = 'post.liked'): Record<string, unknown> {
  const [actor, object] = [{ id: 'a1' }, { kind: 'post', id: 'p1', owner: 'r1' }];
  return { id, source: 'posts', type, time: '2026-03-10T12:00:00Z', actor, object, to: { user: 'r1' } };
}

function scene() {
  const clock = new VirtualClock();
  const memory = new EventLogMemory();
  const unapplied = { direct: 0, social: 0, bulk: 0 };
  const buried: DeadLetter[] = [];
  const control = { append: (batch: PackedBatch): Promise<AppendStatus[]> => memory.append(batch), poison: '' };
  const log = new TopicLog({
    shards: 1,
    append: (batch) => control.append(batch),
    waitingBytes: () => 0,
    unappliedBytes: (lane) => unapplied[lane],
  });
  const intake = new Intake({ log, types: builtInTypes, clock });
  const producer = {
    kind: 'producer' as const,
    tenant: 'default' as TenantId,
    caller: 'topic events',
    sources: ['posts'],
    expiresAtMs: Number.POSITIVE_INFINITY,
  };
  const taker = new MessageTaker({
    intake: {
      admit: (...given) => intake.admit(...given),
      accept(who, body, headers) {
        if (control.poison !== '' && body.includes(control.poison)) throw new TypeError('a fault of ours');
        return intake.accept(who, body, headers);
      },
    },
    producer,
    deadLetters: {
      send: async (letters) => {
        buried.push(...letters);
      },
    },
    clock,
    tally: new TopicTally(silentLog, new Telemetry()),
  });
  const ids = (): string[] =>
    [...memory.state.lanes.values()]
      .flat()
      .sort((a, b) => a.start - b.start)
      .map(({ identity }) => (JSON.parse(identity) as string[])[3] as string);
  return { clock, unapplied, buried, control, taker, ids, abort: new AbortController() };
}

function messages(...values: readonly unknown[]): TopicMessage[] {
  return values.map((value, offset) => ({
    topic: 'events',
    partition: 0,
    offset,
    timestampMs: 0,
    key: null,
    value: Buffer.from(JSON.stringify(value)),
    headers: [],
  }));
}

test('E6, D8: what its lane refuses waits; the rest of the chunk is taken meanwhile; order within a lane stays', async () => {
  const { clock, unapplied, buried, taker, ids, abort } = scene();
  unapplied.social = 1e12;
  const chunk = messages(event('s1'), event('d1', 'message.sent'), [event('s2'), event('d2', 'message.sent')]);
  const taken = taker.take(chunk, abort.signal);
  await turn();
  await turn();
  assert.deepEqual(ids(), ['d1', 'd2']);
  unapplied.social = 0;
  clock.advance(1000);
  await taken;
  assert.deepEqual(ids(), ['d1', 'd2', 's1', 's2']);
  assert.deepEqual(buried, []);
});

test('BC-10: a message that brings out a fault of ours is buried, and the others go on', async () => {
  const { buried, control, taker, ids, abort } = scene();
  control.poison = '"m2"';
  await taker.take(messages(event('m1'), event('m2'), event('m3')), abort.signal);
  assert.deepEqual(ids(), ['m1', 'm3']);
  assert.deepEqual(
    buried.map(({ message, refusal }) => [message.offset, refusal.code, refusal.detail]),
    [[1, 'CARILLON_INTERNAL', 'TypeError']],
  );
});

test('N3: a failed append is tried again, for as long as it takes, and in order', async () => {
  const { clock, buried, control, taker, ids, abort } = scene();
  const append = control.append;
  control.append = () => Promise.reject(new Error('away'));
  const taken = taker.take(messages(event('m1'), event('m2')), abort.signal);
  for (let tries = 0; tries < 50; tries++) {
    await turn();
    clock.advance(1000);
  }
  assert.deepEqual(ids(), []);
  control.append = append;
  await turn();
  clock.advance(1000);
  await taken;
  assert.deepEqual(ids(), ['m1', 'm2']);
  assert.deepEqual(buried, []);
});

test('BC-08: it stops waiting as soon as the partition is lost', async () => {
  const { unapplied, taker, ids, abort } = scene();
  unapplied.social = 1e12;
  const taken = taker.take(messages(event('m1')), abort.signal);
  await turn();
  await turn();
  abort.abort();
  await taken;
  assert.deepEqual(ids(), []);
});
