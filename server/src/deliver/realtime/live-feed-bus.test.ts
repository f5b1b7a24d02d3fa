import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import fc from 'fast-check';
import { eventually } from '../../../../test/flow/eventually.ts';
import { type PersonKey, personKey } from '../../base/ids.ts';
import { limits } from '../../base/limits.ts';
import { seededRandom } from '../../base/random.ts';
import { VirtualClock } from '../../base/virtual-clock.ts';
import type { BusMessage } from './bus.ts';
import { BusHub, BusMemory } from './bus-memory.ts';
import { FeedClient, type LossyFeedWorld, liveFeedContract, lossyFeedContract, numbers } from './live-feed.contract.ts';
import { PresenceMemory } from './presence-memory.ts';
import { TestLiveFeedBus } from './test-live-feed-bus.ts';

/** A bus whose own connection can break while the others' stand, or which loses calls in silence, as none should. */
class FragileBus extends BusMemory {
  isBroken = false;
  losesNext = 0;

  override async publish(messages: readonly BusMessage[]): Promise<void> {
    if (this.isBroken) throw new Error('the connection is broken');
    if (this.losesNext > 0) {
      this.losesNext--;
      return;
    }
    await super.publish(messages);
  }
}

function createParts() {
  const clock = new VirtualClock();
  const hub = new BusHub();
  const presence = new PresenceMemory(clock);
  const buses: FragileBus[] = [];
  const feed = new TestLiveFeedBus(clock, () => {
    const bus = new FragileBus(hub);
    buses.push(bus);
    return { bus, presence };
  });
  return { clock, hub, presence, buses, feed };
}

async function createWorld(): Promise<LossyFeedWorld> {
  const { clock, hub, presence, buses, feed } = createParts();
  return {
    gateways: feed.gateways,
    get pause() {
      return feed.pause;
    },
    set pause(pause) {
      feed.pause = pause;
    },
    change: (person) => feed.change(person),
    mark: (person) => feed.mark(person),
    forget: (person, through) => feed.forget(person, through),
    revision: (person) => feed.inbox.revision(person),
    marksVersion: (person) => feed.inbox.marksVersion(person),
    passTime: () => clock.advance(200),
    faults: {
      async 'the bus goes and comes back'(during) {
        hub.takeAway();
        await during();
        hub.bringBack();
      },
      async 'bus and presence go and come back empty'(during) {
        hub.takeAway();
        presence.isAway = true;
        await during();
        presence.forgetAll();
        presence.isAway = false;
        hub.bringBack();
      },
      async 'presence alone forgets'(during) {
        presence.forgetAll();
        await during();
      },
      async 'presence alone cannot be reached'(during) {
        presence.isAway = true;
        await during();
        presence.isAway = false;
      },
      async 'the publishers alone are cut off'(during) {
        for (const bus of buses.slice(2)) bus.isBroken = true;
        await during();
        for (const bus of buses.slice(2)) bus.isBroken = false;
      },
      async 'the inbox cannot be read either'(during) {
        hub.takeAway();
        feed.inbox.isBroken = true;
        await during();
        hub.bringBack();
        clock.advance(5000);
        feed.inbox.isBroken = false;
      },
      async 'a shard has a new owner'(during, people) {
        await during();
        for (const person of people) feed.changeOwner(person);
      },
    },
    close: () => feed.close(),
  };
}

liveFeedContract('over a bus in memory', createWorld);
lossyFeedContract('over a bus in memory', createWorld);

type Parts = ReturnType<typeof createParts>;

/** What may happen, at any time and in any order. */
const steps: Readonly<Record<string, (parts: Parts, person: PersonKey) => unknown>> = {
  change: ({ feed }, person) => feed.change(person),
  changeMore: ({ feed }, person) => void feed.change(person).then(() => feed.change(person)),
  mark: ({ feed }, person) => void feed.mark(person),
  newOwner: ({ feed }, person) => feed.changeOwner(person),
  busGoes: ({ hub }) => hub.takeAway(),
  busComes: ({ hub }) => hub.bringBack(),
  presenceGoes: ({ presence }) => {
    presence.isAway = true;
  },
  presenceComes: ({ presence }) => {
    presence.isAway = false;
  },
  presenceForgets: ({ presence }) => presence.forgetAll(),
  publishersBreak: ({ buses }) => {
    for (const bus of buses.slice(2)) bus.isBroken = !bus.isBroken;
  },
  ownerLosesInSilence: ({ buses }) => {
    for (const bus of buses.slice(2, 3)) bus.losesNext++;
  },
  inboxBreaks: ({ feed }) => {
    feed.inbox.isBroken = !feed.inbox.isBroken;
  },
  second: ({ clock }) => clock.advance(1000),
  minute: ({ clock }) => clock.advance(60_000),
  turn: () => turn(),
};
const person = fc.nat(2).map((n) => personKey('default', `r${n}`));
const happening = fc.oneof(
  { weight: 4, arbitrary: fc.record({ what: fc.constantFrom(...Object.keys(steps)), person }) },
  { weight: 1, arbitrary: fc.record({ what: fc.constantFrom('open', 'openFresh', 'stop'), person }) },
);

