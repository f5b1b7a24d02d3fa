/**
 * What a person's app asks of the inbox, and the answers that are not plain notifications (A1).
 * Requests are closed: a misspelt field or filter is refused with its path, never ignored.
 */
import { type Static, Type } from 'typebox';
import { OwnDelivery } from './deliveries.ts';
import { Counts, NotificationActor, Revision, Time } from './notification.ts';
import { channels, reasons } from './reasons.ts';

const closed = { additionalProperties: false } as const;

/** An id as the inbox gave it. Deliberately loose: an id that cannot exist is unknown, not malformed (A6). */
export const NotificationRef = Type.String({ minLength: 1, maxLength: 128 });

export const NotificationParams = Type.Object({ id: Type.String() });

export const stateFilters = ['unread', 'read', 'archived', 'filtered'] as const;

/** What one request may ask for; more is refused with 400 and the path of the field. */
export const requestMaxima = {
  /** Rows of a page, people of a list; the default is `limits.pageRowsDefault`. */
  pageRows: 100,
  markIds: 500,
} as const;

const Limit = Type.Integer({ minimum: 1, maximum: requestMaxima.pageRows });
const Cursor = Type.String({ minLength: 1, maxLength: 1024 });
const FilterWord = Type.String({ minLength: 1, maxLength: 128 });

export const NotificationQuery = Type.Object(
  {
    cursor: Type.Optional(Cursor),
    limit: Type.Optional(Limit),
    type: Type.Optional(FilterWord),
    category: Type.Optional(FilterWord),
    state: Type.Optional(Type.Enum([...stateFilters])),
  },
  closed,
);

export const ActorsQuery = Type.Object({ cursor: Type.Optional(Cursor), limit: Type.Optional(Limit) }, closed);

export const ChangesQuery = Type.Object({ since: Revision }, closed);

const Ids = Type.Array(NotificationRef, { minItems: 1, maxItems: requestMaxima.markIds });

/** `unread`, `archive`, `unarchive`. Unknown ids are passed over. */
export const MarkByIds = Type.Object({ ids: Ids }, closed);

/** `read` and `seen`: exactly one of the three. A time or revision to come counts as "everything so far". */
export const MarkThrough = Type.Object(
  { ids: Type.Optional(Ids), through: Type.Optional(Revision), throughTime: Type.Optional(Time) },
  { ...closed, minProperties: 1, maxProperties: 1 },
);

/** A time that has passed ends the snooze. */
export const Snooze = Type.Object({ ids: Ids, until: Time }, closed);

export const CountsAnswer = Type.Object({ counts: Counts });

export const ActorsPage = Type.Object({
  items: Type.Array(NotificationActor),
  nextCursor: Type.Union([Type.String(), Type.Null()]),
});

export const Decision = Type.Object({
  channel: Type.Enum([...channels]),
  kind: Type.Enum(['send', 'hold', 'skip']),
  reason: Type.Enum([...reasons]),
  until: Type.Optional(Time),
  /** The same in plain words. */
  text: Type.String(),
});

/** Why the person was told, and why not by other ways (D12). */
export const WhyAnswer = Type.Object({
  event: Type.Object({ source: Type.String(), id: Type.String(), type: Type.String(), time: Time }),
  decisions: Type.Array(Decision),
  /** What became of it by push and email, as far as it was handed over to them. */
  deliveries: Type.Array(OwnDelivery),
});

export const DecisionsQuery = Type.Object({
  user: Type.String({ minLength: 1, maxLength: 256 }),
  /** Id of one event; of all that is kept if absent. */
  event: Type.Optional(Type.String({ minLength: 1, maxLength: 256 })),
});

/** What was decided on a person's events lately, newest first. `notification` is null where the event left no row. */
export const DecisionsAnswer = Type.Object({
  items: Type.Array(
    Type.Object({
      event: Type.Object({ source: Type.String(), id: Type.String(), type: Type.String(), time: Time }),
      notification: Type.Union([Type.String(), Type.Null()]),
      decisions: Type.Array(Decision),
    }),
  ),
});

/** What would happen if the event came now, for each person it names; nothing was stored (D12). */
export const SimulateAnswer = Type.Object({
  recipients: Type.Array(
    Type.Object({
      user: Type.String(),
      /** The person would be told something new. */
      tells: Type.Boolean(),
      reason: Type.Enum([...reasons]),
      decisions: Type.Array(Decision),
    }),
  ),
});

export type NotificationQuery = Static<typeof NotificationQuery>;
export type ActorsQuery = Static<typeof ActorsQuery>;
export type ChangesQuery = Static<typeof ChangesQuery>;
export type MarkByIds = Static<typeof MarkByIds>;
export type MarkThrough = Static<typeof MarkThrough>;
export type Snooze = Static<typeof Snooze>;
export type WhyAnswer = Static<typeof WhyAnswer>;
