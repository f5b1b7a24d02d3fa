/** `POST /v1/admin/broadcasts/{id}/start`: starts an approved broadcast, now or at a time (A4). Repeating it starts nothing more. */
import { BroadcastStart, BroadcastView } from '@carillon/contract/broadcasts.ts';
import type { AnnouncementService } from '../announce/announcement-service.ts';
import { BroadcastPath, mayBroadcast } from './broadcast-action.ts';
import { broadcastView } from './broadcast-view.ts';
import { defineOperation, type Operation } from './operation.ts';

export function startBroadcast(announcements: AnnouncementService): Operation {
  return defineOperation({
    method: 'POST',
    path: '/v1/admin/broadcasts/:id/start',
    summary: 'Start an approved broadcast, now or at a time',
    caller: 'operator',
    params: BroadcastPath,
    body: BroadcastStart,
    answers: { 200: BroadcastView },
    errors: ['CARILLON_BROADCAST_UNKNOWN', 'CARILLON_BROADCAST_STATE', 'CARILLON_STORAGE_FULL'],
    admit: mayBroadcast,
    async handle({ principal: { tenant, caller: by }, params: { id }, body: { at } }) {
      const startAtMs = at === undefined ? null : Date.parse(at);
      const after = await announcements.act({ tenant, id, action: 'start', by, startAtMs });
      return { status: 200, body: broadcastView(after) };
    },
  });
}
