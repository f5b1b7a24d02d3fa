/** From an event to a provider on the embedded engine's own disk, over restarts (V1, N3). */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { packEvents } from '../../../test/sim/pack-event.ts';
import type { personKey } from '../base/ids.ts';
import { seededRandom } from '../base/random.ts';
import { VirtualClock } from '../base/virtual-clock.ts';
import { describeInApp } from '../content/describe-in-app.ts';
import { builtInContent } from '../content/live-content.ts';
import { down, TestOutlet } from '../deliver/test-delivery-world.ts';
import { InboxServiceStore } from '../inbox/inbox-service-store.ts';
import { InboxStoreMemory } from '../inbox/inbox-store-memory.ts';
import { EventLogMemory, MemoryLogState } from '../log/event-log-memory.ts';
import { ProfileStoreMemory } from '../profile/profile-store-memory.ts';
import { TimerStoreMemory } from '../shard/timer-store-memory.ts';
import { DeliveryWork } from './delivery-work.ts';
import { createProgress } from './progress.ts';
import { ShardHost } from './shard-host.ts';
import type { Problem } from './shard-reports.ts';

async function world(t: TestContext) {
  const dataDir = await mkdtemp(join(tmpdir(), 'carillon-delivery-work-'));
  t.after(() => rm(dataDir, { recursive: true }));
  const clock = new VirtualClock();
  const outlet = new TestOutlet(clock);
  const store = new InboxStoreMemory();
  const profiles = new ProfileStoreMemory(clock);
  const timers = new TimerStoreMemory();
  const inbox = new InboxServiceStore({ store, clock, cursorSecret: new Uint8Array(32), describe: describeInApp });
  const log = new MemoryLogState();
  const problems: Problem[] = [];
  const onProblem = (problem: Problem): void => void problems.push(problem);
  const sizes = { shards: 2, segmentBytes: 1024 * 1024, logKeptMs: 7 * 86_400_000 };
  const unreadOf = async (person: ReturnType<typeof personKey>): Promise<number> => (await inbox.counts(person)).unread;

  async function start() {
    const deliveries = await DeliveryWork.open({
      ...{ dataDir, ...sizes, profiles, inbox: store, unreadOf, clock, onProblem },
      ways: [{ name: 'push', outlet, endpointOf: () => 'ready', close: async () => {} }],
      content: builtInContent,
      random: seededRandom(7),
    });
    const host = new ShardHost({
      ...{ log: new EventLogMemory(log), store, inbox, profiles, clock, shards: 2, onProblem },
      outward: { timers, channels: deliveries.channels },
      progress: createProgress(),
      onFrames: () => {},
    });
    await deliveries.start();
    await host.start();
    return {
      deliveries,
      async send(id: string, user: string) {
        const object = { kind: 'message', id };
        const event = { id, source: 'chat', type: 'message.sent', time: new Date(clock.now()).toISOString() };
        await host.append(
          packEvents([{ ...event, actor: { id: 'a1' }, object, to: { user } }], clock.now(), { shards: 2 }),
        );
        await host.settled();
      },
      /** Until that many calls were made. */
      async called(count: number) {
        for (let turns = 0; outlet.calls.length < count && turns < 20_000; turns++) {
          await turn();
          if (turns % 50 === 49) clock.advance(10);
        }
        assert.equal(outlet.calls.length, count);
      },
      async stop() {
        await host.stop();
        let isStopped = false;
        const stopping = deliveries.stop().then(() => {
          isStopped = true;
        });
        while (!isStopped) {
          await turn();
          clock.advance(10);
        }
        await stopping;
      },
    };
  }
  return { clock, outlet, problems, start };
}

test('an event of a direct lane reaches the provider, once, whatever is restarted', async (t) => {
  const { outlet, problems, start } = await world(t);
  const first = await start();
  for (let user = 0; user < 20; user++) await first.send(`m${user}`, `r${user}`);
  await first.called(20);
  await first.stop();
  const second = await start();
  await second.send('last', 'r1');
  await second.called(21);
  await second.stop();
  assert.equal(new Set(outlet.calls.map(({ delivery }) => delivery)).size, 21);
  assert.deepEqual(problems, []);
});

test('what could not be sent is tried again by the next process', async (t) => {
  const { clock, outlet, start } = await world(t);
  outlet.answer = (_endpoint, nth) => (nth < 2 ? down : { kind: 'accepted', providerId: `id${nth}` });
  const first = await start();
  await first.send('m1', 'r1');
  await first.called(1);
  await first.stop();
  clock.advance(5000);
  const second = await start();
  await second.called(2);
  clock.advance(10_000);
  await second.called(3);
  for (let turns = 0; (await second.deliveries.store?.byProviderId('apns', 'id2')) === null && turns < 1000; turns++) {
    await turn();
  }
  const job = await second.deliveries.store?.byProviderId('apns', 'id2');
  assert.deepEqual(
    job?.deliveries.map(({ endpoint, state, attempts }) => [endpoint, state, attempts.length]),
    [['apns:d1', 'accepted', 3]],
  );
  await second.stop();
});
