/** The inbox service where something must be brought into an inbox before it is read (F3): reading is opening it. */
import type { PersonKey } from '../base/ids.ts';
import type { InboxService } from './inbox-service.ts';

/** `open` never rejects: an inbox that lacks something can still be read. */
export function openingInbox(inbox: InboxService, open: (person: PersonKey) => Promise<void>): InboxService {
  const opening =
    <Rest extends unknown[], Result>(read: (person: PersonKey, ...rest: Rest) => Promise<Result>) =>
    async (person: PersonKey, ...rest: Rest): Promise<Result> => {
      await open(person);
      return read.call(inbox, person, ...rest);
    };
  return {
    page: opening(inbox.page),
    pageText: opening(inbox.pageText),
    counts: opening(inbox.counts),
    changes: opening(inbox.changes),
    catchup: opening(inbox.catchup),
    notification: inbox.notification.bind(inbox),
    actors: inbox.actors.bind(inbox),
    why: inbox.why.bind(inbox),
    decisions: inbox.decisions.bind(inbox),
    mark: inbox.mark.bind(inbox),
    erase: inbox.erase.bind(inbox),
  };
}
