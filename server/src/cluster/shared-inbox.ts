/**
 * The inbox service of a process that answers people, over the store that all processes share. Marks are made here, at
 * once; the person's other devices hear of them over the bus, and so does the owner of the person's shard, which has
 * marks in memory. Both are told before the caller is, so that an event sent after the answer meets the marks.
 */
import type { Counts, Notification, NotificationPage } from '@carillon/contract/notification.ts';
import type { ChangesFrame, MarksFrame, ResyncFrame } from '@carillon/contract/stream.ts';
import type { NotificationId, PersonKey, Revision } from '../base/ids.ts';
import { marksFrame } from '../deliver/realtime/frame-batch.ts';
import type { LivePublisher } from '../deliver/realtime/live-publisher.ts';
import type {
  ActorsPage,
  Catchup,
  ExplainedDecision,
  InboxService,
  MarkRequest,
  PageQuery,
  PageText,
  Why,
} from '../inbox/inbox-service.ts';

export class SharedInbox implements InboxService {
  readonly #inbox: InboxService;
  readonly #publisher: LivePublisher;
  readonly #erase: InboxService['erase'];

  /** `erase`: has the shard's owner erase an inbox. */
  constructor(inbox: InboxService, publisher: LivePublisher, erase: InboxService['erase']) {
    this.#inbox = inbox;
    this.#publisher = publisher;
    this.#erase = erase;
  }

  async mark(person: PersonKey, request: MarkRequest): Promise<MarksFrame> {
    const frame = await this.#inbox.mark(person, request);
    await Promise.all([this.#publisher.marksChanged(person), this.#publish(person, frame)]);
    return frame;
  }

  erase(person: PersonKey): Promise<void> {
    return this.#erase(person);
  }

  page(person: PersonKey, query: PageQuery): Promise<NotificationPage> {
    return this.#inbox.page(person, query);
  }

  pageText(person: PersonKey, query: PageQuery): Promise<PageText> {
    return this.#inbox.pageText(person, query);
  }

  notification(person: PersonKey, id: NotificationId, locale?: string | null): Promise<Notification> {
    return this.#inbox.notification(person, id, locale);
  }

  actors(person: PersonKey, id: NotificationId, cursor: string | null, limit: number): Promise<ActorsPage> {
    return this.#inbox.actors(person, id, cursor, limit);
  }

  why(person: PersonKey, id: NotificationId, locale?: string | null): Promise<Why> {
    return this.#inbox.why(person, id, locale);
  }

  decisions(person: PersonKey, eventId: string | null): Promise<readonly ExplainedDecision[]> {
    return this.#inbox.decisions(person, eventId);
  }

  counts(person: PersonKey): Promise<Counts> {
    return this.#inbox.counts(person);
  }

  changes(person: PersonKey, since: Revision, locale?: string | null): Promise<ChangesFrame | ResyncFrame> {
    return this.#inbox.changes(person, since, locale);
  }

  catchup(person: PersonKey, since: Revision | null): Promise<Catchup> {
    return this.#inbox.catchup(person, since);
  }

  async #publish(person: PersonKey, frame: MarksFrame): Promise<void> {
    const watched = await this.#publisher.watched([person]);
    await this.#publisher.publish(watched, [{ person, frame: marksFrame(frame) }]);
  }
}
