/** When an announcement begins, waits and ends, over crashes and long absences (A4, BC-62). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toJob } from '../audience/fanout-job.ts';
import { FanoutStoreMemory } from '../audience/fanout-store-memory.ts';
import { defaultTenant } from '../base/ids.ts';
import { seededRandom } from '../base/random.ts';
import { VirtualClock } from '../base/virtual-clock.ts';
import { builtInTypes } from '../content/type-catalogue.ts';
import { RecordView } from '../log/record.ts';
import { AnnouncementRunner } from './announcement-runner.ts';
import { AnnouncementServiceStore } from './announcement-service-store.ts';
import { AnnouncementStoreMemory } from './announcement-store-memory.ts';
import { testAnnouncement } from './test-announcement.ts';

const hourMs = 3_600_000;
const eightMs = Date.UTC(2026, 2, 10, 8);

function scene(startMs = eightMs - hourMs) {
  const clock = new VirtualClock(startMs);
  const announcements = new AnnouncementStoreMemory();
  const fanouts = new FanoutStoreMemory();
  const types = builtInTypes;
  const gate = { refuse: 0 };
  /** Fan-outs that have begun, by what the log was given. */
  const sent: string[] = [];
  const runner = new AnnouncementRunner({
    announcements,
    fanouts,
    types,
    shards: 3,
    clock,
    async append({ bytes }) {
      const view = new RecordView();
      view.move(Buffer.from(bytes), 0);
      const begun = await fanouts.begin([toJob(view)]);
      sent.push(...begun.map(({ audience, event }) => `${event} ${audience.split('\u0001')[1]}`));
      if (gate.refuse-- > 0) throw new Error('died behind the append');
    },
    staleAfterMs: hourMs,
    failed: () => {},
  });
  const service = new AnnouncementServiceStore({
    ...{ announcements, fanouts, types, clock },
    selfApproval: false,
    random: seededRandom(1),
  });
  const { name, content, to } = testAnnouncement();
  const approved = async () => {
    const { id } = await service.create(defaultTenant, 'ana', { name, content, to });
    await service.act({ tenant: defaultTenant, id, action: 'approve', by: 'bo', startAtMs: null });
    return id;
  };
  const start = (id: string, startAtMs: number | null = null) =>
    service.act({ tenant: defaultTenant, id, action: 'start', by: 'ana', startAtMs });
  const statusOf = async (id: string) => (await service.get(defaultTenant, id)).status;
  const done = async (recipients: number) => {
    const [one] = await fanouts.list({ tenant: defaultTenant, audience: null }, 1);
    const job = (await fanouts.load(one?.id ?? ''))?.job ?? assert.fail();
    await fanouts.finish(job, { after: null, chunks: 1, recipients, kept: false }, clock.now());
  };
  return { clock, runner, service, sent, gate, approved, start, statusOf, done };
}

test('BC-62: two clicks on "send" make one run', async () => {
  const { runner, sent, approved, start, statusOf, done, service } = scene();
  const id = await approved();
  await Promise.all([start(id), start(id)]);
  await runner.look();
  await start(id);
  await runner.look();
  assert.deepEqual(sent, [`${id} announcement:${id}`]);
  assert.equal(await statusOf(id), 'running');
  await done(1000);
  await runner.look();
  const { status, recipients, history } = await service.get(defaultTenant, id);
  assert.deepEqual([status, recipients], ['finished', 1000]);
  assert.deepEqual(
    history.map(({ action, by }) => `${by} ${action}`).filter((line) => !line.endsWith('start')),
    ['ana create', 'bo approve', 'carillon begin', 'carillon finish'],
  );
  await runner.stop();
});

test('BC-62: a crash between the event and the note of it makes one run', async () => {
  const { runner, sent, gate, clock, approved, start, statusOf, done } = scene();
  const id = await approved();
  await start(id);
  gate.refuse = 2;
  for (let times = 0; times < 4; times++) {
    await runner.look();
    clock.advance(60_000);
  }
  assert.deepEqual(sent, [`${id} announcement:${id}`]);
  await done(3);
  // The first may join a look that began before.
  await runner.look();
  await runner.look();
  assert.equal(await statusOf(id), 'finished');
  await runner.stop();
});

test('BC-62: a schedule of 08:00 that is found at 13:00 waits to be confirmed; one that is a little late does not', async () => {
  const { runner, sent, clock, approved, start, statusOf, service } = scene();
  const [first, second, third] = [await approved(), await approved(), await approved()];
  await start(first, eightMs);
  await start(second, eightMs + 5 * hourMs - 60_000);
  await start(third, eightMs + 6 * hourMs);
  await runner.look();
  assert.deepEqual(sent, []);
  // The clock's own looks are those of a service that runs: here it did not.
  await runner.stop();
  clock.advance(6 * hourMs);
  await runner.look();
  assert.deepEqual(sent, [`${second} announcement:${second}`]);
  assert.equal(await statusOf(first), 'stale');
  assert.equal(await statusOf(third), 'scheduled');
  await service.act({ tenant: defaultTenant, id: first, action: 'confirm', by: 'bo', startAtMs: null });
  await runner.look();
  assert.deepEqual(sent.slice(1), [`${first} announcement:${first}`]);
});

test('what is wrong with its content is told when it is written', async () => {
  const { service, runner } = scene();
  const { name, content, to } = testAnnouncement();
  const writing = (more: object) =>
    service.create(defaultTenant, 'ana', { name, content: { ...content, ...more }, to });
  await assert.rejects(writing({ type: 'no.such' }), { code: 'CARILLON_EVENT_TYPE_UNKNOWN' });
  await assert.rejects(writing({ type: 'post.published' }), { code: 'CARILLON_EVENT_INVALID' });
  await runner.stop();
});
