import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { box, EmbeddedData, people } from '../../../test/cluster/move/embedded-data.ts';
import { assertGoesOn, assertWhole, move } from '../../../test/cluster/move/moved-data.ts';
import { AnnouncementStoreMemory } from '../announce/announcement-store-memory.ts';
import { AudienceStoreMemory } from '../audience/audience-store-memory.ts';
import { BroadcastStoreMemory } from '../audience/broadcast-store-memory.ts';
import { FanoutStoreMemory } from '../audience/fanout-store-memory.ts';
import { RevocationStoreMemory } from '../auth/revocation-store-memory.ts';
import { seededRandom } from '../base/random.ts';
import { VirtualClock } from '../base/virtual-clock.ts';
import { InboxStoreMemory } from '../inbox/inbox-store-memory.ts';
import { personWrite, testItem } from '../inbox/test-items.ts';
import { IdempotencyStoreMemory } from '../intake/idempotency-store-memory.ts';
import { EventLogMemory } from '../log/event-log-memory.ts';
import { sampleBatch } from '../log/sample-records.ts';
import { DeviceStoreMemory } from '../profile/device-store-memory.ts';
import { ProfileStoreMemory } from '../profile/profile-store-memory.ts';
import { SuppressionStoreMemory } from '../profile/suppression-store-memory.ts';
import { TimerStoreMemory } from '../shard/timer-store-memory.ts';
import { openEmbeddedSource } from './embedded-source.ts';
import { MoveError } from './move-error.ts';
import type { MoveState, MoveStateStore } from './move-state.ts';

class MemoryMoveState implements MoveStateStore {
  text = 'null';
  saves = 0;
  /** The save with this number fails. */
  failAt = Number.POSITIVE_INFINITY;

  async load(): Promise<MoveState | null> {
    return JSON.parse(this.text) as MoveState | null;
  }

  async save(state: MoveState): Promise<void> {
    if (++this.saves === this.failAt) throw new Error('cut off');
    this.text = JSON.stringify(state);
  }
}

function emptyTarget() {
  const clock = new VirtualClock();
  const profiles = new ProfileStoreMemory(clock);
  return {
    log: new EventLogMemory(),
    inbox: new InboxStoreMemory(),
    idempotency: new IdempotencyStoreMemory(),
    revocations: new RevocationStoreMemory(),
    profiles,
    devices: new DeviceStoreMemory(profiles, clock),
    suppressions: new SuppressionStoreMemory(clock, 5),
    timers: new TimerStoreMemory(),
    audiences: new AudienceStoreMemory(),
    fanouts: new FanoutStoreMemory(),
    broadcasts: new BroadcastStoreMemory(),
    announcements: new AnnouncementStoreMemory(),
    state: new MemoryMoveState(),
    shards: 4,
  };
}

async function embeddedData(t: TestContext): Promise<EmbeddedData> {
  const data = await EmbeddedData.create();
  t.after(() => data.dispose());
  return data;
}

const refused = (pattern: RegExp) => (error: unknown) => error instanceof MoveError && pattern.test(error.message);

test('G3: everything is moved, is equal, and the cluster goes on from there', async (t) => {
  const data = await embeddedData(t);
  const target = emptyTarget();
  assertWhole(await move(data, target));
  assertWhole(await move(data, target));
  await assertGoesOn(data, target);
});

test('G3: a move that is cut off anywhere goes on, and ends the same', async (t) => {
  const data = await embeddedData(t);
  const whole = emptyTarget();
  const { checksum } = await move(data, whole);
  // Each step of the first stages, and some of the many small ones behind.
  for (let failAt = 2; failAt <= whole.state.saves; failAt += failAt < 8 ? 1 : 3) {
    const target = emptyTarget();
    target.state.failAt = failAt;
    await assert.rejects(move(data, target), /cut off/);
    const report = await move(data, target);
    assertWhole(report);
    assert.equal(report.checksum, checksum);
  }
  const last = emptyTarget();
  last.state.failAt = whole.state.saves;
  await assert.rejects(move(data, last), /cut off/);
  await move(data, last);
  await assertGoesOn(data, last);
});

test('G3: a difference is found and named', async (t) => {
  const data = await embeddedData(t);
  const target = emptyTarget();
  await move(data, target);
  const person = people[3] as (typeof people)[number];
  const [item] = (await target.inbox.head(person, 1)).items;
  assert.ok(item);
  await target.inbox.write(0, [personWrite(person, [{ ...item, actorCount: 99 }])], []);
  assert.deepEqual((await move(data, target)).differing, [person]);
  await target.profiles.change([{ person, change: { kind: 'erase' } }]);
  assert.equal((await move(data, target)).profiles.found, people.length - 1);
});

test('G3: a target with other data, or a source in use, is refused', async (t) => {
  const [data, other] = [await embeddedData(t), await embeddedData(t)];
  const target = emptyTarget();
  await move(data, target);
  await assert.rejects(move(other, target), refused(/another folder/));

  const withInbox = emptyTarget();
  const person = people[0] as (typeof people)[number];
  await withInbox.inbox.write(0, [personWrite(person, [testItem(person, 'e', 0)])], []);
  await assert.rejects(move(data, withInbox), refused(/holds inboxes/));

  const withProfile = emptyTarget();
  const mute = { kind: 'actor', id: 'a', untilMs: null } as const;
  await withProfile.profiles.change([{ person, change: { kind: 'mute', mute } }]);
  await assert.rejects(move(data, withProfile), refused(/holds profiles/));

  const withEvents = emptyTarget();
  await withEvents.log.append(sampleBatch([{ id: 'e1', shard: 2 }]));
  await assert.rejects(move(data, withEvents), refused(/holds events/));

  const held = await openEmbeddedSource(data.folder, { random: seededRandom(1), box });
  await assert.rejects(move(data, emptyTarget()), refused(/stop the service/));
  await held.close();
  await assert.rejects(openEmbeddedSource(`${data.folder}/none`, { random: seededRandom(1), box }), refused(/no data/));
});
