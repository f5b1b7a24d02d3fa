/** Announcements as the sockets' thread sees them: each call is answered by the store's thread. */
import type { AnnouncementService } from '../announce/announcement-service.ts';
import type { Caller } from './channel.ts';

export function remoteAnnouncements(caller: Caller): AnnouncementService {
  return {
    create: (tenant, by, draft) => caller.call('announcementCreate', [tenant, by, draft]),
    get: (tenant, id) => caller.call('announcementGet', [tenant, id]),
    list: (tenant) => caller.call('announcementList', [tenant]),
    act: (wish) => caller.call('announcementAct', [wish]),
  };
}
