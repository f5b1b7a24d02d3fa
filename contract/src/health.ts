/** Answers of the health routes (M4): few words, no internals, since anyone who reaches the port may read them. */
import { type Static, Type } from 'typebox';

export const Live = Type.Object({ status: Type.Literal('live') });

export const Ready = Type.Object({
  status: Type.Enum(['ready', 'notReady']),
  checks: Type.Array(
    Type.Object({
      name: Type.String(),
      ready: Type.Boolean(),
      /** Why not; null when ready. */
      detail: Type.Union([Type.String(), Type.Null()]),
    }),
  ),
});

export type Live = Static<typeof Live>;
export type Ready = Static<typeof Ready>;
