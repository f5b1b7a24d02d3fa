/** Who an announcement is for, page by page (A4). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BroadcastTarget } from '@carillon/contract/broadcasts.ts';
import { AudiencePaused } from '../audience/audience-source.ts';
import { AudienceStoreMemory } from '../audience/audience-store-memory.ts';
import { audienceKey, defaultTenant, personKey } from '../base/ids.ts';
import { VirtualClock } from '../base/virtual-clock.ts';
import type { Facts } from '../profile/profile.ts';
import { ProfileStoreMemory } from '../profile/profile-store-memory.ts';
import { AnnouncementMembers, meets } from './announcement-members.ts';
import { AnnouncementStoreMemory } from './announcement-store-memory.ts';
import { testAnnouncement } from './test-announcement.ts';

const facts: Facts = {
  locale: 'de-AT',
  timeZone: 'Europe/Vienna',
  email: null,
  emailVerified: false,
  createdAtMs: Date.UTC(2026, 0, 15),
  suspended: false,
};

async function scene(to: BroadcastTarget) {
  const announcements = new AnnouncementStoreMemory();
  const profiles = new ProfileStoreMemory(new VirtualClock());
  const audiences = new AudienceStoreMemory();
  const inboxes = ['p2', 'q1', 'q2', 'q3'].map((user) => personKey(defaultTenant, user));
  for (let n = 0; n < 5; n++) {
    const known = { ...facts, locale: n % 2 === 0 ? 'de' : 'fr' };
    await profiles.change([{ person: personKey(defaultTenant, `p${n}`), change: { kind: 'facts', facts: known } }]);
  }
  await profiles.change([{ person: personKey('other', 'x'), change: { kind: 'facts', facts } }]);
  const joined = { present: true, notify: null, seq: null, timeMs: 1, takenMs: 1 };
  await audiences.apply(
    ['a', 'b'].map((user) => ({ ...joined, audience: audienceKey(defaultTenant, 'topic:t'), user })),
  );
  await announcements.create(testAnnouncement({ status: 'running', to }));
  const members = new AnnouncementMembers({
    announcements,
    audiences,
    profiles,
    inboxes: {
      people: async (after, max) =>
        [...inboxes, personKey('other', 'y')].filter((person) => after === null || person > after).slice(0, max),
    },
  });
  const own = audienceKey(defaultTenant, 'announcement:b_1');
  const all = async (max: number): Promise<string[]> => {
    const users: string[] = [];
    for (let after: string | null = null; ; ) {
      const page = await members.members(own, after, max);
      users.push(...page.members.map(({ user }) => user));
      after = page.next;
      if (after === null) return users;
    }
  };
  return { announcements, members, own, all };
}

test('all: whoever has a profile or an inbox, once, whatever the size of a page; nobody of another tenant', async () => {
  for (const max of [1, 2, 3, 100]) {
    const { all } = await scene({ all: true });
    assert.deepEqual(await all(max), ['p0', 'p1', 'p2', 'p3', 'p4', 'q1', 'q2', 'q3']);
  }
});

test('a filter takes those whose facts meet it; an audience its members', async () => {
  assert.deepEqual(await (await scene({ filter: { locales: ['de'] } })).all(2), ['p0', 'p2', 'p4']);
  assert.deepEqual(await (await scene({ audience: 'topic:t' })).all(1), ['a', 'b']);
});

test('all that a filter names must hold', () => {
  assert.ok(meets(facts, { locales: ['fr', 'de'], timeZones: ['Europe/Vienna'] }));
  assert.ok(meets(facts, { locales: ['DE-at'] }));
  assert.ok(!meets(facts, { locales: ['d', 'de-DE'] }));
  assert.ok(!meets(facts, { locales: ['de'], timeZones: ['Europe/Berlin'] }));
  assert.ok(meets(facts, { createdFrom: '2026-01-15T00:00:00Z', createdBefore: '2026-01-15T00:00:01Z' }));
  assert.ok(!meets(facts, { createdFrom: '2026-01-15T00:00:01Z' }));
  assert.ok(!meets(facts, { createdBefore: '2026-01-15T00:00:00Z' }));
  for (const filter of [{ locales: ['de'] }, { timeZones: ['UTC'] }, { createdFrom: '2026-01-01T00:00:00Z' }]) {
    assert.ok(!meets(null, filter));
    assert.ok(!meets({ ...facts, locale: null, timeZone: null, createdAtMs: null }, filter));
  }
});

test('while it is paused there is nobody to be had; once it is cancelled there is nobody left', async () => {
  const { announcements, members, own } = await scene({ all: true });
  await announcements.replace(testAnnouncement({ version: 2, status: 'paused' }));
  await assert.rejects(members.members(own, 'pdefault\u0001p1', 2), AudiencePaused);
  await announcements.replace(testAnnouncement({ version: 3, status: 'cancelled' }));
  assert.deepEqual(await members.members(own, null, 2), { members: [], next: null });
});
