/**
 * The event an app sends (E1): the one schema that validates intake and generates the documentation.
 * Lengths are in code points, as JSON Schema counts them.
 */
import { type Static, Type } from 'typebox';

/** Any id an app gives: not empty, bounded, free of control characters. */
export const Id = Type.String({ minLength: 1, maxLength: 256, pattern: '^[^\\u0000-\\u001f\\u007f]+$' });

const Name = Type.String({ maxLength: 200 });
const Title = Type.String({ maxLength: 500 });
const Url = Type.String({ maxLength: 2048 });
/** Object and audience kinds are words: `post`, `comment`. */
const Kind = Type.String({ minLength: 1, maxLength: 64, pattern: '^[A-Za-z][A-Za-z0-9_-]*$' });

const closed = { additionalProperties: false } as const;

export const Actor = Type.Object(
  { id: Id, name: Type.Optional(Name), avatar: Type.Optional(Type.Union([Url, Type.Null()])) },
  closed,
);

const objectFields = {
  kind: Kind,
  id: Id,
  owner: Type.Optional(Id),
  title: Type.Optional(Title),
  url: Type.Optional(Url),
};

export const ParentObject = Type.Object(objectFields, closed);

export const EventObject = Type.Object(
  { ...objectFields, image: Type.Optional(Url), parent: Type.Optional(ParentObject) },
  closed,
);

export const Recipients = Type.Union([
  Type.Object({ user: Id }, closed),
  Type.Object({ users: Type.Array(Id, { minItems: 1, maxItems: 1000 }) }, closed),
  Type.Object({ audience: Type.String({ minLength: 1, maxLength: 320 }) }, closed),
]);

/** Template values; `mentions` is the whole list of people mentioned, where the type has one. */
export const EventData = Type.Object(
  { mentions: Type.Optional(Type.Array(Id, { maxItems: 50 })) },
  { additionalProperties: Type.Unknown() },
);

/** `post.liked`, or `post.liked@2` for the second version of its schema (E8). */
export const EventType = Type.String({
  maxLength: 128,
  pattern: '^[a-z][A-Za-z0-9]*(\\.[a-z][A-Za-z0-9]*)+(@[1-9][0-9]{0,3})?$',
});

export const Event = Type.Object(
  {
    id: Id,
    source: Id,
    type: EventType,
    time: Type.String({ format: 'date-time', maxLength: 40 }),
    seq: Type.Optional(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })),
    /** Both are left out only where the app itself speaks, of nothing in particular: the type decides. */
    actor: Type.Optional(Actor),
    object: Type.Optional(EventObject),
    to: Recipients,
    data: Type.Optional(EventData),
    traceparent: Type.Optional(Type.String({ pattern: '^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$' })),
  },
  closed,
);

export type Event = Static<typeof Event>;
/** An event in which somebody did something to something, as in all types but those of the app itself. */
export type ActedEvent = Event & Required<Pick<Event, 'actor' | 'object'>>;
export type Actor = Static<typeof Actor>;
export type EventObject = Static<typeof EventObject>;

/** What became of one event of a request. `id` is null where none could be read. */
export const EventResult = Type.Object({
  id: Type.Union([Type.String(), Type.Null()]),
  status: Type.Union([Type.Literal('accepted'), Type.Literal('duplicate'), Type.Literal('rejected')]),
  error: Type.Optional(Type.Object({ code: Type.String(), path: Type.String(), detail: Type.String() })),
});

export const EventResults = Type.Object({ results: Type.Array(EventResult) });
