/** Values that fit a JSON Schema of the kind our documents hold, and, here and there, values that nearly do. */
import fc from 'fast-check';
import type { ApiDocument, Schema } from './api-document.ts';
import { hostileValue } from './hostile-values.ts';

/** `known` are texts the server has seen, such as ids of real notifications: they reach deeper than random ones. */
export function fitting(document: ApiDocument, schema: Schema, known: readonly string[]): fc.Arbitrary<unknown> {
  const { anyOf, allOf, type, ...rest } = document.resolve(schema);
  if ('const' in rest) return fc.constant(rest.const);
  if (Array.isArray(rest.enum)) return fc.constantFrom(...(rest.enum as unknown[]));
  if (Array.isArray(anyOf)) return fc.oneof(...anyOf.map((branch: Schema) => fitting(document, branch, known)));
  switch (type) {
    case 'string':
      return text(rest, known);
    case 'integer':
    case 'number':
      return fc.integer({ min: Number(rest.minimum ?? -1000), max: Number(rest.maximum ?? 1000) });
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    case 'array':
      return fc.array(fitting(document, rest.items as Schema, known), {
        minLength: Number(rest.minItems ?? 0),
        maxLength: Math.min(5, Number(rest.maxItems ?? 5)),
      });
    case 'object':
      return object(document, rest, known);
    default:
      return fc.jsonValue();
  }
}

/** The same with one part replaced by something hostile, or a field too many. */
export function nearlyFitting(document: ApiDocument, schema: Schema, known: readonly string[]): fc.Arbitrary<unknown> {
  return fc.tuple(fitting(document, schema, known), hostileValue, fc.nat()).map(([value, hostile, where]) => {
    if (typeof value !== 'object' || value === null) return hostile;
    const keys = [...Object.keys(value), 'unheardOf'];
    const key = keys[where % keys.length] as string;
    return Array.isArray(value) ? [...value, hostile] : { ...value, [key]: hostile };
  });
}

function text(schema: Schema, known: readonly string[]): fc.Arbitrary<string> {
  if (schema.format === 'date-time') {
    return fc.date({ noInvalidDate: true, min: new Date(0), max: new Date(4e12) }).map((date) => date.toISOString());
  }
  const own =
    typeof schema.pattern === 'string'
      ? fc.stringMatching(new RegExp(schema.pattern))
      : fc.string({ unit: 'grapheme' });
  const bounded = own.filter((value) => value.length >= Number(schema.minLength ?? 0));
  const fits = known.filter((value) => value.length <= Number(schema.maxLength ?? Number.MAX_SAFE_INTEGER));
  return fits.length > 0 ? fc.oneof(bounded, fc.constantFrom(...fits)) : bounded;
}

function object(document: ApiDocument, schema: Schema, known: readonly string[]): fc.Arbitrary<unknown> {
  const properties = Object.entries((schema.properties ?? {}) as Record<string, Schema>);
  const parts = Object.fromEntries(properties.map(([name, part]) => [name, fitting(document, part, known)]));
  const required = (schema.required ?? []) as string[];
  const max = Number(schema.maxProperties ?? Number.MAX_SAFE_INTEGER);
  const whole = fc.record(parts, { requiredKeys: required });
  if (max >= properties.length) return whole;
  return fc
    .tuple(whole, fc.constantFrom(...properties.map(([name]) => name)), fc.record(parts))
    .map(([, name, all]) => ({
      [name]: all[name],
    }));
}
