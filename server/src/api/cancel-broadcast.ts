/** `POST /v1/admin/broadcasts/{id}/cancel` (A4). Repeating it changes nothing. */
import type { AnnouncementService } from '../announce/announcement-service.ts';
import { broadcastAction } from './broadcast-action.ts';
import type { Operation } from './operation.ts';

export function cancelBroadcast(announcements: AnnouncementService): Operation {
  return broadcastAction(announcements, {
    action: 'cancel',
    summary: 'End a broadcast for good: nobody gets it who does not have it yet',
    errors: [],
  });
}
