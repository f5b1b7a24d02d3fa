/** The JSON Schema of one event type (E8): the schema every event must fit, with the type's own name fixed. */
import { Event } from '@carillon/contract/event.ts';
import { type JsonObject, plain } from '@carillon/contract/schema-document.ts';

/** What a catalogue must be able to say: the entry of a type as written in an event, undefined if there is none. */
export interface EventTypes {
  find(type: string): { readonly name: string; readonly fromApp: boolean } | undefined;
}

/** Null for a type or version that is not in the catalogue. No suffix means version 1. */
export function eventSchema(types: EventTypes, type: string): JsonObject | null {
  const entry = types.find(type);
  if (entry === undefined) return null;
  const version = /@([1-9][0-9]*)$/.exec(type)?.[1] ?? '1';
  const event = plain(Event) as { readonly properties: JsonObject; readonly required: readonly string[] };
  const spellings = version === '1' ? [entry.name, `${entry.name}@1`] : [`${entry.name}@${version}`];
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: `urn:carillon:event:${entry.name}@${version}`,
    title: `${entry.name}, version ${version}`,
    ...event,
    required: entry.fromApp ? event.required : [...event.required, 'actor', 'object'],
    properties: { ...event.properties, type: { enum: spellings } },
  };
}
