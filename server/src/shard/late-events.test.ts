/** Events that come days late find their row, wherever it is by then, and counts stay those of the list (D5, I4). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Event } from '@carillon/contract/event.ts';
import fc from 'fast-check';
import { packEvents } from '../../../test/sim/pack-event.ts';
import { personKey } from '../base/ids.ts';
import { VirtualClock } from '../base/virtual-clock.ts';
import { describeInApp } from '../content/describe-in-app.ts';
import { createProgress } from '../embedded/progress.ts';
import { ShardHost } from '../embedded/shard-host.ts';
import type { MarkRequest } from '../inbox/inbox-service.ts';
import { InboxServiceStore } from '../inbox/inbox-service-store.ts';
import { InboxStoreMemory } from '../inbox/inbox-store-memory.ts';
import type { Item } from '../inbox/item.ts';
import { EventLogMemory } from '../log/event-log-memory.ts';
import { type ShardMemory, usualMemory } from './shard-memory.ts';

const person = personKey('default', 'r1');
const startMs = Date.parse('2026-03-01T00:00:00Z');
const dayMs = 86_400_000;
let eventNumber = 0;

function repost(post: string, actor: string, timeMs: number): Event {
  return {
    id: `e${++eventNumber}`,
    source: 'app',
    type: 'post.reposted',
    time: new Date(timeMs).toISOString(),
    actor: { id: actor },
    object: { kind: 'post', id: post, owner: 'r1' },
    to: { user: 'r1' },
  };
}

class TestHost {
  readonly clock = new VirtualClock(startMs + 40 * dayMs);
  readonly store = new InboxStoreMemory();
  readonly inbox: InboxServiceStore;
  /** Counts of the last frame. */
  told = { unread: 0, unseen: 0 };
  readonly #host: ShardHost;

  constructor(memory: Partial<ShardMemory> = {}) {
    const { store, clock } = this;
    const cursorSecret = new Uint8Array(32);
    this.inbox = new InboxServiceStore({ store, clock, cursorSecret, describe: describeInApp });
    this.#host = new ShardHost({
      log: new EventLogMemory(),
      store,
      inbox: this.inbox,
      clock,
      shards: 1,
      progress: createProgress(),
      memory: { ...usualMemory, ...memory },
      onFrames: (bytes) => {
        const counts = [
          ...Buffer.from(bytes)
            .toString()
            .matchAll(/"counts":(\{[^}]*\})/g),
        ].at(-1)?.[1];
        if (counts !== undefined) this.told = JSON.parse(counts);
      },
      onProblem: (problem) => assert.fail(JSON.stringify(problem)),
    });
  }

  async start(): Promise<this> {
    await this.#host.start();
    await this.#host.openFeed(person, null);
    return this;
  }

  async send(events: readonly Event[]): Promise<void> {
    for (let at = 0; at < events.length; at += 50) {
      await this.#host.append(packEvents(events.slice(at, at + 50), this.clock.now()));
    }
    await this.#host.settled();
  }

  mark(request: MarkRequest): Promise<unknown> {
    return this.#host.mark(person, request);
  }

  async rows(): Promise<readonly Item[]> {
    return (await this.store.head(person, 100_000)).items;
  }

  stop(): Promise<void> {
    return this.#host.stop();
  }
}

const posts = (day: number, count: number): string[] => Array.from({ length: count }, (_, at) => `p${day}-${at}`);
const atDay = (day: number, at = 0): number => startMs + day * dayMs + at * 1000;

test('a late event joins its row however often older rows have been forgotten since', async () => {
  const host = await new TestHost().start();
  for (const day of [0, 5, 10, 15]) {
    await host.send(posts(day, 700).map((post, at) => repost(post, 'a1', atDay(day, at))));
    for (const late of [0, 5, 10, 15].filter((other) => other < day)) {
      await host.send(posts(late, 700).map((post, at) => repost(post, `a${day}`, atDay(late, at + 1))));
    }
  }
  const rows = await host.rows();
  assert.equal(rows.length, 2800, 'one row for each post');
  for (const row of rows) {
    const day = Number(/^p(\d+)-/.exec(row.object.id)?.[1]);
    assert.equal(row.actorCount, 1 + (15 - day) / 5, row.object.id);
  }
  await host.stop();
});

test('while one lane is days behind another, what it needs is not read again and again', async () => {
  const host = await new TestHost().start();
  let reads = 0;
  const rows = host.store.rows.bind(host.store);
  host.store.rows = (...args) => {
    reads++;
    return rows(...args);
  };
  for (let round = 0; round < 60; round++) {
    const ahead = posts(20, 20).map((post, at) => repost(`${post}-${round}`, 'a1', atDay(20, round * 100 + at)));
    const behind = posts(10, 20).map((post, at) => repost(`${post}-${round}`, 'a1', atDay(10, round * 100 + at)));
    await host.send([...ahead, ...behind]);
  }
  assert.equal((await host.rows()).length, 2400);
  assert.ok(reads < 60, `${reads} reads for 60 micro-batches`);
  await host.stop();
});

const step = fc.record({
  day: fc.nat(12),
  post: fc.nat(5),
  actor: fc.nat(3),
  reads: fc.nat(9).map((n) => n === 0),
});

test('rows and counts are the same whatever is kept in memory', async () => {
  const property = fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 60 }), async (steps) => {
    const small = { cachedRowsPerPerson: 2, cachedHeadRows: 2 };
    const tiny = { ...small, cachedPeopleMax: 0, evictEveryBatches: 3 };
    const hosts = await Promise.all([{}, small, tiny].map((memory) => new TestHost(memory).start()));
    const found = [];
    for (const host of hosts) {
      for (const [at, { day, post, actor, reads }] of steps.entries()) {
        await host.send([{ ...repost(`p${day}-${post}`, `a${actor}`, atDay(day, at)), id: `e${at}` }]);
        const { unread, unseen, revision } = await host.inbox.counts(person);
        assert.deepEqual([host.told.unread, host.told.unseen], [unread, unseen], `after step ${at}`);
        if (reads) await host.mark({ kind: 'read', through: revision });
      }
      found.push((await host.rows()).map(({ id, actorCount }) => ({ id, actorCount })));
      await host.stop();
    }
    assert.deepEqual(found[1], found[0]);
    assert.deepEqual(found[2], found[0]);
  });
  await fc.assert(property, { numRuns: 40 });
});
