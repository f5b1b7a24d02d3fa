/**
 * Every limit of the service, in one place: unit in the name, default here, and what happens when it is hit. Large parts
 * are files of their own beside it.
 * Change one by configuration only where docs/CONFIG.md lists it.
 */
import { audienceLimits } from './audience-limits.ts';
import { contentLimits } from './content-limits.ts';
import { deliveryLimits } from './delivery-limits.ts';
import { emailLimits } from './email-limits.ts';
import { pushLimits } from './push-limits.ts';
import { units } from './units.ts';

const { KiB, MiB, second, minute, hour, day } = units;

export const limits = {
  // Intake (E1–E6)
  /** One event as sent; more is refused with 413. */
  eventBytesMax: 64 * KiB,
  /** One request body; more is refused with 413. */
  batchBytesMax: 4 * MiB,
  /** Events in one request, or people of an import; more is refused with 413. */
  batchEventsMax: 1000,
  /** Recipients of one event; more is refused, an audience takes more. */
  recipientsMax: 1000,
  /** People one event may mention; more is refused with 422's kind of field error. */
  mentionsMax: 50,
  /** Nesting of an event's JSON; deeper is refused. */
  jsonDepthMax: 16,
  /** How far ahead of our clock an event may lie; more is refused. */
  eventAheadMs: 5 * minute,
  /** How long an answer to an Idempotency-Key is kept. */
  idempotencyKeptMs: 24 * hour,
  idempotencyKeyCharsMax: 255,
  /** Bytes that wait for the log's sync; above, intake answers 503 before it reads a body. */
  uncommittedBytesMax: 32 * MiB,
  /** Bytes in the log that the shard has not applied, per lane; above, that lane is refused: bulk first, then social, then direct. */
  unappliedBytesMax: { direct: 256 * MiB, social: 128 * MiB, bulk: 64 * MiB },
  /** What a caller waits that was refused because the service is behind. */
  overloadRetrySeconds: 1,
  /** Events a caller may send, sustained and at once; over it 429. */
  callerEventsPerSecond: 200_000,
  callerEventsBurst: 400_000,
  /** How often processes tell each other what callers have spent. */
  rateShareMs: 200,
  /** Callers whose rate is remembered; those that sent nothing lately are forgotten first. */
  rateBucketsMax: 10_000,
  /** How long a request may take to arrive; then the connection is closed. */
  requestArrivalMs: 30 * second,
  headerBytesMax: 16 * KiB,
  /** How long a browser remembers that a page may call; then it asks again. */
  preflightKeptMs: 10 * minute,
  /** How often connections are checked for requests that take too long. */
  connectionCheckMs: 5 * second,
  /** The body of an API request other than events; more is refused with 413. */
  apiBodyBytesMax: 64 * KiB,
  /** Open connections, sockets of streams among them; one more is closed at once. */
  httpConnectionsMax: 30_000,
  /** Idle HTTP connections are kept longer than producers' pools keep theirs. */
  keepAliveMs: 120 * second,

  // Events from a Kafka topic (E4)
  /** Longest wait of a fetch for news; a partition that was left out of it comes again after that. */
  topicFetchWaitMs: 100,
  /** Fetched bytes of one partition that wait to be taken; above, it is left out of fetches. */
  topicBufferBytesMax: 1 * MiB,
  /** Messages that are taken together: one append, one commit. */
  topicTakeMax: 1000,
  /** What has been taken is committed to the group at most this often. */
  topicCommitEveryMs: 20,
  /** Wait before what failed (group, fetch, log, dead letters) is tried again. */
  topicRetryMs: second,
  /** A process that dies keeps its partitions for this long; then others get them. */
  topicSessionMs: 10 * second,
  /** How often it is measured how far the topic is ahead. */
  topicLagEveryMs: 5 * second,
  /** How long dead letters are kept, where `carillon migrate` makes their topic. */
  deadLettersKeptMs: 30 * day,
  /** How long a stop waits for messages at hand; what is not taken by then is read again by the next owner. */
  topicStopMs: 3 * second,

  // Authentication (S2)
  /** A token or key; a longer one is invalid. */
  tokenCharsMax: 8 * KiB,
  /** An id inside a token. */
  idCharsMax: 256,
  /** How far an issuer's clock and ours may differ. */
  tokenSkewMs: 60 * second,
  /** Verified tokens remembered; the oldest is forgotten and verified again. */
  provenTokensMax: 50_000,
  /** How long a verified token is remembered at most: so long a withdrawn key goes on working. */
  provenTokenMs: 5 * minute,
  /** A revoked session is remembered this long; a token must not last longer. */
  revocationKeptMs: 30 * day,
  devTokenMs: 12 * hour,
  /** An issuer's published keys: fresh for this long; then fetched again beside the work. */
  keySetFreshMs: 10 * minute,
  /** Between two attempts to fetch them, whatever asks. */
  keySetRetryMs: 30 * second,
  keySetFetchMs: 5 * second,
  keySetBytesMax: 256 * KiB,

  // Log
  /** One commit: written and synced at once. */
  commitBytesMax: 256 * KiB,
  /** One segment file, preallocated; a full one is sealed and indexed. */
  segmentBytes: 128 * MiB,
  /** How long the log is kept, from intake; sealed segments wholly older and wholly applied are deleted. */
  logKeptMs: 7 * day,
  /** Zeros written ahead of the log's end in one go, so that a sync need not journal the file's size. */
  logPreallocateBytes: 4 * MiB,
  /** Sealed log files open for reading at once; the one idle longest is closed. */
  logOpenFilesMax: 32,
  /** What a record is expected to take: sets the size of the filters over sealed segments, and nothing else. */
  recordBytesTypical: 480,
  /** Committed bytes kept in memory for a reader that keeps up; a slower one reads the files. */
  logTailBytesMax: 8 * MiB,

  // Log on Kafka (G2)
  /** One produce; what waits beyond goes in the next. Below the 1 MiB that a broker takes as one batch. */
  produceBytesMax: 768 * KiB,
  /** How long an append waits for the brokers; then it is refused with 503, and may turn up all the same. */
  produceWaitMs: 10 * second,
  /** What a caller waits that was refused because the log does not answer. */
  logRetrySeconds: 2,
  /** A fetch for one reader waits at the broker for what is known to be there; so often in vain, and it is given up for now. */
  emptyFetchesMax: 3,
  /** Read ahead of one lane of one shard; a reader that has so much is not fetched for. */
  readAheadBytesMax: 1 * MiB,
  /** One fetch, of one lane of one shard, and of all that have caught up; more comes in the next. */
  fetchBytesMax: 1 * MiB,
  fetchAllBytesMax: 8 * MiB,
  /** How long a fetch waits at the broker for something new. */
  fetchWaitMs: 100,
  /** Identities remembered of each shard owned, and of what the process appended; the oldest half goes first. Beyond, a repeat is applied again, without effect. */
  identityBytesMax: 8 * MiB,
  /** Records of a lane read again for their identities when a shard is opened. */
  identityTailRecords: 4096,
  /** Connecting to a broker, and an answer of one that takes longer, fail. */
  kafkaConnectMs: 5 * second,
  kafkaRequestMs: 10 * second,
  /** Between two tries after a failure, and how many a question to a partition's leader gets before it is refused. */
  kafkaRetryMs: 250,
  kafkaTriesMax: 12,
  /** A topic just made has leaders, known to all brokers, within this time; else `carillon migrate` fails and is run again. */
  kafkaTopicsReadyMs: 60 * second,
  /** How old what a client knows of brokers and leaders may be; an error makes it ask at once. */
  kafkaMetadataMs: 60 * second,
  /** A process that the group has not heard of for so long loses its shards. */
  ownershipSessionMs: 10 * second,
  /** Before that, by its own clock, it stops to write: for clocks that run apart and requests under way. */
  ownershipMarginMs: 2 * second,
  /** How often a process says that it is there, and hears that shards must move. */
  ownershipHeartbeatMs: second,
  /** How long the group waits for a member that must give up shards or join again; then it goes on without. */
  ownershipRebalanceMs: 30 * second,
  /** How often positions are told to the group, for those who watch its lag. */
  ownershipCommitMs: 2 * second,
  /** How long leaving may take; a process that cannot tell the group is missed after the session. */
  ownershipLeaveMs: 2 * second,

  // Shard executor
  /** One micro-batch of the executor. */
  microBatchBytesMax: 256 * KiB,
  /** People whose inbox heads are kept in memory; the one idle longest is evicted. */
  cachedPeopleMax: 50_000,
  /** Rows read for a person who is not in memory: the newest, enough for most people to be whole. */
  cachedHeadRows: 24,
  /** Newest rows of a person kept in memory; of older ones only where they are. */
  cachedRowsPerPerson: 24,
  /** Of rows known and not in memory, so many are remembered per person, and this far back at least. */
  cachedElsewhereMax: 256,
  cachedElsewhereMs: 3 * day,
  /** Rows in memory, over all people: bounds memory where people have many rows. */
  cachedRowsMax: 400_000,
  /** A row keeps its first members in itself, up to so many: most rows have one. */
  openingMembersMax: 2,
  /** Micro-batches between two looks at what may leave memory. */
  evictEveryBatches: 64,
  /** Groups whose members are kept in memory, by number of members over all groups. */
  cachedMembersMax: 1_000_000,

  /** Young generation of the store's thread: smaller costs time in collections, larger costs memory. */
  storeThreadYoungMb: 192,
  /** Room the disk must have, beyond the store's own log, before a store that could not be written is opened anew. */
  storeSpareBytes: 8 * MiB,
  /** Rows of one page of a query to Cassandra: more than a person has, so that one query is one page; more come in the next. */
  storePageRows: 10_000,
  /** What a caller waits that was refused because the inbox store does not answer. */
  storeRetrySeconds: 2,
  /** Wait before a failed write of the inbox store is tried again; intake is refused meanwhile once the backlog is full. */
  storeRetryMs: 250,
  /** Requests to the cluster's store under way at once, from one process; more wait in the process. */
  storeWritesInFlightMax: 256,
  storeReadsInFlightMax: 256,
  /** Answers and revocations are kept so much longer than asked for: clocks of processes and nodes differ. */
  storeExpirySpareMs: minute,
  /** What a node of the cluster's store has for an answer; then another is asked, or the request fails. */
  storeRequestMs: 12 * second,
  /** Between two attempts to reach a node of the cluster's store that went away: at first, and in the end. */
  storeReconnectMs: { first: 250, last: 5 * second },
  /** Of events that are applied, a move into a cluster takes along those of this time, so that repeats are still known. */
  moveRepeatsMs: day,
  /** How long a migration waits for all nodes of the cluster's store to know a new table; then it fails. */
  schemaAgreementSeconds: 30,

  // Processes of a cluster (G2)
  /** How long a start waits for Redis; then it says that it is not there. */
  connectWaitMs: 10 * second,
  /** Pause before a shard that failed is started again, by which its memory is dropped and its log read on from the store. */
  shardRestartMs: second,
  /** No write to the store lands later than this after it was begun: then its outcome can be read for good. */
  lateWriteMs: 15 * second,
  /** While hints do not arrive, marks in a shard's memory are at most this old. */
  marksRefreshMs: 5 * second,
  /** How often intake asks how far the shards are behind. */
  lagReadMs: second,

  /** How long erasing an inbox may take; then whoever asked is to ask again. How often it is looked, and asked of the owner. */
  eraseWaitMs: 10 * second,
  eraseLookMs: 100,
  eraseAgainMs: second,

  // PostgreSQL (G2)
  /** Longest wait for a connection; then the call has failed. */
  databaseConnectMs: 5 * second,
  /** One statement; then it has failed and its connection is closed. */
  databaseStatementMs: 10 * second,
  /** A connection that nobody needs is closed after this. */
  databaseIdleMs: 30 * second,

  // Who is told, and how often (D7, D9)
  /** Sent to one person on a channel, of one category that is neither direct nor critical; what exceeds collapses into a summary. */
  categoryCaps: { push: { hourMax: 240, dayMax: 1000 }, email: { hourMax: 20, dayMax: 60 } },
  /** Pushes for each device when quiet hours or a pause end; they cover everything that was held. */
  releasePushesMax: 3,

  // Timers
  /** Timers that a shard runs between two micro-batches; more wait for the next. */
  timersPerTurn: 500,
  /** A timer that could not be run is put off by this. */
  timerRetryMs: 30 * second,
  /** A shard looks for due timers at least this often while there are any: the wall clock may step. */
  timerLookMs: minute,
  /** Timers of the cluster's store that one query reads; more come in the next. */
  timerPageRows: 500,

  // Inbox (I1–I7, D4, D5)
  /** Rows of one person; the oldest are archived and trimmed in the background. */
  rowsPerPersonMax: 5000,
  /** Events of one person that left no row and are kept for whoever asks why; one more takes the place of another. */
  droppedKept: 32,
  /** How long a row is kept, from intake. */
  retentionMs: 90 * day,
  pageRowsDefault: 20,
  /** First pages kept as they were sent, until their person changes; the one unused longest goes. */
  pageCacheBytesMax: 192 * MiB,
  /** People of whom a page may be kept; beyond, the one kept longest is let go. */
  pageHoldersMax: 100_000,
  /** Counts stop here and say so. */
  countMax: 100,
  /** A list of changes never holds more; an older revision gets `resync`. */
  changesMax: 200,
  /** A group takes events until this long after its first. */
  groupSpanMs: day,
  /** An event of the same meaning within this time of the last that counted has no new effect. */
  sameMeaningMs: day,
  /** An account younger than this is a new one for rules about people. */
  newAccountMs: 30 * day,
  /** Rows with older activity are not looked at when what was held is let go. */
  heldBackMs: 31 * day,
  /** Distinct people are exact up to here, an estimate above. */
  exactPeopleMax: 10_000,
  /** A growing group moves to the top after this growth, or this time, and at most this often. */
  moveGrowthRatio: 0.05,
  moveAfterMs: 5 * minute,
  moveIntervalMs: 10 * second,
  /** Former places a row remembers, so that a reader who pages meanwhile still meets it. */
  formerPlacesMax: 6,
  /** Deltas of one group's members that a read merges; more are first joined into one. */
  memberDeltasMax: 64,
  /** Rows read beyond those asked for, in the cluster's store: mostly enough to know the order without a second read. */
  headSpareRows: 32,
  /** Rows in the cluster's store expire so long after their time, had retention not removed them before. */
  rowExpiryGraceMs: 14 * day,
  /** Rows read at a time where a page or a count goes beyond the newest. */
  readStepRows: 500,
  /** People whose counts are remembered between reads; the one remembered longest is dropped. */
  cachedCountsMax: 10_000,
  /** How often retention goes through everybody. */
  retentionEveryMs: hour,
  /** Rows retention archives and removes in one step; other work comes between steps. */
  retentionStepRows: 100,

  ...contentLimits,
  ...emailLimits,

  // Profiles (D2, D3, A2, A3)
  /** Mutes of one person; one more is refused until another goes. */
  mutesMax: 1000,
  /** A muted word, in UTF-16 units, as it is compared; a longer one is refused. */
  muteWordCharsMax: 64,
  /** Explicit choices of one person, as JSON; more is refused with 422, and a larger body with 413. */
  preferencesBytesMax: 16 * KiB,
  /** How far ahead a pause may end; who wants longer mutes everything. */
  pauseMsMax: 366 * day,
  /** Reads of preferences that others change at the same moment, for a write that takes any version; then 412. */
  preferenceTriesMax: 5,
  /** A change of a profile is known to every process after this; one that cannot know holds nothing for true (D3). */
  profileStaleMs: 5 * second,
  /** How often a process of a cluster asks who has changed. */
  profileWatchMs: second,
  /** How long is kept who has changed; a process that could not ask for half of that takes everybody for changed. */
  profileChangesKeptMs: 30 * second,
  /** Changed people told at once in a cluster; of more, everybody is taken for changed. */
  profileChangesMax: 10_000,
  /** Changes of one transaction in a cluster; more go in the next. */
  profileChangesPerStep: 100,
  /** Profiles kept in memory, each counted by its size (`profileWeight`); those unused longest go first. */
  cachedProfileWeightMax: 400_000,

  // Devices, and secrets at rest (V11, S4)
  /** Devices of one person; of more, the one not seen for the longest time goes. */
  devicesMax: 20,
  /** A device that no app was seen on for so long is removed; FCM drops tokens after that itself. */
  deviceIdleMs: { apns: 365 * day, fcm: 270 * day, webpush: 365 * day, expo: 270 * day },
  /** Devices removed, or encrypted anew, in one step; other changes come between steps. */
  devicesPerStep: 200,
  /** Texts that one data key encrypts; then another one is drawn. Far below what its nonces allow. */
  secretsPerDataKey: 1_000_000,
  /** Data keys remembered to open what was sealed by them; then all are forgotten, and opened again. */
  dataKeysKept: 1000,

  // Commands (O2)
  /** How long `carillon send` looks for what became of its event, and how often. */
  sentShownMs: 5 * second,
  sentLookMs: 100,

  // Hints between processes (G2, V30)
  /** A call to the bus, to presence or to what else Redis holds; after this it has failed. */
  busWaitMs: second,
  /** How often a subscription's connection is tried that may be dead without saying so. */
  busBeatMs: 5 * second,
  /** Between two attempts to reach the bus again. */
  busRetryMs: second,
  /** Where a gateway holds somebody is forgotten after this, unless it says so again; it does so after a third. */
  presenceKeptMs: 90 * second,
  /** Who has hidden the app still counts as looking for so long; a gateway that died is believed for no longer. */
  lookingKeptMs: 10 * second,
  /** How long a shard waits to be told who looks at the app; then nobody does. */
  lookingWaitMs: 50,
  /** People in one call to presence; more are asked for in several at once. */
  presencePeoplePerCall: 500,
  /** Inboxes that are read at the same time for streams that open or have missed something; more wait. */
  feedReadsAtOnce: 64,
  /** Of these, reads for open streams that have missed something; more wait, so that a loss is no storm of reads. */
  feedCatchupsPerSecond: 500,
  /** Frames kept for a stream while its inbox is read; above, it is read once more instead. */
  feedHeldFramesMax: 100,
  /** While the bus is away, every open stream looks into its inbox this often. */
  feedPollMs: 15 * second,
  /** Wait before an inbox that could not be read for a stream is read again. */
  feedRetryMs: second,
  /** While the bus is away, revoked sessions of other processes are looked for in the store this often: it reads them all. */
  revocationReloadMs: 10 * second,
  /** Revoked sessions that others could not be told of; above, the oldest is left to their look into the store. */
  revocationsUntoldMax: 10_000,

  ...audienceLimits,
  ...deliveryLimits,
  ...pushLimits,

  // Stream (V30–V33)
  heartbeatMs: 25 * second,
  /** A socket that must still authenticate is closed after this. */
  authFrameMs: 5 * second,
  /** Bytes waiting for one connection; above, it is cut with 4001: the inbox has everything. */
  connectionBufferBytesMax: 1 * MiB,
  /** A client's frame; larger ones close the connection. */
  clientFrameBytesMax: 16 * KiB,
  /** Items in one `changes` frame; more go in the next. */
  frameItemsMax: 100,
  /** Connections of one person; the oldest is closed. */
  connectionsPerPersonMax: 20,
  /** A stream ticket is good for this long, once. */
  ticketKeptMs: 30 * second,
  /** Tickets that wait to be used; above, the oldest is dropped and its holder must ask again. */
  ticketsMax: 100_000,
  /** Sockets whose client is not known yet; above, further ones are refused with 503. */
  unprovenConnectionsMax: 2000,
  /** How often all connections are looked over for heartbeats, expiry and revocation: well below the 2 s of V33. */
  sweepMs: second,
  /** A client that was told to go has this long; then its socket is destroyed. */
  closeGraceMs: 5 * second,
  /** On a drain each client is told to come back after this, and a random share of the spread on top (BC-43). */
  reconnectAfterMs: 5 * second,
  reconnectSpreadMs: 15 * second,
  pollWaitMsMax: 30 * second,
  /** Ready fails when events wait and none has been applied for this long (M4). */
  stalledAfterMs: 30 * second,
  /** How long ready fails after a full disk refused events; then new ones may try it again. */
  storageFullMs: 10 * second,
  /** Requests that are told to come again are logged so often for each code; all are counted. */
  refusalToldMs: 10 * second,
  /** How often it is looked whether a lane is refused, for the log. */
  laneWatchMs: second,
  /** Share of a stop in which streams are closed in waves. */
  drainMs: 4 * second,
  /** All of a graceful stop (M4). */
  stopMs: 10 * second,
} as const;
