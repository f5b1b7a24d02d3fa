/**
 * Turns a schema's complaints into what a caller can act on: one JSON pointer and one sentence each.
 * Complaints from inside the branches of a union are dropped in favour of the union's own: a caller meant one of
 * them, and the others' complaints only mislead.
 */
import { Settings } from 'typebox/system';
import type { FieldError } from './carillon-error.ts';

// The default of 8 can be used up inside one union before its own complaint comes.
Settings.Set({ maxErrors: 64 });

const shownMax = 16;

/** The part of a compiled TypeBox validator that is needed here. */
interface Complainer {
  Errors(value: unknown): readonly {
    readonly keyword: string;
    readonly schemaPath: string;
    readonly instancePath: string;
    readonly params: unknown;
    readonly message: string;
  }[];
}

/** At most 16 errors; `prefix` goes before each pointer (`query`, `params`, or nothing for a body). */
export function fieldErrors(validator: Complainer, value: unknown, prefix = ''): FieldError[] {
  const found: FieldError[] = [];
  for (const error of validator.Errors(value)) {
    if (error.schemaPath.includes('/anyOf/') || error.keyword === 'boolean') continue;
    for (const field of describe(error)) {
      if (found.length < shownMax) found.push({ path: `${prefix}${field.path}`, detail: field.detail });
    }
  }
  return found.length > 0 ? found : [{ path: prefix, detail: 'Does not fit the schema.' }];
}

function describe(error: ReturnType<Complainer['Errors']>[number]): FieldError[] {
  const params = error.params as Record<string, unknown>;
  if (error.keyword === 'required') {
    return names(params.requiredProperties).map((name) => ({
      path: `${error.instancePath}/${escapePointer(name)}`,
      detail: 'Is required.',
    }));
  }
  if (error.keyword === 'additionalProperties') {
    return names(params.additionalProperties).map((name) => ({
      path: `${error.instancePath}/${escapePointer(name)}`,
      detail: 'Is not a known field.',
    }));
  }
  return [{ path: error.instancePath, detail: `${error.message[0]?.toUpperCase()}${error.message.slice(1)}.` }];
}

/** RFC 6901: `~` and `/` inside a name. */
export function escapePointer(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}

function names(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((name) => typeof name === 'string') : [];
}
