/** Frames of the live stream, the same over WebSocket, Server-Sent Events and long polling (V30, V31). */
import { type Static, Type } from 'typebox';
import { Counts, Notification, NotificationState, Revision, Time } from './notification.ts';

/**
 * Always first. A client that gave no revision resumes from this one; another keeps its own until the `changes` frames
 * that follow have moved it, or until `resync` says that it must load again and take this one.
 */
export const HelloFrame = Type.Object({
  kind: Type.Literal('hello'),
  user: Type.String(),
  revision: Revision,
  counts: Counts,
  heartbeatMs: Type.Integer(),
});

/** New or changed rows, ordered by revision, and rows that are gone. `revision` is where to resume from. */
export const ChangesFrame = Type.Object({
  kind: Type.Literal('changes'),
  items: Type.Array(Notification),
  removed: Type.Array(Type.String()),
  counts: Counts,
  revision: Revision,
});

export const MarksFrame = Type.Object({
  kind: Type.Literal('marks'),
  readThrough: Revision,
  seenThrough: Revision,
  items: Type.Array(Type.Object({ id: Type.String(), state: NotificationState })),
  counts: Counts,
});

export const ResyncFrame = Type.Object({
  kind: Type.Literal('resync'),
  reason: Type.Union([Type.Literal('tooOld'), Type.Literal('unknownRevision')]),
});

export const PingFrame = Type.Object({ kind: Type.Literal('ping') });

export const ByeFrame = Type.Object({
  kind: Type.Literal('bye'),
  code: Type.Integer(),
  reason: Type.String(),
  retryAfterMs: Type.Optional(Type.Integer()),
});

export const ServerFrame = Type.Union([HelloFrame, ChangesFrame, MarksFrame, ResyncFrame, PingFrame, ByeFrame]);

export const AuthFrame = Type.Object(
  { kind: Type.Literal('auth'), token: Type.String({ maxLength: 8192 }), since: Type.Optional(Revision) },
  { additionalProperties: false },
);
export const VisibleFrame = Type.Object(
  { kind: Type.Literal('visible'), visible: Type.Boolean() },
  { additionalProperties: false },
);
export const PongFrame = Type.Object({ kind: Type.Literal('pong') }, { additionalProperties: false });

export const ClientFrame = Type.Union([AuthFrame, VisibleFrame, PongFrame]);

/** What one long poll answers. */
export const PollAnswer = Type.Union([HelloFrame, ChangesFrame, MarksFrame, ResyncFrame]);

/** Other parameters are let through, so that a token among them is refused as such. */
export const StreamQuery = Type.Object({
  ticket: Type.Optional(Type.String({ maxLength: 128 })),
  since: Type.Optional(Revision),
});
export const PollQuery = Type.Object({
  ...StreamQuery.properties,
  /**
   * `counts.marksVersion` of the last `hello`, page or `marks` the client has taken in (not of `changes`): marks set
   * since, on another device, are then answered at once. Without it they come when the wait is over.
   */
  marksVersion: Type.Optional(Revision),
  /** Longer than 30 s is taken as 30 s, which is also what counts if it is absent. */
  waitMs: Type.Optional(Type.Integer({ minimum: 0 })),
});

export const StreamTicket = Type.Object({ ticket: Type.String(), expiresAt: Time });

export type HelloFrame = Static<typeof HelloFrame>;
export type ChangesFrame = Static<typeof ChangesFrame>;
export type MarksFrame = Static<typeof MarksFrame>;
export type ResyncFrame = Static<typeof ResyncFrame>;
export type ServerFrame = Static<typeof ServerFrame>;
export type ClientFrame = Static<typeof ClientFrame>;
