/** A page of members as the app answers it (docs/AUDIENCES.md). Loaded by whoever asks an app, and by nobody else. */
import { type Static, Type } from 'typebox';
import { Compile } from 'typebox/compile';

const name = Type.String({ minLength: 1, maxLength: 256, pattern: '^[^\\u0000-\\u001f\\u007f]+$' });
const AudiencePage = Type.Object({
  members: Type.Array(Type.Union([name, Type.Object({ user: name, notify: Type.Optional(Type.Boolean()) })])),
  next: Type.Union([Type.String({ minLength: 1, maxLength: 1024 }), Type.Null()]),
});
export type AudiencePage = Static<typeof AudiencePage>;

const pages = Compile(AudiencePage);

export function isAudiencePage(value: unknown): value is AudiencePage {
  return pages.Check(value);
}
