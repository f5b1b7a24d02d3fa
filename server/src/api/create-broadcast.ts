/** `POST /v1/admin/broadcasts`: writes a broadcast, which nobody gets until it is approved and started (A4). */
import { BroadcastDraft, BroadcastView } from '@carillon/contract/broadcasts.ts';
import type { AnnouncementService } from '../announce/announcement-service.ts';
import { mayBroadcast } from './broadcast-action.ts';
import { broadcastView } from './broadcast-view.ts';
import { defineOperation, type Operation } from './operation.ts';

export function createBroadcast(announcements: AnnouncementService): Operation {
  return defineOperation({
    method: 'POST',
    path: '/v1/admin/broadcasts',
    summary: 'Write a broadcast; nobody gets it until it is approved and started',
    caller: 'operator',
    idempotent: true,
    body: BroadcastDraft,
    answers: { 201: BroadcastView },
    errors: [
      'CARILLON_EVENT_INVALID',
      'CARILLON_EVENT_TYPE_UNKNOWN',
      'CARILLON_EVENT_MENTIONS_TOO_MANY',
      'CARILLON_STORAGE_FULL',
    ],
    admit: mayBroadcast,
    async handle({ principal, body }) {
      const created = await announcements.create(principal.tenant, principal.caller, body);
      return { status: 201, body: broadcastView(created) };
    },
  });
}
