/** What became of what was to leave by push or email (V1), for operators (`/v1/admin/deliveries`) and for its person. */
import { type Static, Type } from 'typebox';
import { lanes } from './lanes.ts';
import { Time } from './notification.ts';

const orNull = <T extends Parameters<typeof Type.Union>[0][number]>(schema: T) => Type.Union([schema, Type.Null()]);
const word = Type.Optional(Type.String({ minLength: 1, maxLength: 256 }));

/** Two of the four: a user with a notification, or a provider with its own name for what it took. */
export const DeliveriesQuery = Type.Object(
  { user: word, notification: word, provider: word, providerId: word },
  { additionalProperties: false, minProperties: 2, maxProperties: 2 },
);

export const DeliveryAttempt = Type.Object({
  at: Time,
  provider: Type.String(),
  outcome: Type.Enum(['accepted', 'retry', 'throttled', 'gone', 'refused', 'blocked', 'unknown']),
  /** The provider's, or the service's where it gave none. */
  code: orNull(Type.String()),
  tookMs: Type.Number({ minimum: 0 }),
});

export const EndpointDelivery = Type.Object({
  /** A device's id; `address` for the person's address; null: none was picked. */
  endpoint: orNull(Type.String()),
  /** `accepted`: the provider has taken it. Nobody need have seen it. */
  state: Type.Enum(['pending', 'dispatched', 'accepted', 'failed', 'suppressed', 'expired', 'unknown']),
  /** Why it is in this state. */
  code: orNull(Type.String()),
  provider: orNull(Type.String()),
  /** The provider's name for it. */
  providerId: orNull(Type.String()),
  /** Null: it waits for no time. */
  nextTryAt: orNull(Time),
  /** The last ones, the oldest first. */
  attempts: Type.Array(DeliveryAttempt),
  /** How often an operator has sent it again. */
  redrives: Type.Integer({ minimum: 0 }),
});

/** What one channel made of what it was handed for one person. */
export const DeliveryJob = Type.Object({
  user: Type.String(),
  channel: Type.Enum(['push', 'email']),
  lane: Type.Enum([...lanes]),
  /** What it tells of, the most important first; `number`: which time that is. */
  tellings: Type.Array(Type.Object({ notification: Type.String(), number: Type.Integer({ minimum: 0 }) })),
  decidedAt: Time,
  expiresAt: Time,
  deliveries: Type.Array(EndpointDelivery),
});

export const DeliveriesAnswer = Type.Object({ items: Type.Array(DeliveryJob) });

/** What a person is told of it. */
export const OwnDelivery = Type.Object({
  channel: Type.Enum(['push', 'email']),
  /** A device's id; `address` for the person's address; null: none was picked. */
  endpoint: orNull(Type.String()),
  /**
   * `handedOver`: a provider has taken it, which says nothing of whether it was seen. `notSent`: it was not wanted any more,
   * or nothing could get it. `tooLate`: it could not be sent in time. `uncertain`: the answer was lost.
   */
  state: Type.Enum(['waiting', 'underWay', 'handedOver', 'failed', 'notSent', 'tooLate', 'uncertain']),
  decidedAt: Time,
});

export type OwnDelivery = Static<typeof OwnDelivery>;
export type DeliveriesQuery = Static<typeof DeliveriesQuery>;
export type DeliveryJob = Static<typeof DeliveryJob>;
export type EndpointDelivery = Static<typeof EndpointDelivery>;
export type DeliveriesAnswer = Static<typeof DeliveriesAnswer>;
