/** The rotation of keys (S4): `POST /v1/admin/keys/rotate`, a line each. */
import { type Static, Type } from 'typebox';

export const RotationLine = Type.Union([
  /** On the way: how many values were encrypted anew until now. */
  Type.Object({ changed: Type.Integer() }),
  /** At the end, with the names of the keys that are no longer needed. */
  Type.Object({ changed: Type.Integer(), done: Type.Literal(true), former: Type.Array(Type.String()) }),
]);

export type RotationLine = Static<typeof RotationLine>;
