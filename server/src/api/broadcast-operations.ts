/** Operations about broadcasts: written, approved, started and watched by operators (A4). */
import type { AnnouncementService } from '../announce/announcement-service.ts';
import { approveBroadcast } from './approve-broadcast.ts';
import { cancelBroadcast } from './cancel-broadcast.ts';
import { confirmBroadcast } from './confirm-broadcast.ts';
import { createBroadcast } from './create-broadcast.ts';
import { getBroadcast } from './get-broadcast.ts';
import { listBroadcasts } from './list-broadcasts.ts';
import type { Operation } from './operation.ts';
import { pauseBroadcast } from './pause-broadcast.ts';
import { resumeBroadcast } from './resume-broadcast.ts';
import { startBroadcast } from './start-broadcast.ts';

export function broadcastOperations(announcements: AnnouncementService): Operation[] {
  return [
    createBroadcast,
    listBroadcasts,
    getBroadcast,
    approveBroadcast,
    startBroadcast,
    confirmBroadcast,
    pauseBroadcast,
    resumeBroadcast,
    cancelBroadcast,
  ].map((operation) => operation(announcements));
}
