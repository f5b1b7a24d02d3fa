import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import type { Event } from '@carillon/contract/event.ts';
import { VirtualClock } from '../../server/src/base/virtual-clock.ts';
import { type Pace, type ReplayPorts, replayTrace } from './replay-trace.ts';
import { noCounts } from './send-batch.ts';

const max: Pace = { kind: 'max' };

async function* eventsAt(...seconds: number[]): AsyncGenerator<Event> {
  for (const second of seconds) yield { id: `e-${second}`, time: new Date(second * 1000).toISOString() } as Event;
}

/** Runs a replay in virtual time; answers when each batch left, in seconds, and what was in it. */
async function run(
  events: AsyncIterable<Event>,
  plan: Parameters<typeof replayTrace>[1],
  ports: Partial<ReplayPorts> = {},
) {
  const clock = new VirtualClock();
  const sent: [second: number, ids: string][] = [];
  let done = false;
  const replayed = replayTrace(events, plan, {
    monotonicMs: () => clock.monotonic(),
    wait: (delayMs) => new Promise((resolve) => void clock.after(delayMs, resolve)),
    send: async (batch) => {
      sent.push([clock.monotonic() / 1000, batch.map((event) => event.id).join(' ')]);
      return { ...noCounts, accepted: batch.length };
    },
    progress: () => {},
    stopped: () => false,
    ...ports,
  }).finally(() => {
    done = true;
  });
  replayed.catch(() => {});
  for (let step = 0; step < 1000 && !done; step++) {
    await turn();
    clock.advance(500);
  }
  return { sent, counts: await replayed };
}

test('events leave when they are due, together when they are due together', async () => {
  const plan = { pace: { kind: 'speed', times: 10 } as Pace, batchEventsMax: 2, inFlightMax: 4 };
  const { sent, counts } = await run(eventsAt(1000, 1000, 1000, 1010, 1050), plan);
  assert.deepEqual(sent, [
    [0, 'e-1000 e-1000'],
    [0, 'e-1000'],
    [1, 'e-1010'],
    [5, 'e-1050'],
  ]);
  assert.equal(counts.accepted, 5);
});

test('a rate is kept whatever the recorded times', async () => {
  const plan = { pace: { kind: 'rate', perSecond: 2 } as Pace, batchEventsMax: 10, inFlightMax: 4 };
  const { sent } = await run(eventsAt(1, 1, 900), plan);
  assert.deepEqual(sent, [
    [0, 'e-1'],
    [0.5, 'e-1'],
    [1, 'e-900'],
  ]);
});

test('as fast as possible means full batches without waiting', async () => {
  const { sent } = await run(eventsAt(1, 500, 900), { pace: max, batchEventsMax: 2, inFlightMax: 4 });
  assert.deepEqual(sent, [
    [0, 'e-1 e-500'],
    [0, 'e-900'],
  ]);
});

test('no more requests are open than allowed', async () => {
  let open = 0;
  let most = 0;
  const send = async () => {
    most = Math.max(most, ++open);
    await turn();
    await turn();
    open -= 1;
    return noCounts;
  };
  await run(eventsAt(...Array(40).keys()), { pace: max, batchEventsMax: 1, inFlightMax: 3 }, { send });
  assert.equal(most, 3);
});

test('a failure to send ends the replay', async () => {
  let calls = 0;
  const send = async () => {
    calls += 1;
    throw new Error('refused');
  };
  const plan = { pace: max, batchEventsMax: 1, inFlightMax: 2 };
  await assert.rejects(run(eventsAt(...Array(40).keys()), plan, { send }), /refused/);
  assert.ok(calls <= 4, String(calls));
});

test('stopping ends after what is in flight', async () => {
  let calls = 0;
  const send = async () => ({ ...noCounts, accepted: ++calls });
  const plan = { pace: max, batchEventsMax: 1, inFlightMax: 2 };
  const { counts } = await run(eventsAt(...Array(40).keys()), plan, { send, stopped: () => calls >= 5 });
  assert.ok(calls >= 5 && calls < 10, String(calls));
  assert.ok(counts.accepted > 0);
});
