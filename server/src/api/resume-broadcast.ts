/** `POST /v1/admin/broadcasts/{id}/resume` (A4). Repeating it changes nothing. */
import type { AnnouncementService } from '../announce/announcement-service.ts';
import { broadcastAction } from './broadcast-action.ts';
import type { Operation } from './operation.ts';

export function resumeBroadcast(announcements: AnnouncementService): Operation {
  return broadcastAction(announcements, {
    action: 'resume',
    summary: 'Let a paused broadcast go on where it was',
    errors: [],
  });
}