test('V30: whatever happens, no stream has a gap or a repeat, and each ends with the inbox', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(happening, { maxLength: 60, size: 'max' }), fc.nat(), async (story, seed) => {
      const parts = createParts();
      const { feed, clock, hub, presence, buses } = parts;
      const random = seededRandom(seed);
      feed.pause = async () => {
        for (let turns = random.below(4); turns > 0; turns--) await turn();
      };
      const clients: { client: FeedClient; person: PersonKey; since: number | null; isOpen: boolean }[] = [];
      for (const { what, person } of story) {
        if (what === 'stop') {
          const last = clients.findLast((each) => each.isOpen && each.person === person);
          last?.client.stop();
          if (last !== undefined) last.isOpen = false;
        } else if (what === 'open' || what === 'openFresh') {
          const since = what === 'open' ? 0 : null;
          const client = new FeedClient(feed.gateways[random.below(2) as 0 | 1], person, since);
          clients.push({ client, person, since, isOpen: true });
        } else await steps[what]?.(parts, person);
      }
      for (const bus of buses) {
        bus.isBroken = false;
        bus.losesNext = 0;
      }
      feed.inbox.isBroken = false;
      presence.isAway = false;
      hub.bringBack();
      // What was lost in silence is betrayed by what comes next.
      for (const { person } of clients) await feed.change(person);
      const isCurrent = ({ client, person, isOpen }: (typeof clients)[number]): boolean =>
        !isOpen ||
        (client.position === feed.inbox.revision(person) && client.marksVersion === feed.inbox.marksVersion(person));
      await eventually(() => {
        clock.advance(500);
        return clients.every(isCurrent);
      });
      for (const { client, since } of clients) {
        const first = since === null ? (client.starts[0]?.hello.revision ?? 0) + 1 : 1;
        assert.deepEqual(client.shown, numbers(first, client.position ?? 0));
        client.stop();
      }
      await feed.close();
    }),
    { numRuns: 300 },
  );
});

test('V30: a frame that follows a lost one is not shown before it', async () => {
  const { feed, buses } = createParts();
  const ana = personKey('default', 'ana');
  const client = new FeedClient(feed, ana, 0);
  await eventually(() => client.hasStarted);
  await feed.change(ana);
  for (const bus of buses) bus.losesNext = 1;
  await feed.change(ana);
  for (const bus of buses) bus.losesNext = 0;
  await feed.change(ana);
  await eventually(() => client.position === 3);
  assert.deepEqual(client.shown, [1, 2, 3]);
  client.stop();
  await feed.close();
});

test('V30: a live stream that can no longer be caught up is told so, and goes on from there', async () => {
  const { feed, buses } = createParts();
  const ana = personKey('default', 'ana');
  const client = new FeedClient(feed, ana, 0);
  await eventually(() => client.hasStarted);
  await feed.change(ana);
  for (const bus of buses) bus.losesNext = 1;
  await feed.change(ana);
  for (const bus of buses) bus.losesNext = 0;
  feed.forget(ana, 2);
  await feed.change(ana);
  await eventually(() => client.position === 3);
  await feed.change(ana);
  await eventually(() => client.position === 4);
  assert.deepEqual(
    client.frames.map(({ kind, revision }) => [kind, revision]),
    [
      ['changes', 1],
      ['resync', 3],
      ['changes', 4],
    ],
  );
  client.stop();
  await feed.close();
});

test("I3: a shard's owner that could not be told of marks is told later, though it noticed nothing", async () => {
  const { feed, clock, buses } = createParts();
  const ana = personKey('default', 'ana');
  await turn();
  await feed.change(ana);
  const bus = buses[3] as FragileBus;
  bus.isBroken = true;
  await feed.mark(ana);
  assert.ok(!feed.ownerIsCurrent(ana));
  bus.isBroken = false;
  clock.advance(limits.busRetryMs);
  await eventually(() => feed.ownerIsCurrent(ana));
  await feed.close();
});

