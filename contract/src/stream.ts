/** Frames of the live stream, the same over WebSocket, Server-Sent Events and long polling (V30, V31). */
import { type Static, Type } from 'typebox';
import { Counts, Notification, NotificationState, Revision } from './notification.ts';

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

export type HelloFrame = Static<typeof HelloFrame>;
export type ChangesFrame = Static<typeof ChangesFrame>;
export type MarksFrame = Static<typeof MarksFrame>;
export type ResyncFrame = Static<typeof ResyncFrame>;
export type ServerFrame = Static<typeof ServerFrame>;
export type ClientFrame = Static<typeof ClientFrame>;
