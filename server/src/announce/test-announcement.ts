/** An announcement for tests: each test says what is different. */
import { defaultTenant } from '../base/ids.ts';
import type { Announcement } from './announcement.ts';

export function testAnnouncement(more: Partial<Announcement> = {}): Announcement {
  return {
    id: 'b_1',
    tenant: defaultTenant,
    version: 1,
    name: 'Maintenance',
    content: { type: 'system.notice', object: { kind: 'notice', id: 'n1', title: 'We are back at 09:00' } },
    to: { all: true },
    status: 'draft',
    startAtMs: null,
    startedAtMs: null,
    isSent: false,
    recipients: 0,
    history: [{ action: 'create', atMs: 1, by: 'ana' }],
    ...more,
  };
}
