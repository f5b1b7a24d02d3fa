/** Audiences as producers keep them, and fan-outs as operators see them (F1, F2). */
import { type Static, Type } from 'typebox';
import { Id } from './event.ts';

const closed = { additionalProperties: false } as const;

/** `followers:u1`, `thread:p1`, or any other name. */
export const AudienceName = Type.String({ minLength: 1, maxLength: 320, pattern: '^[^\\u0000-\\u001f\\u007f]+$' });

const Notify = Type.Boolean({ description: 'Push to this person what the audience hears, however large it is.' });

/** Body of `PUT /v1/subscriptions/{audience}/{user}`, which may be left out. */
export const SubscriptionWish = Type.Object({ notify: Type.Optional(Notify) }, closed);

export const Subscription = Type.Object({ audience: AudienceName, user: Id, notify: Notify });

/** One line of `POST /v1/subscriptions`. */
export const SubscriptionLine = Type.Object(
  {
    audience: AudienceName,
    user: Id,
    subscribed: Type.Optional(Type.Boolean({ description: 'False ends the subscription; true unless given.' })),
    notify: Type.Optional(Notify),
    time: Type.Optional(
      Type.String({
        format: 'date-time',
        maxLength: 40,
        description: 'When it was so: later changes by events are kept. Now unless given.',
      }),
    ),
  },
  closed,
);

export const SubscriptionResult = Type.Object({
  status: Type.Union([Type.Literal('ok'), Type.Literal('rejected')]),
  error: Type.Optional(Type.Object({ code: Type.String(), path: Type.String(), detail: Type.String() })),
});

/** One result per line, in order. */
export const SubscriptionResults = Type.Object({
  taken: Type.Integer(),
  rejected: Type.Integer(),
  results: Type.Array(SubscriptionResult),
});

const nullable = <T extends ReturnType<typeof Type.String> | ReturnType<typeof Type.Integer>>(schema: T) =>
  Type.Union([schema, Type.Null()]);

export const FanoutView = Type.Object({
  id: Type.String(),
  audience: AudienceName,
  source: Id,
  event: Id,
  acceptedAt: Type.String({ format: 'date-time' }),
  chunks: Type.Integer(),
  recipients: Type.Integer({ description: 'People written to the log so far.' }),
  kept: Type.Boolean({
    description:
      'Kept once for the whole audience, since that is large: only those who asked to be pushed are written.',
  }),
  doneAt: nullable(Type.String({ format: 'date-time' })),
});

export const AudienceState = Type.Object({
  audience: AudienceName,
  count: Type.Integer({ description: 'Members now.' }),
  /** Under way first, then those done lately. */
  fanouts: Type.Array(FanoutView),
});

export const FanoutList = Type.Object({ items: Type.Array(FanoutView) });

export type Subscription = Static<typeof Subscription>;
export type SubscriptionLine = Static<typeof SubscriptionLine>;
export type SubscriptionResult = Static<typeof SubscriptionResult>;
export type FanoutView = Static<typeof FanoutView>;
