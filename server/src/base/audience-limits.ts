/** Limits of audiences and fan-out (F1–F5): part of `limits`, which everybody reads. */
import { units } from './units.ts';

const { KiB, MiB, second, day } = units;

export const audienceLimits = {
  /** Audiences of one person that are read at a time. */
  audiencesPageMax: 500,
  /** Lines of one bulk import of subscriptions; more is refused with 413. */
  subscriptionLinesMax: 10_000,
  /** Subscriptions written at once; other work comes in between. */
  subscriptionsPerWrite: 500,
  /** How long it is remembered that somebody has left: a follow older than that unfollow may arrive as late as this. */
  departuresKeptMs: 30 * day,
  /** One page of members from the app: how long it may take, how often it is asked for at once, and the pause in between. */
  audienceFetchMs: 10 * second,
  audienceFetchTries: 3,
  audienceFetchRetryMs: 200,
  /** Such a page in bytes and members; one that is larger is refused, and its fan-out waits until the app mends it. */
  audiencePageBytesMax: 4 * MiB,
  audiencePageMembersMax: 10_000,
  /** Members of one chunk of a fan-out: read, written to the log and noted at once. Direct messages wait for one at most. */
  fanoutChunkMembers: 500,
  /** Bytes of people in one record of a fan-out; more go into another. */
  fanoutRecordBytesMax: 256 * KiB,
  /** Bytes of the bulk lane that wait to be applied; above, fan-out pauses, so that a micro-batch stays short (F4). */
  fanoutAheadBytes: 8 * KiB,
  /** Micro-batches after which a chunk is written all the same, where others keep the bulk lane full. */
  fanoutBatchesMax: 8,
  /** On a cluster: people that may wait in the bulk lane of each shard when more are written, and how often is looked. */
  fanoutPeoplePerShard: 100,
  fanoutLookMs: 50,
  /** After this a chunk is written all the same. */
  fanoutWaitMs: 2 * second,
  /** How old the number of fan-outs that wait may be, by which events to audiences are refused. */
  fanoutsCountedMs: second,
  /** Wait before a fan-out that failed (members, log or store) goes on: at first, doubled each time, and in the end. */
  fanoutRetryMs: { first: second, last: 60 * second },
  /** Fan-outs that wait in one process; above, events to audiences are refused for now. */
  fanoutsWaitingMax: 100_000,
  /** Fan-outs of a shard that are looked up at a time when it is taken up. */
  fanoutsPerRead: 500,
  /** Members of an audience above which an event is kept once for all of them, and for how long, unless configured (F3). */
  broadcastAbove: 10_000,
  broadcastsKeptMs: 30 * day,
  /** The newest broadcasts of a tenant that are tried against a person's memberships; who has missed more is asked for all. */
  broadcastsRecent: 64,
  /** Broadcasts that come to one inbox at most when it is opened: the newest. */
  broadcastsPerPersonMax: 5000,
  /** Broadcasts that are merged in one micro-batch. */
  broadcastsPerStep: 100,
  /** Connected people who are looked through at once for members of a broadcast's audience. */
  broadcastPeoplePerStep: 100,
  /** On a cluster: how long opening an inbox waits for its broadcasts before it is answered without. */
  mergeWaitMs: 2 * second,
  /** How old what a process knows of the newest broadcast may be, where nobody told it of a newer one. */
  broadcastsLookMs: 5 * second,
  /** People of whom a process remembers how far they have their broadcasts. */
  broadcastReadersMax: 100_000,
  /** How often it is looked whether a fan-out that somebody has paused may go on. */
  fanoutPausedLookMs: second,
  /** How often it is looked whether an announcement is due, or done. */
  announcementsLookMs: second,
  /** Announcements that are looked after at a time. */
  announcementsUnderWayMax: 1000,
  /** Announcements shown to an operator. */
  announcementsShownMax: 200,
  /** One that is overdue for longer, unless configured, waits to be confirmed: the service was down. */
  announcementStaleMs: 3600 * second,
  /** Fan-outs shown to an operator. */
  fanoutsShownMax: 100,
  /** Of those that are done, so many of the newest are looked through for those of one audience. */
  fanoutsLookedAtMax: 5000,
} as const;
