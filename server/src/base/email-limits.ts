/** Limits of mail (V20–V23): part of `limits`, which everybody reads. */
import { units } from './units.ts';

const { KiB, MiB, second, minute, hour, day } = units;

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
  /** A webhook's call, or a mail that came back; more is refused with 413. */
  webhookBytesMax: 2 * MiB,
  /** How old a webhook's call may be, and how far ahead of our clock: providers try for hours. */
  webhookAgeMs: day,
  webhookAheadMs: 5 * minute,
  /** Certificates of a provider kept; then all are fetched again. */
  webhookCertificatesMax: 16,
  /** Parts of a mail that came back, and how deep they lie in each other; what is beyond is not looked at. */
  mailPartsMax: 50,
  mailDepthMax: 5,
  /** What one-click unsubscription and the page of mail preferences are sent; more is refused with 413. */
  unsubscribeBytesMax: 16 * KiB,
  /** A certificate or a confirmation that a webhook needs. */
  webhookFetchMs: 5 * second,
  webhookFetchBytesMax: 64 * KiB,
} as const;
