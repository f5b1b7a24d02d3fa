/** `POST /v1/admin/broadcasts/{id}/confirm` (A4). Repeating it changes nothing. */
import type { AnnouncementService } from '../announce/announcement-service.ts';
import { broadcastAction } from './broadcast-action.ts';
import type { Operation } from './operation.ts';

export function confirmBroadcast(announcements: AnnouncementService): Operation {
  return broadcastAction(announcements, {
    action: 'confirm',
    summary: 'Start a broadcast whose time has passed while the service was down',
    errors: [],
  });
}
