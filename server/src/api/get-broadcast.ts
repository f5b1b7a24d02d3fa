/** `GET /v1/admin/broadcasts/{id}`: a broadcast, how far it is, and who did what to it (A4). */
import { BroadcastView } from '@carillon/contract/broadcasts.ts';
import type { AnnouncementService } from '../announce/announcement-service.ts';
import { BroadcastPath } from './broadcast-action.ts';
import { broadcastView } from './broadcast-view.ts';
import { defineOperation, type Operation } from './operation.ts';

export function getBroadcast(announcements: AnnouncementService): Operation {
  return defineOperation({
    method: 'GET',
    path: '/v1/admin/broadcasts/:id',
    summary: 'A broadcast, how far it is, and who did what to it',
    caller: 'operator',
    params: BroadcastPath,
    answers: { 200: BroadcastView },
    errors: ['CARILLON_BROADCAST_UNKNOWN'],
    async handle({ principal, params }) {
      return { status: 200, body: broadcastView(await announcements.get(principal.tenant, params.id)) };
    },
  });
}
