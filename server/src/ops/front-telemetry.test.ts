import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Lane } from '@carillon/contract/lanes.ts';
import { limits } from '../base/limits.ts';
import type { LogFields } from '../base/log.ts';
import type { LogEvent } from '../base/log-events.ts';
import { readSnapshot, Telemetry } from '../base/telemetry.ts';
import { VirtualClock } from '../base/virtual-clock.ts';
import { FrontTelemetry, type HttpAnswer } from './front-telemetry.ts';

const noStats = {
  connections: { websocket: 0, sse: 0, poll: 0 },
  unproven: 0,
  people: 0,
  frames: { hello: 0, changes: 0, marks: 0, resync: 0, ping: 0, bye: 0 },
  opened: 0,
  cut: {},
};

function scene(t: TestContext) {
  const clock = new VirtualClock();
  const lines: { event: LogEvent; fields: LogFields }[] = [];
  const log = { write: (event: LogEvent, fields: LogFields = {}) => void lines.push({ event, fields }) };
  const front = new FrontTelemetry({ clock, log, telemetry: new Telemetry() });
  t.after(() => front.stop());
  /** Series of a metric that are not zero, as `label value`. */
  const seen = (name: string, stats = noStats): string[] =>
    readSnapshot(front.snapshot(stats))
      .filter((reading) => reading.name === name)
      .flatMap(({ series }) => series)
      .filter(({ values }) => values[0] !== 0)
      .map(({ labels, values }) => `${Object.values(labels).join(' ')} ${values[0]}`);
  const answer = (change: Partial<HttpAnswer> = {}): void =>
    front.httpAnswered({ route: 'POST /v1/events', status: 202, problem: null, elapsedMs: 3, ...change });
  return { clock, lines, front, seen, answer };
}

test('M1: outcomes of intake are counted by lane', (t) => {
  const { front, seen } = scene(t);
  front.eventsTaken({ accepted: [1, 2, 0], duplicates: [0, 0, 3], rejected: 4 });
  front.eventsTaken({ accepted: [0, 5, 0], duplicates: [0, 0, 0], rejected: 0 });
  assert.deepEqual(seen('carillon_events_accepted_total'), ['direct 1', 'social 7']);
  assert.deepEqual(seen('carillon_events_duplicate_total'), ['bulk 3']);
  assert.deepEqual(seen('carillon_events_rejected_total'), [' 4']);
});

test('M1: answers are counted by class, and what intake refuses by reason', (t) => {
  const { seen, answer, lines } = scene(t);
  answer();
  answer({ status: 429, problem: 'CARILLON_RATE_LIMITED' });
  answer({ status: 503, problem: 'CARILLON_OVERLOADED' });
  answer({ status: 503, problem: 'CARILLON_OVERLOADED', route: 'GET /v1/stream' });
  answer({ status: 400, problem: 'CARILLON_REQUEST_MALFORMED' });
  assert.deepEqual(seen('carillon_http_requests_total'), ['2xx 1', '4xx 2', '5xx 2']);
  assert.deepEqual(seen('carillon_intake_refused_total'), ['overloaded 1', 'rateLimited 1']);
  assert.equal(lines.filter(({ event }) => event === 'requestAnswered').length, 5);
});

test('M1: streams are shown as the gateway has them', (t) => {
  const { front, seen, lines } = scene(t);
  const stats = { ...noStats, connections: { websocket: 2, sse: 1, poll: 0 }, cut: { tooSlow: 3 } };
  front.streamCut('tooSlow');
  assert.deepEqual(seen('carillon_stream_connections', stats), ['websocket 2', 'sse 1']);
  assert.deepEqual(seen('carillon_stream_closes_total', stats), ['tooSlow 3']);
  assert.deepEqual(seen('carillon_stream_closes_total', stats), ['tooSlow 3'], 'a second look counts nothing twice');
  assert.deepEqual(lines, [{ event: 'streamCut', fields: { reason: 'tooSlow' } }]);
});

test('M3: a lane that is refused is told of when it begins, not all the while', (t) => {
  const { clock, front, lines } = scene(t);
  let closed: Lane[] = [];
  front.watchLanes(() => closed);
  clock.advance(limits.laneWatchMs);
  closed = ['bulk'];
  clock.advance(5 * limits.laneWatchMs);
  closed = ['social', 'bulk'];
  clock.advance(limits.laneWatchMs);
  closed = [];
  clock.advance(limits.laneWatchMs);
  closed = ['bulk'];
  clock.advance(limits.laneWatchMs);
  const told = lines.map(({ event, fields }) => `${event} ${fields.lane}`);
  assert.deepEqual(told, ['laneRefused bulk', 'laneRefused social', 'laneRefused bulk']);
  front.stop();
  closed = ['direct'];
  clock.advance(10 * limits.laneWatchMs);
  assert.equal(lines.length, 3);
});

test('M4: ready fails while the disk is full, until events are stored again', (t) => {
  const { clock, front, answer } = scene(t);
  assert.equal(front.storage.check(), null);
  answer({ status: 507, problem: 'CARILLON_STORAGE_FULL' });
  assert.match(front.storage.check() ?? '', /disk is full/);
  front.eventsTaken({ accepted: [0, 0, 0], duplicates: [0, 1, 0], rejected: 1 });
  assert.notEqual(front.storage.check(), null, 'a duplicate needs no space');
  front.eventsTaken({ accepted: [0, 1, 0], duplicates: [0, 0, 0], rejected: 0 });
  assert.equal(front.storage.check(), null);
  answer({ status: 507, problem: 'CARILLON_STORAGE_FULL' });
  clock.advance(limits.storageFullMs - 1);
  assert.notEqual(front.storage.check(), null);
  clock.advance(1);
  assert.equal(front.storage.check(), null, 'else no traffic would come to show that there is space again');
});