test('I4: counts of fewer rows than are shown already are not shown last', async () => {
  const { feed } = createParts();
  const ana = personKey('default', 'ana');
  const client = new FeedClient(feed, ana, 0);
  await eventually(() => client.hasStarted);
  // Marked before the row came, and told after it.
  const late = feed.inbox.mark(ana);
  await feed.change(ana);
  await eventually(() => client.position === 1);
  feed.publishMarks(ana, late);
  await eventually(() => client.frames.at(-1)?.kind === 'marks');
  const last = JSON.parse(client.frames.at(-1)?.json.toString() ?? '') as { counts: { revision: number } };
  assert.equal(last.counts.revision, 1);
  client.stop();
  await feed.close();
});

test('who was forgotten with the bus is entered again as soon as it is back', async () => {
  const { feed, hub, presence } = createParts();
  const ana = personKey('default', 'ana');
  const client = new FeedClient(feed, ana, 0);
  await eventually(() => client.hasStarted);
  hub.takeAway();
  presence.forgetAll();
  hub.bringBack();
  await eventually(async () => (await presence.gatewaysOf([ana])).size === 1);
  client.stop();
  await feed.close();
});

test('a loss that concerns everybody is no storm of reads', async () => {
  const { feed, clock, hub } = createParts();
  const people = numbers(1, 3 * limits.feedCatchupsPerSecond).map((n) => personKey('default', `r${n}`));
  const clients = people.map((person) => new FeedClient(feed.gateways[0], person, 0));
  await eventually(() => clients.every(({ hasStarted }) => hasStarted));
  const before = feed.inbox.reads;
  hub.takeAway();
  hub.bringBack();
  for (let second = 1; second <= 3; second++) {
    for (let tenth = 0; tenth < 10; tenth++) {
      for (let turns = 0; turns < 5; turns++) await turn();
      clock.advance(100);
    }
    const reads = feed.inbox.reads - before;
    const allowed = limits.feedCatchupsPerSecond * (second + 0.1);
    assert.ok(reads > allowed / 2 && reads <= allowed, `${reads} reads in ${second} s`);
  }
  for (const client of clients) client.stop();
  await feed.close();
});

test('while the bus is away streams look into the inbox from time to time', async () => {
  const { feed, clock, hub, presence } = createParts();
  const ana = personKey('default', 'ana');
  const client = new FeedClient(feed, ana, 0);
  await eventually(() => client.hasStarted);
  hub.takeAway();
  presence.isAway = true;
  await feed.change(ana);
  await feed.mark(ana);
  assert.deepEqual(client.shown, []);
  clock.advance(limits.feedPollMs);
  await eventually(() => client.position === 1 && client.marksVersion === 1);
  clock.advance(limits.feedPollMs);
  for (let turns = 0; turns < 20; turns++) await turn();
  assert.deepEqual(
    client.frames.map(({ kind }) => kind),
    ['changes', 'marks'],
    'nothing new, nothing said',
  );
  const late = new FeedClient(feed, ana, 0);
  await eventually(() => late.hasStarted);
  assert.deepEqual(late.shown, [1]);
  for (const each of [client, late]) each.stop();
  await feed.close();
});

test('presence knows who is there, for as long as they are, however long', async () => {
  const { feed, clock, presence } = createParts();
  const [ana, bo] = [personKey('default', 'ana'), personKey('default', 'bo')];
  const clients = [new FeedClient(feed, ana, 0), new FeedClient(feed, ana, 0), new FeedClient(feed, bo, 0)] as const;
  await eventually(() => clients.every(({ hasStarted }) => hasStarted));
  const there = async (): Promise<PersonKey[]> => [...(await presence.gatewaysOf([ana, bo])).keys()];
  clients[0].stop();
  clients[2].stop();
  for (let passedMs = 0; passedMs < 5 * limits.presenceKeptMs; passedMs += 1000) {
    clock.advance(1000);
    await turn();
  }
  assert.deepEqual(await there(), [ana]);
  const readsAtAll = feed.inbox.reads;
  assert.equal(readsAtAll, 3, 'entering again is no reason to read');
  await feed.close();
  assert.deepEqual(await there(), []);
});
