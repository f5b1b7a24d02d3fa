/** `GET /v1/admin/broadcasts`: the newest broadcasts, with their progress (A4). */
import { BroadcastList } from '@carillon/contract/broadcasts.ts';
import type { AnnouncementService } from '../announce/announcement-service.ts';
import { broadcastView } from './broadcast-view.ts';
import { defineOperation, type Operation } from './operation.ts';

export function listBroadcasts(announcements: AnnouncementService): Operation {
  return defineOperation({
    method: 'GET',
    path: '/v1/admin/broadcasts',
    summary: 'Broadcasts, newest first, with their progress',
    caller: 'operator',
    answers: { 200: BroadcastList },
    errors: [],
    async handle({ principal }) {
      const found = await announcements.list(principal.tenant);
      return { status: 200, body: { items: found.map(broadcastView) } };
    },
  });
}
