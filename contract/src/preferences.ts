/**
 * What a person chose to hear (D2, D3, D7, D10): only explicit choices are kept, everything absent follows the type
 * catalogue. `Preferences` is the document of `/v1/notification-preferences`.
 */
import { type Static, Type } from 'typebox';
import { Revision, Time } from './notification.ts';
import { weekdays } from './weekdays.ts';

const closed = { additionalProperties: false } as const;
const orNull = <T extends Parameters<typeof Type.Union>[0][number]>(schema: T) => Type.Union([schema, Type.Null()]);
const oneOf = <const Words extends readonly string[]>(words: Words) => Type.Enum([...words] as Words[number][]);

/** A local time of day, `08:00`. */
export const TimeOfDay = Type.String({ pattern: '^([01][0-9]|2[0-3]):[0-5][0-9]$' });

export const ChannelChoices = Type.Object(
  { inApp: Type.Optional(Type.Boolean()), push: Type.Optional(Type.Boolean()), email: Type.Optional(Type.Boolean()) },
  closed,
);

/** From and to on the clock of the person's zone; `to` at or before `from` is on the next day. Never equal. */
export const QuietSpan = Type.Object({ from: TimeOfDay, to: TimeOfDay }, closed);

const spansOfDay = Type.Optional(Type.Array(QuietSpan, { maxItems: 8 }));

/** A span belongs to the day it begins on. */
export const QuietHours = Type.Object(
  {
    enabled: Type.Boolean(),
    days: Type.Object(
      {
        mon: spansOfDay,
        tue: spansOfDay,
        wed: spansOfDay,
        thu: spansOfDay,
        fri: spansOfDay,
        sat: spansOfDay,
        sun: spansOfDay,
      },
      closed,
    ),
  },
  closed,
);

export const relationRules = ['accept', 'filter', 'drop'] as const;
export type RelationRule = (typeof relationRules)[number];

const relationRule = Type.Optional(oneOf(relationRules));

/** What to do with what comes from people whom the person does not follow, who do not follow them, or who are new. */
export const Relations = Type.Object(
  { notFollowed: relationRule, notFollowing: relationRule, newAccounts: relationRule },
  closed,
);

export const Digest = Type.Object(
  {
    /** `weekdays`: Monday to Friday. */
    email: oneOf(['off', 'daily', 'weekdays', 'weekly']),
    at: Type.Optional(TimeOfDay),
    /** For `weekly`. */
    weekday: Type.Optional(oneOf(weekdays)),
  },
  closed,
);

export const Privacy = Type.Object({ lockScreen: oneOf(['full', 'sender', 'hidden']) }, closed);

const choices = {
  muteAll: Type.Optional(Type.Boolean()),
  pausedUntil: Type.Optional(orNull(Time)),
  /** BCP 47. */
  locale: Type.Optional(Type.String({ maxLength: 35 })),
  /** IANA name, canonical. */
  timeZone: Type.Optional(Type.String({ maxLength: 64 })),
  channels: Type.Optional(ChannelChoices),
  categories: Type.Optional(Type.Record(Type.String({ maxLength: 64 }), ChannelChoices)),
  types: Type.Optional(Type.Record(Type.String({ maxLength: 64 }), ChannelChoices)),
  relations: Type.Optional(Relations),
  quietHours: Type.Optional(QuietHours),
  digest: Type.Optional(Digest),
  privacy: Type.Optional(Privacy),
};

/** What a person may write: the whole of it by PUT, a merge patch of it by PATCH. */
export const PreferenceChoices = Type.Object(choices, closed);

/** As answered: with the version, which is the `ETag` too. */
export const Preferences = Type.Object({ version: Revision, ...choices }, closed);

export type ChannelChoices = Static<typeof ChannelChoices>;
export type QuietSpan = Static<typeof QuietSpan>;
export type QuietHours = Static<typeof QuietHours>;
export type Relations = Static<typeof Relations>;
export type Digest = Static<typeof Digest>;
export type PreferenceChoices = Static<typeof PreferenceChoices>;
export type Preferences = Static<typeof Preferences>;
