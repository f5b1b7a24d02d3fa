/** What a person's inbox shows (I1–I5): notifications, their state, counts. */
import { type Static, Type } from 'typebox';

/** A position in the history of one person's inbox; greater is later; below 2^53 (I5). */
export const Revision = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });

export const Time = Type.String({ format: 'date-time' });

const orNull = <T extends Parameters<typeof Type.Union>[0][number]>(schema: T) => Type.Union([schema, Type.Null()]);

export const NotificationActor = Type.Object({
  id: Type.String(),
  name: orNull(Type.String()),
  avatar: orNull(Type.String()),
});

export const NotificationObject = Type.Object({
  kind: Type.String(),
  id: Type.String(),
  title: orNull(Type.String()),
  url: orNull(Type.String()),
});

export const NotificationState = Type.Object({
  seen: Type.Boolean(),
  read: Type.Boolean(),
  archived: Type.Boolean(),
  snoozedUntil: orNull(Time),
});

export const Action = Type.Object({ id: Type.String(), label: Type.String(), url: Type.String() });

export const Notification = Type.Object({
  id: Type.String(),
  type: Type.String(),
  category: Type.String(),
  lane: Type.Union([Type.Literal('direct'), Type.Literal('social'), Type.Literal('bulk')]),
  /** The newest three at most; `/actors` pages through all. */
  actors: Type.Array(NotificationActor),
  actorCount: Type.Integer(),
  actorCountIsEstimate: Type.Boolean(),
  object: NotificationObject,
  /** This reply or comment also mentions the person. */
  mentioned: Type.Boolean(),
  text: Type.Object({ title: Type.String(), body: Type.String() }),
  url: orNull(Type.String()),
  image: orNull(Type.String()),
  actions: Type.Array(Action),
  createdAt: Time,
  activityAt: Time,
  revision: Revision,
  activityRevision: Revision,
  state: NotificationState,
});

/** Derived from rows and marks, never counted up or down (I4). `unread` and `unseen` stop at 100; `capped` says so. */
export const Counts = Type.Object({
  unread: Type.Integer(),
  unseen: Type.Integer(),
  capped: Type.Boolean(),
  revision: Revision,
  marksVersion: Revision,
});

export const NotificationPage = Type.Object({
  items: Type.Array(Notification),
  nextCursor: orNull(Type.String()),
  counts: Counts,
});

export type Notification = Static<typeof Notification>;
export type NotificationState = Static<typeof NotificationState>;
export type NotificationActor = Static<typeof NotificationActor>;
export type Counts = Static<typeof Counts>;
export type NotificationPage = Static<typeof NotificationPage>;
