/** Email addresses that get no mail, or not all (V22): `/v1/admin/suppressions`. */
import { type Static, Type } from 'typebox';
import { Time } from './notification.ts';

const closed = { additionalProperties: false } as const;
const orNull = <T extends Parameters<typeof Type.Union>[0][number]>(schema: T) => Type.Union([schema, Type.Null()]);

/** The lightest first. `complaint`: only critical mail is sent; the others: none. */
export const suppressionReasonNames = ['complaint', 'soft', 'manual', 'hard'] as const;
export type SuppressionReasonName = (typeof suppressionReasonNames)[number];

export const SuppressionParams = Type.Object({ address: Type.String({ minLength: 3, maxLength: 254 }) });

export const SuppressionQuery = Type.Object(
  {
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000 })),
    /** As `nextCursor` said. */
    cursor: Type.Optional(Type.String({ maxLength: 200 })),
  },
  closed,
);

export const Suppression = Type.Object({
  address: Type.String(),
  /** Null: mail is sent; soft bounces are being counted. */
  reason: orNull(Type.Enum([...suppressionReasonNames])),
  since: orNull(Time),
  /** A provider, `mail` for a bounce that came as mail, or `api`. */
  by: orNull(Type.String()),
  code: orNull(Type.String()),
  /** Days with a soft bounce, within the last 30. */
  softBounces: Type.Integer({ minimum: 0 }),
});

export const Suppressions = Type.Object({ items: Type.Array(Suppression), nextCursor: orNull(Type.String()) });

export type Suppression = Static<typeof Suppression>;
