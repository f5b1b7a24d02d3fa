/** Limits of mail (V20–V23): part of `limits`, which everybody reads. */
import { units } from './units.ts';

const { KiB, second, minute, hour, day } = units;

export const emailLimits = {
  /** After a receiver refuses for now whom it does not know yet (greylisting): when it is tried again. */
  emailGreylistMs: minute,
  /** Mails over one connection; then it is closed, as servers like. */
  emailsPerConnection: 100,
  /** A connection, and a server's greeting, that take longer have failed. */
  emailConnectMs: 15 * second,
  /** An answer that takes longer is lost. */
  emailAnswerMs: 60 * second,
  /** After a provider says that nothing is left of the day: when it is asked again. */
  emailQuotaMs: hour,
  /** Calls to one provider's API under way at once; more wait in the channel. */
  emailCallsMax: 50,
  /** What a provider's API may answer; a longer answer counts as none. */
  emailAnswerBytesMax: 64 * KiB,
  /** Notifications that one digest shows; its subject says how many there are. */
  digestEntriesMax: 20,
  /** Of a token in a link; a longer one is none. */
  emailTokenCharsMax: 1000,
  /** Time in which soft bounces are counted. */
  softBouncesMs: 30 * day,
} as const;
