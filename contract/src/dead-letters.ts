/** Deliveries that ended without their provider having them (V5): `/v1/admin/dead-letters`. */
import { type Static, Type } from 'typebox';
import { Time } from './notification.ts';

const closed = { additionalProperties: false } as const;
const orNull = <T extends Parameters<typeof Type.Union>[0][number]>(schema: T) => Type.Union([schema, Type.Null()]);
const word = Type.Optional(Type.String({ minLength: 1, maxLength: 256 }));

/** All that is given must hold. */
const filter = {
  channel: Type.Optional(Type.Enum(['push', 'email'])),
  provider: word,
  code: word,
  user: word,
  /** `failed`: it was not taken; `unknown`: it may have been, and its answer was lost. */
  state: Type.Optional(Type.Enum(['failed', 'unknown'])),
};

const limit = Type.Optional(Type.Integer({ minimum: 1, maximum: 1000 }));
/** As `nextCursor` said. */
const cursor = Type.Optional(Type.String({ maxLength: 512 }));

export const DeadLetterQuery = Type.Object({ ...filter, limit, cursor }, closed);

export const DeadLetter = Type.Object({
  user: Type.String(),
  notification: Type.String(),
  channel: Type.Enum(['push', 'email']),
  /** A device's id; `address` for the person's address. */
  endpoint: Type.String(),
  provider: orNull(Type.String()),
  state: Type.Enum(['failed', 'unknown']),
  code: orNull(Type.String()),
  attempts: Type.Integer({ minimum: 0 }),
  diedAt: Time,
});

export const DeadLetterList = Type.Object({
  items: Type.Array(DeadLetter),
  /** All that the filter means. */
  count: Type.Integer({ minimum: 0 }),
  nextCursor: orNull(Type.String()),
});

export const RedriveRequest = Type.Object(
  { filter: Type.Object(filter, closed), dryRun: Type.Optional(Type.Boolean()), limit, cursor },
  closed,
);

export const RedriveAnswer = Type.Object({
  /** Sent again, or in a dry run: that would be. */
  sent: Type.Integer({ minimum: 0 }),
  /** By reason: those that are not. */
  skipped: Type.Record(Type.String(), Type.Integer({ minimum: 1 })),
  nextCursor: orNull(Type.String()),
});

export type DeadLetter = Static<typeof DeadLetter>;
export type DeadLetterList = Static<typeof DeadLetterList>;
export type RedriveRequest = Static<typeof RedriveRequest>;
export type RedriveAnswer = Static<typeof RedriveAnswer>;
