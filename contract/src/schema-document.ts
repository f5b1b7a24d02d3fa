/**
 * Turns the schemas that validate into plain JSON for a published document, with `$ref` for those that have a name.
 * Schemas are matched by what they say, not by identity: two equal schemas are one component.
 */
import type { TSchema } from 'typebox';

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };
export type JsonObject = { readonly [key: string]: Json };

export interface SchemaNames {
  /** The schema as JSON, with references to named ones below and at the top. */
  refer(schema: TSchema): Json;
  /** All named schemas, each written out, with references to the others. */
  all(): JsonObject;
}

/** `prefix` is where the document keeps them: `#/components/schemas/`. */
export function schemaNames(named: Readonly<Record<string, TSchema>>, prefix: string): SchemaNames {
  const nameOf = new Map<string, string>();
  for (const [name, schema] of Object.entries(named)) {
    const text = JSON.stringify(schema);
    if (!nameOf.has(text)) nameOf.set(text, name);
  }
  const walk = (value: Json): Json => {
    if (value === null || typeof value !== 'object') return value;
    const name = nameOf.get(JSON.stringify(value));
    return name === undefined ? inside(value) : { $ref: `${prefix}${name}` };
  };
  const inside = (value: Json): Json => {
    if (value === null || typeof value !== 'object') return value;
    if (Array.isArray(value)) return value.map(walk);
    return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, walk(part)]));
  };
  return {
    refer: (schema) => walk(plain(schema)),
    all: () => Object.fromEntries(Object.entries(named).map(([name, schema]) => [name, inside(plain(schema))])),
  };
}

/** What a schema says, without what the library keeps beside it. */
export function plain(schema: unknown): Json {
  return JSON.parse(JSON.stringify(schema)) as Json;
}
