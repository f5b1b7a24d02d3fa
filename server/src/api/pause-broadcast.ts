/** `POST /v1/admin/broadcasts/{id}/pause` (A4). Repeating it changes nothing. */
import type { AnnouncementService } from '../announce/announcement-service.ts';
import { broadcastAction } from './broadcast-action.ts';
import type { Operation } from './operation.ts';

export function pauseBroadcast(announcements: AnnouncementService): Operation {
  return broadcastAction(announcements, { action: 'pause', summary: 'Halt a broadcast that is running', errors: [] });
}
