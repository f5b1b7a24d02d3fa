/**
 * What an app says of its people (A3). Each time it says all of it: what is absent is taken as not known. Requests are
 * closed, so that a misspelt name does not pass for something said.
 */
import { type Static, Type } from 'typebox';
import { Device } from './devices.ts';
import { Id } from './event.ts';
import { Mute } from './mutes.ts';
import { Notification, Time } from './notification.ts';
import { Preferences } from './preferences.ts';

const closed = { additionalProperties: false } as const;
const orNull = <T extends Parameters<typeof Type.Union>[0][number]>(schema: T) => Type.Union([schema, Type.Null()]);

const facts = {
  /** BCP 47. */
  locale: Type.Optional(Type.String({ maxLength: 35 })),
  /** IANA name. What the person chose themself goes before. */
  timeZone: Type.Optional(Type.String({ maxLength: 64 })),
  email: Type.Optional(Type.String({ format: 'email', maxLength: 254 })),
  /** The address has been shown to be theirs. */
  emailVerified: Type.Optional(Type.Boolean()),
  /** When the account was made. */
  createdAt: Type.Optional(Time),
  /** The account may not be used for now: nothing is sent to it. */
  suspended: Type.Optional(Type.Boolean()),
};

export const PersonParams = Type.Object({ id: Id });

export const PersonFacts = Type.Object(facts, closed);

/** With whom it is of: the answer to one, and a line of many. */
export const Person = Type.Object({ id: Id, ...facts }, closed);

/** What became of each line of an import, in order. `id` is null where none could be read. */
export const PeopleResults = Type.Object({
  results: Type.Array(
    Type.Object({
      id: orNull(Type.String()),
      status: Type.Enum(['stored', 'rejected']),
      error: Type.Optional(Type.Object({ code: Type.String(), path: Type.String(), detail: Type.String() })),
    }),
  ),
});

/** Everything that is kept of a person and can be read (S7). What was never said or chosen is null. */
export const PersonExport = Type.Object({
  id: Type.String(),
  exportedAt: Time,
  facts: orNull(PersonFacts),
  preferences: orNull(Preferences),
  mutes: Type.Array(Mute),
  /** Without what they are addressed by. */
  devices: Type.Array(Device),
  /** All rows of the inbox: listed, archived and filtered ones. */
  notifications: Type.Array(Notification),
});

export const PersonSearch = Type.Object({ email: Type.String({ minLength: 1, maxLength: 254 }) }, closed);

/** Ids of the app's people. */
export const PeopleFound = Type.Object({ users: Type.Array(Type.String()) });

export type PersonFacts = Static<typeof PersonFacts>;
export type Person = Static<typeof Person>;
export type PeopleResults = Static<typeof PeopleResults>;
export type PersonExport = Static<typeof PersonExport>;
