/**
 * The schema of a merge patch (RFC 7396) of what another schema describes: every part may be absent, which keeps it, or
 * null, which removes it. For documents only: what a patch leads to is what is checked.
 */
import type { TSchema } from 'typebox';
import { type Json, type JsonObject, plain } from './schema-document.ts';

export function mergePatchSchema(schema: TSchema): TSchema {
  return patchOf(plain(schema) as JsonObject) as unknown as TSchema;
}

function patchOf(schema: JsonObject): JsonObject {
  if (schema.type !== 'object') return schema;
  const { required: _required, ...rest } = schema;
  const patched: Record<string, Json> = { ...rest };
  for (const parts of ['properties', 'patternProperties'] as const) {
    const named = schema[parts] as JsonObject | undefined;
    if (named === undefined) continue;
    patched[parts] = Object.fromEntries(
      Object.entries(named).map(([name, part]) => [name, orNull(patchOf(part as JsonObject))]),
    );
  }
  return patched;
}

function orNull(schema: JsonObject): JsonObject {
  const { anyOf } = schema;
  if (Array.isArray(anyOf)) return anyOf.some((each) => each.type === 'null') ? schema : { anyOf: [...anyOf, nothing] };
  return { anyOf: [schema, nothing] };
}

const nothing: JsonObject = { type: 'null' };
