/** `POST /v1/admin/broadcasts/{id}/approve` (A4). Repeating it changes nothing. */
import type { AnnouncementService } from '../announce/announcement-service.ts';
import { broadcastAction } from './broadcast-action.ts';
import type { Operation } from './operation.ts';

export function approveBroadcast(announcements: AnnouncementService): Operation {
  return broadcastAction(announcements, {
    action: 'approve',
    summary: 'Approve a broadcast that another operator wrote',
    errors: ['CARILLON_BROADCAST_OWN'],
  });
}
