/**
 * What the API and the gateway ask of inboxes, in terms of the wire (contract/notification.ts). One implementation
 * over `InboxStore`; in the embedded engine the API's thread calls it across a channel.
 */
import type { Counts, Notification, NotificationActor, NotificationPage } from '@carillon/contract/notification.ts';
import type { ChannelDecision } from '@carillon/contract/reasons.ts';
import type { ChangesFrame, HelloFrame, MarksFrame, ResyncFrame } from '@carillon/contract/stream.ts';
import type { NotificationId, PersonKey, Revision } from '../base/ids.ts';

export type StateFilter = 'unread' | 'read' | 'archived' | 'filtered';

export interface PageQuery {
  readonly limit: number;
  readonly cursor: string | null;
  readonly type: string | null;
  readonly category: string | null;
  readonly state: StateFilter | null;
  /** Language of the texts; the default locale if null or absent. */
  readonly locale?: string | null;
}

export type MarkRequest =
  | {
      readonly kind: 'read' | 'seen';
      readonly ids?: readonly NotificationId[];
      readonly through?: Revision;
      readonly throughTimeMs?: number;
    }
  | { readonly kind: 'unread' | 'archive' | 'unarchive'; readonly ids: readonly NotificationId[] }
  | { readonly kind: 'snooze'; readonly ids: readonly NotificationId[]; readonly untilMs: number };

export interface Why {
  readonly event: { readonly source: string; readonly id: string; readonly type: string; readonly time: string };
  readonly decisions: readonly (ChannelDecision & { readonly text: string })[];
}

/** What was decided on one event. `notification`: the row that it opened; null: it left none. */
export interface LoggedDecision {
  readonly source: string;
  readonly id: string;
  readonly type: string;
  readonly timeMs: number;
  readonly notification: NotificationId | null;
  readonly decisions: readonly ChannelDecision[];
}

export interface ExplainedDecision extends LoggedDecision {
  readonly decisions: Why['decisions'];
}

export interface ActorsPage {
  readonly items: readonly NotificationActor[];
  readonly nextCursor: string | null;
}

/** What a stream gets when it starts: always `hello`, then what it missed since its revision. */
export interface Catchup {
  readonly hello: Omit<HelloFrame, 'heartbeatMs'>;
  readonly frames: readonly (ChangesFrame | MarksFrame | ResyncFrame)[];
}

/** A page ready to be sent: JSON in UTF-8, never written to. */
export interface PageText {
  readonly json: Uint8Array;
  readonly nextCursor: string | null;
  /** It shows the person's inbox until rows or marks change, or until this time, when a snoozed row comes back. */
  readonly validUntilMs: number;
}

/** `locale`, where it is taken: the language of the texts; the default locale if null or absent. */
export interface InboxService {
  /** Throws CARILLON_CURSOR_INVALID. */
  page(person: PersonKey, query: PageQuery): Promise<NotificationPage>;
  /** The same as text, for whoever only hands it on. */
  pageText(person: PersonKey, query: PageQuery): Promise<PageText>;
  /** Throws CARILLON_NOTIFICATION_UNKNOWN alike for ids that never were, are gone, or are another person's. */
  notification(person: PersonKey, id: NotificationId, locale?: string | null): Promise<Notification>;
  actors(person: PersonKey, id: NotificationId, cursor: string | null, limit: number): Promise<ActorsPage>;
  why(person: PersonKey, id: NotificationId, locale?: string | null): Promise<Why>;
  /** On events lately, newest first, or on one of them: for operators. */
  decisions(person: PersonKey, eventId: string | null): Promise<readonly ExplainedDecision[]>;
  counts(person: PersonKey): Promise<Counts>;
  changes(person: PersonKey, since: Revision, locale?: string | null): Promise<ChangesFrame | ResyncFrame>;
  /** Unknown ids are passed over. Answers the counts afterwards, and the frame for the person's other devices. */
  mark(person: PersonKey, request: MarkRequest): Promise<MarksFrame>;
  catchup(person: PersonKey, since: Revision | null): Promise<Catchup>;
  /** Everything of the person is gone for good; resolves when it is. Throws CARILLON_STORE_UNAVAILABLE. */
  erase(person: PersonKey): Promise<void>;
}
