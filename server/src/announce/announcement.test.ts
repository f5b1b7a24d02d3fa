/** What may become of an announcement, and who may do it (A4). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type BroadcastStatus, broadcastActions, broadcastStatuses } from '@carillon/contract/broadcast-states.ts';
import fc from 'fast-check';
import type { CarillonError } from '../base/carillon-error.ts';
import { type Announcement, type AnnouncementStep, stepped } from './announcement.ts';
import { testAnnouncement } from './test-announcement.ts';

const after = (status: BroadcastStatus, action: AnnouncementStep, by = 'bo'): BroadcastStatus | string => {
  try {
    return stepped(testAnnouncement({ status }), action, { nowMs: 5, by }).status;
  } catch (error) {
    return (error as CarillonError).code;
  }
};

test('the way of an announcement, and what is no way', () => {
  assert.equal(after('draft', 'approve'), 'approved');
  assert.equal(after('approved', 'start'), 'scheduled');
  assert.equal(after('scheduled', 'begin'), 'running');
  assert.equal(after('scheduled', 'miss'), 'stale');
  assert.equal(after('stale', 'confirm'), 'running');
  assert.equal(after('running', 'pause'), 'paused');
  assert.equal(after('paused', 'resume'), 'running');
  assert.equal(after('running', 'finish'), 'finished');
  assert.equal(after('paused', 'cancel'), 'cancelled');
  for (const status of ['draft', 'stale', 'paused', 'cancelled'] as const) {
    assert.equal(after(status, 'start'), 'CARILLON_BROADCAST_STATE', status);
  }
  assert.equal(after('finished', 'cancel'), 'CARILLON_BROADCAST_STATE');
  assert.equal(after('scheduled', 'confirm'), 'CARILLON_BROADCAST_STATE');
});

test('whoever wrote it may not approve it, unless that is allowed', () => {
  assert.equal(after('draft', 'approve', 'ana'), 'CARILLON_BROADCAST_OWN');
  const facts = { nowMs: 5, by: 'ana', selfApproval: true };
  assert.equal(stepped(testAnnouncement(), 'approve', facts).status, 'approved');
});

test('each step is noted with who and when; the event keeps the time at which it first began', () => {
  let one: Announcement = testAnnouncement();
  const steps: [AnnouncementStep, string][] = [
    ['approve', 'bo'],
    ['start', 'ana'],
    ['begin', 'carillon'],
    ['pause', 'cy'],
    ['resume', 'cy'],
  ];
  for (const [at, [action, by]] of steps.entries()) {
    one = stepped(one, action, { nowMs: at + 10, by, startAtMs: action === 'start' ? 12 : (one.startAtMs ?? 0) });
  }
  assert.deepEqual(
    one.history.map(({ action, atMs, by }) => `${atMs} ${by} ${action}`),
    ['1 ana create', '10 bo approve', '11 ana start', '12 carillon begin', '13 cy pause', '14 cy resume'],
  );
  assert.equal(one.startedAtMs, 12);
  assert.equal(one.version, 6);
});

test('BC-62: whatever is asked twice has its effect once, and what has ended stays so', () => {
  const asked = fc.record({
    status: fc.constantFrom(...broadcastStatuses),
    action: fc.constantFrom(...broadcastActions, 'begin' as const, 'miss' as const, 'finish' as const),
  });
  fc.assert(
    fc.property(asked, ({ status, action }) => {
      const facts = { nowMs: 5, by: 'bo', startAtMs: 7 };
      let once: Announcement;
      try {
        once = stepped(testAnnouncement({ status }), action, facts);
      } catch {
        return;
      }
      const twice = stepped(once, action, facts);
      assert.equal(twice.status, once.status);
      assert.equal(twice.startAtMs, once.startAtMs);
      if (['finished', 'cancelled'].includes(status)) assert.equal(once.status, status);
    }),
  );
});
