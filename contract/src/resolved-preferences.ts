/** What applies to a person, and where each value comes from (D2): `GET /v1/notification-preferences?resolved=true`. */
import { type Static, Type } from 'typebox';
import { Digest, Preferences, relationRules } from './preferences.ts';

const closed = { additionalProperties: false } as const;

/**
 * `critical`: the catalogue, whatever was chosen. `type`, `category`, `channel`: the choice for it. `muteAll`: the choice to
 * hear nothing. `default`: the catalogue.
 */
export const channelOrigins = ['critical', 'type', 'category', 'muteAll', 'channel', 'default'] as const;

/** `choice`: of the person. `facts`: what the app says. `default`: nobody said anything. */
export const valueOrigins = ['choice', 'facts', 'default'] as const;

const from = Type.Enum([...valueOrigins]);
const OnChannel = Type.Object({ on: Type.Boolean(), from: Type.Enum([...channelOrigins]) });
const Word = Type.Object({ value: Type.Union([Type.String(), Type.Null()]), from });
const Relation = Type.Object({ value: Type.Enum([...relationRules]), from });

export const Resolved = Type.Object({
  /** Null: that of the app's default. */
  locale: Word,
  /** Null: UTC. */
  timeZone: Word,
  relations: Type.Object({ notFollowed: Relation, notFollowing: Relation, newAccounts: Relation }),
  digest: Type.Object({ value: Digest, from }),
  /** Every type that anybody is told of. A pause and quiet hours hold and do not decide, so they are not part of it. */
  types: Type.Record(
    Type.String(),
    Type.Object({ category: Type.String(), inApp: OnChannel, push: OnChannel, email: OnChannel }),
  ),
});

/** `resolved` is there if it was asked for. */
export const PreferencesAnswer = Type.Object({ ...Preferences.properties, resolved: Type.Optional(Resolved) }, closed);

export const PreferencesQuery = Type.Object({ resolved: Type.Optional(Type.Boolean()) }, closed);

export type Resolved = Static<typeof Resolved>;
export type PreferencesAnswer = Static<typeof PreferencesAnswer>;
