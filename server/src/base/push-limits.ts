/** Limits of what pushes (V10): part of `limits`, which everybody reads. Those that providers set are in the providers' files. */
import { units } from './units.ts';

const { KiB, second, minute, hour, day } = units;

export const pushLimits = {
  /** Pushes of one provider under way at once; the channel keeps to it, and one more waits for none and counts as not sent. */
  pushSendsMax: 500,
  /** Connections to one provider for each of its credentials: more than two were not faster. */
  pushConnectionsMax: 2,
  /** Connecting, to the first settings; then the pushes that wait for it were not sent. */
  pushConnectMs: 10 * second,
  /** After a connection that failed none is tried for this long: what comes meanwhile was not sent. */
  pushReconnectMs: second,
  /** A push waits for a free stream this long; then it was not sent. */
  pushWaitMs: 10 * second,
  /** A provider has this long to answer a push; then it is unknown what became of it. FCM asks for at least 10 s. */
  pushAnswerMs: 20 * second,
  /** A connection at rest for longer is asked whether it still lives before it is used, and has this long to say so. */
  pushRestMs: minute,
  pushPingMs: 5 * second,
  /** What is under way when a stop lets go of connections has this long; then it is lost, so that a stop ends in time. */
  pushCloseMs: second,
  /** How often what waits too long is looked for. */
  pushSweepMs: second,
  /** Connections that may leave a push out, one after the other, before it counts as not sent. */
  pushTriesMax: 3,
  /** An answer of a provider; of a longer one the rest is not read. */
  pushAnswerBytesMax: 64 * KiB,
  /** An idle HTTP/1.1 connection to a provider is closed after this. */
  pushIdleSocketMs: 30 * second,
  /** Web pushes under way at once, and connections for those that go over HTTP/1.1. */
  webPushSocketsMax: 256,
  /** Services that connections are kept to; of more, the one unused longest is left. */
  webPushPoolsMax: 100,
  /** Services that browsers name: signed headers remembered; the one unused longest is signed again. */
  webPushOriginsMax: 1000,
  /** How long a signature for browsers' push services is good, at most 24 h by RFC 8292, and when it is made anew. */
  vapidKeptMs: 12 * hour,
  vapidRenewMs: 6 * hour,
  /** Apple takes a provider token up to 60 min old and wants none newer than 20 min replaced. Its age is between these. */
  providerTokenEveryMs: 45 * minute,
  providerTokenAgeMinMs: 5 * minute,
  providerTokenKeptMinMs: 20 * minute,
  /** An access token of Google is fetched anew so long before it ends. */
  accessTokenSpareMs: 5 * minute,
  /** After a fetch of an access token that failed, none is tried for this long. */
  accessTokenRetryMs: 5 * second,
  /**
   * Answers about devices that may be our own fault: from so many in this time on (more than one person has devices), and above this share of all,
   * they are taken for that (BC-47). One alone waits this long for what others are answered.
   */
  doubtfulMin: 30,
  doubtfulShareMax: 0.2,
  doubtfulWindowMs: 5 * minute,
  doubtfulWaitMs: 5 * second,
  /** What providers keep for a device that is away. */
  apnsKeptMaxMs: 30 * day,
  fcmKeptMaxMs: 28 * day,
  webPushKeptMaxMs: 28 * day,
} as const;
