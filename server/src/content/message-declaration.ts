/**
 * The words of one locale as they are written in a YAML file, by us and by apps alike (C2). Every text is ICU
 * MessageFormat. What a file leaves out comes from the parent locale; docs/TYPES.md says in which order.
 */
import { reasons } from '@carillon/contract/reasons.ts';
import { type Static, type TSchema, Type } from 'typebox';
import { limits } from '../base/limits.ts';
import { typeNamePattern } from './type-declaration.ts';

const closed = { additionalProperties: false } as const;
const Text = Type.String({ minLength: 1, maxLength: limits.messageCharsMax });
const texts = <const Names extends readonly string[]>(names: Names) =>
  Type.Object(
    Object.fromEntries(names.map((name) => [name, Type.Optional(Text)])) as Record<Names[number], OptionalText>,
    closed,
  );
type OptionalText = ReturnType<typeof Type.Optional<typeof Text>>;

/** Parts that sentences are made of. `quoted` and `said` set `{text}` into a sentence, or are left out where there is none. */
export const patternNames = ['quoted', 'said', 'someone', 'people', 'others'] as const;
export type PatternName = (typeof patternNames)[number];

/** Words that belong to no type: of lock screens and emails. */
export const phraseNames = [
  'hidden',
  'open',
  'settings',
  'unsubscribe',
  'digest',
  'emails',
  'unsubscribed',
  'save',
  'saved',
  'linkInvalid',
] as const;
export type PhraseName = (typeof phraseNames)[number];

/** The texts of a type: `title` and `body` are the inbox's and stand in for what other channels leave out. */
export const slotNames = [
  'title',
  'body',
  'mentioned',
  'hidden',
  'pushTitle',
  'pushBody',
  'emailSubject',
  'emailText',
] as const;
export type SlotName = (typeof slotNames)[number];

export const outcomeNames = ['send', 'hold', 'skip'] as const;

export const TypeMessages = Type.Object(
  {
    ...texts(slotNames).properties,
    /** Labels of the type's actions, by id. */
    actions: Type.Optional(Type.Record(Type.String({ pattern: '^[a-z][a-zA-Z0-9]{0,31}$' }), Text)),
  },
  closed,
);

const byType = (schema: TSchema) =>
  Type.Record(Type.String({ pattern: `${typeNamePattern}|^generic$` }), schema, closed);

export const LocaleMessages = Type.Object(
  {
    patterns: Type.Optional(texts(patternNames)),
    phrases: Type.Optional(texts(phraseNames)),
    types: Type.Optional(byType(TypeMessages)),
    outcomes: Type.Optional(texts(outcomeNames)),
    reasons: Type.Optional(texts(reasons)),
  },
  closed,
);

export type TypeMessages = Static<typeof TypeMessages>;
export interface LocaleMessages extends Omit<Static<typeof LocaleMessages>, 'types'> {
  /** `generic`: for a type that has no words of its own. */
  readonly types?: Readonly<Record<string, TypeMessages>>;
}
