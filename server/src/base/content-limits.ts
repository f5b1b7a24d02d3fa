/** The limits of types and words (C1–C3): a part of `limits.ts`, where they are read from. */
import { units } from './units.ts';

export const contentLimits = {
  /** A title in the in-app text is cut to this, in UTF-8 bytes, between grapheme clusters. */
  inAppTitleBytesMax: 160,

  // Types of events (C1)
  /** Of a type's name without a version; a longer one in a catalogue is a mistake. */
  typeNameCharsMax: 120,
  /** The window of a type that names none (D6). */
  notifyWindowSeconds: 60,
  /** How long a push or email of a type that says nothing is worth sending; then it expires. */
  typeTtlHours: 72,
  /** One text of a catalogue; a longer one is a mistake. */
  messageCharsMax: 2000,
  /** How often it is looked whether an app's catalogue files have changed. */
  catalogueLookMs: 2 * units.second,
  /** Mistakes of a catalogue that are logged one by one; more are only counted. */
  catalogueMistakesLogged: 10,
  /** Language tags for which it is remembered which words fit; then all are forgotten. */
  localesAskedMax: 1000,
  /** A subject is cut to this, in UTF-8 bytes, between grapheme clusters: mail clients show less. */
  emailSubjectBytesMax: 200,
  /** People whose language is remembered by a reader of inboxes; then all are forgotten. */
  localesKnownMax: 100_000,
  /** How long a reader of inboxes waits for a person's language; then the request's is used. */
  localeWaitMs: 300,
  /** After a person's language could not be read, nobody's is asked for this long. */
  localeRetryMs: 5 * units.second,
  /** What is read of an Accept-Language header. */
  acceptLanguageCharsMax: 500,
  /** How long something may stay unseen before an email tells of it, for types that say nothing (D10). */
  emailAfterMinutes: 30,
} as const;
