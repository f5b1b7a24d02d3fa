/**
 * A type as it is written in a YAML file, by us and by apps alike (C1). What is left out has the default that
 * `resolve-types.ts` gives it. Unknown keys are mistakes.
 */
import { lanes } from '@carillon/contract/lanes.ts';
import { type Static, Type } from 'typebox';
import { limits } from '../base/limits.ts';
import { collapses, emailModes, groupings, notifyTimings, privacyLevels, typeRules } from './type-entry.ts';

const closed = { additionalProperties: false } as const;
const optional = Type.Optional;
const oneOf = <const Words extends readonly string[]>(words: Words) => Type.Enum([...words] as Words[number][]);

/** As in events (contract/event.ts), without a version. */
export const typeNamePattern = '^[a-z][A-Za-z0-9]*(\\.[a-z][A-Za-z0-9]*)+$';

const TypeName = Type.String({ pattern: typeNamePattern, maxLength: limits.typeNameCharsMax });

const Action = Type.Object(
  { id: Type.String({ pattern: '^[a-z][a-zA-Z0-9]{0,31}$' }), url: Type.String({ minLength: 1, maxLength: 512 }) },
  closed,
);

export const TypeDeclaration = Type.Object(
  {
    category: Type.String({ pattern: '^[a-z][a-zA-Z0-9]{0,31}$' }),
    lane: oneOf(lanes),
    rule: optional(oneOf(typeRules)),
    grouping: optional(oneOf(groupings)),
    family: optional(Type.String({ pattern: '^[a-z][a-zA-Z0-9.-]{0,63}$' })),
    undoes: optional(Type.Array(TypeName, { minItems: 1, maxItems: 16, uniqueItems: true })),
    isMention: optional(Type.Boolean()),
    mention: optional(TypeName),
    fromApp: optional(Type.Boolean()),
    critical: optional(Type.Boolean()),
    channels: optional(
      Type.Object(
        { inApp: optional(Type.Boolean()), push: optional(Type.Boolean()), email: optional(Type.Boolean()) },
        closed,
      ),
    ),
    notify: optional(oneOf(notifyTimings)),
    windowSeconds: optional(Type.Integer({ minimum: 1, maximum: 86_400 })),
    ttlHours: optional(Type.Integer({ minimum: 1, maximum: 672 })),
    collapse: optional(oneOf(collapses)),
    privacy: optional(oneOf(privacyLevels)),
    pushAlways: optional(Type.Boolean()),
    email: optional(oneOf(emailModes)),
    emailAfterMinutes: optional(Type.Integer({ minimum: 1, maximum: 10_080 })),
    actions: optional(Type.Array(Action, { maxItems: 3 })),
  },
  closed,
);

export type TypeDeclaration = Static<typeof TypeDeclaration>;
