/** Changes to rows far down the list: readers learn of them, or are told to load again; nobody misses one (I5). */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Event } from '@carillon/contract/event.ts';
import { packEvents } from '../../../test/sim/pack-event.ts';
import { personKey } from '../base/ids.ts';
import { VirtualClock } from '../base/virtual-clock.ts';
import { describeInApp } from '../content/describe-in-app.ts';
import { createProgress } from '../embedded/progress.ts';
import { ShardHost } from '../embedded/shard-host.ts';
import { InboxServiceStore } from '../inbox/inbox-service-store.ts';
import { InboxStoreMemory } from '../inbox/inbox-store-memory.ts';
import { EventLogMemory } from '../log/event-log-memory.ts';
import { usualMemory } from './shard-memory.ts';

const person = personKey('default', 'r1');
const clock = new VirtualClock();
let eventNumber = 0;

function like(post: number, type = 'post.liked'): Event {
  return {
    id: `e${++eventNumber}`,
    source: 'app',
    type,
    time: new Date(clock.now()).toISOString(),
    seq: eventNumber,
    actor: { id: 'a1' },
    object: { kind: 'post', id: `p${post}`, owner: 'r1' },
    to: { user: 'r1' },
  };
}

async function openHost(rowsKept: number): Promise<{ host: ShardHost; inbox: InboxServiceStore }> {
  const store = new InboxStoreMemory();
  const inbox = new InboxServiceStore({ store, clock, cursorSecret: new Uint8Array(32), describe: describeInApp });
  const host = new ShardHost({
    log: new EventLogMemory(),
    store,
    inbox,
    clock,
    shards: 1,
    progress: createProgress(),
    memory: { ...usualMemory, cachedRowsPerPerson: rowsKept, cachedHeadRows: rowsKept },
    onFrames: () => {},
    onProblem: () => {},
  });
  await host.start();
  return { host, inbox };
}

async function send(host: ShardHost, event: Event): Promise<void> {
  clock.advance(1000);
  await host.append(packEvents([event], clock.now()));
  await host.settled();
}

for (const rowsKept of [4, 24, 1000]) {
  it(`rows 1 to 200 are told of, deeper ones ask to load again, with ${rowsKept} rows in memory`, async () => {
    const { host, inbox } = await openHost(rowsKept);
    for (let post = 0; post < 300; post++) await send(host, like(post));
    for (const depth of [1, 30, 101, 150, 199, 201, 250, 300]) {
      const { revision: since } = await inbox.counts(person);
      await send(host, like(300 - depth, 'post.unliked'));
      const changes = await inbox.changes(person, since);
      if (depth > 200) assert.equal(changes.kind, 'resync', `at depth ${depth}`);
      else assert.equal(changes.kind === 'changes' && changes.removed.length, 1, `at depth ${depth}`);
    }
    await host.stop();
  });
}
