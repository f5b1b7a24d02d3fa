/** Broadcasts as operators write, approve and start them (A4). */
import { type Static, Type } from 'typebox';
import { broadcastActions, broadcastStatuses } from './broadcast-states.ts';
import { Actor, EventData, EventObject, EventType } from './event.ts';
import { AudienceName } from './subscriptions.ts';

const closed = { additionalProperties: false } as const;
const Time = Type.String({ format: 'date-time', maxLength: 40 });

/** Everything of an event but who it is for, its name and its time. */
export const BroadcastContent = Type.Object(
  {
    type: EventType,
    actor: Type.Optional(Actor),
    object: Type.Optional(EventObject),
    data: Type.Optional(EventData),
  },
  closed,
);

/** Of what the app says of people; all that is given must hold. */
export const BroadcastFilter = Type.Object(
  {
    locales: Type.Optional(
      Type.Array(Type.String({ minLength: 2, maxLength: 35 }), {
        minItems: 1,
        maxItems: 100,
        description: 'Languages: `de` is also met by `de-AT`.',
      }),
    ),
    timeZones: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 64 }), {
        minItems: 1,
        maxItems: 600,
        description: 'IANA names, as stored.',
      }),
    ),
    createdFrom: Type.Optional(Time),
    createdBefore: Type.Optional(Time),
  },
  { ...closed, minProperties: 1, description: 'Whose facts meet all that is given; whoever has none does not.' },
);

export const BroadcastTarget = Type.Union([
  Type.Object(
    { all: Type.Literal(true, { description: 'Whoever the app has told facts of, or who has an inbox.' }) },
    closed,
  ),
  Type.Object({ audience: AudienceName }, closed),
  Type.Object({ filter: BroadcastFilter }, closed),
]);

/** Body of `POST /v1/admin/broadcasts`. */
export const BroadcastDraft = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 200, description: 'For operators.' }),
    content: BroadcastContent,
    to: BroadcastTarget,
  },
  closed,
);

/** Body of `POST /v1/admin/broadcasts/{id}/start`, which may be empty. */
export const BroadcastStart = Type.Object(
  { at: Type.Optional(Type.String({ format: 'date-time', maxLength: 40, description: 'Now unless given.' })) },
  closed,
);

const orNull = <T extends typeof Time>(schema: T) => Type.Union([schema, Type.Null()]);

export const BroadcastView = Type.Object({
  id: Type.String(),
  ...BroadcastDraft.properties,
  status: Type.Enum([...broadcastStatuses], {
    description: '`stale`: the service was down when it was due; it waits to be confirmed.',
  }),
  startAt: orNull(Time),
  startedAt: orNull(Time),
  recipients: Type.Integer({ description: 'People it has been written to so far.' }),
  /** Who did what to it, oldest first. */
  history: Type.Array(
    Type.Object({
      action: Type.Enum(['create', ...broadcastActions, 'begin', 'miss', 'finish']),
      at: Time,
      by: Type.String({ description: 'An operator’s key, or `carillon` itself.' }),
    }),
  ),
});

export const BroadcastList = Type.Object({ items: Type.Array(BroadcastView) });

export type BroadcastContent = Static<typeof BroadcastContent>;
export type BroadcastFilter = Static<typeof BroadcastFilter>;
export type BroadcastTarget = Static<typeof BroadcastTarget>;
export type BroadcastDraft = Static<typeof BroadcastDraft>;
export type BroadcastView = Static<typeof BroadcastView>;
