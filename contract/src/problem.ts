/** Every error answer is one of these, as `application/problem+json` (RFC 9457, A6). Codes: error-codes.ts. */
import { type Static, Type } from 'typebox';

export const Problem = Type.Object({
  /** `urn:carillon:error:` and the code. */
  type: Type.String(),
  title: Type.String(),
  status: Type.Integer(),
  code: Type.String(),
  detail: Type.String(),
  /** JSON pointers into the body, or `query/…`, `header/…`; absent where no part of the request is at fault. */
  errors: Type.Optional(Type.Array(Type.Object({ path: Type.String(), detail: Type.String() }))),
  requestId: Type.String(),
});

export type Problem = Static<typeof Problem>;
