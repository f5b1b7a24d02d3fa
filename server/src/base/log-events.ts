/**
 * Every line the service can log: its level and words, in one list (M3). `error`: somebody must act. `warn`: something
 * was refused, cut or repaired, and the service goes on. `info`: the life of the process. `debug`: for developers.
 */
export const logEvents = {
  starting: ['info', 'Starting'],
  listening: ['info', 'Listening'],
  zoneDataOld: ['warn', 'The rules of time zones of this Node are old: quiet hours and digests may be an hour off'],
  developmentMode: ['warn', 'DEVELOPMENT MODE: anyone on this machine can get a token for anyone. Not for production.'],
  stopping: ['info', 'Stopping'],
  stopped: ['info', 'Stopped'],
  stopTooSlow: ['error', 'A part did not stop in time and was left behind'],
  startFailed: ['error', 'Could not start'],
  crashed: ['error', 'A fault in the program ends the process'],

  requestFailed: ['error', 'A request failed for a reason of ours'],
  requestAnswered: ['debug', 'A request was answered'],

  logRecovered: ['info', 'The log was read after a stop'],
  logTailCut: ['warn', 'The unfinished last record of the log was dropped; it had not been acknowledged'],
  logDamaged: ['error', 'The log is damaged'],
  logTrimmed: ['info', 'Old parts of the log were deleted'],
  logMoved: [
    'error',
    'Records that no shard had read are gone from the log; the shard goes on behind them, as configured',
  ],
  logWriteFailed: ['error', 'The log could not be written'],
  storageFull: ['error', 'The disk is full: nothing is accepted until there is space'],

  topicJoined: ['info', 'Partitions of the events topic are read here'],
  topicFailed: ['warn', 'The events topic cannot be read or written; it is tried again'],
  topicWaits: ['warn', 'A partition of the events topic waits until its events can be taken'],
  topicSkipped: ['error', 'Kafka deleted messages of the events topic before they could be taken'],
  eventsBuried: ['warn', 'Messages that cannot be taken were put into the dead-letter topic'],

  shardReplaying: ['info', 'Events that were not yet applied are applied now'],
  shardCaughtUp: ['info', 'All events of the log are applied'],
  shardFailed: ['error', 'A shard stopped: its events wait in the log'],
  recordUnusable: ['error', 'A record of the log could not be used; it was passed over and counted'],
  inboxWriteFailed: ['error', 'Inboxes could not be written; it is tried again'],
  channelFailed: ['error', 'Nothing can be handed to a channel; it is tried again'],
  deliveryWaits: ['warn', 'Deliveries cannot go on: a store, or the facts they need, are not there; it is tried again'],
  deliveryUnplannable: ['error', 'A delivery could not be made into a message; it has failed'],
  deliveryTrimFailed: ['error', 'Old deliveries could not be deleted; it is tried again later'],
  timerFailed: ['error', 'What a timer was set for could not be done; it was passed over and counted'],
  inboxTrimFailed: ['error', 'Old rows could not be deleted; it is tried again later'],
  logTrimFailed: ['error', 'Old parts of the log could not be deleted; it is tried again later'],
  inboxTrimmed: ['info', 'Old rows were deleted'],
  laneRefused: ['warn', 'A lane is behind: intake refuses it for now'],

  fanoutFailed: ['warn', 'A fan-out to an audience cannot go on; it is tried again'],
  announcementFailed: ['warn', 'An operator’s broadcast cannot go on; it is tried again'],
  broadcastFailed: ['warn', 'A broadcast could not be brought into an inbox; it is when that is opened again'],
  audiencesPruneFailed: [
    'error',
    'Old departures from audiences, fan-outs or broadcasts could not be deleted; it is tried again later',
  ],

  devicesPruned: ['info', 'Devices that nobody was seen on for long were removed'],
  devicesPruneFailed: ['error', 'Idle devices could not be removed; it is tried again later'],
  sessionDevicesFailed: ['error', 'Devices of a session that ended could not be removed in this process'],

  emailBlocked: ['error', 'Receivers refuse our mail by policy: see docs/EMAIL.md'],

  catalogueTaken: ['info', 'The catalogue files have changed and are in use'],
  catalogueRefused: ['error', 'The catalogue files have changed and are not right; what was in use stays'],
  catalogueMistake: ['error', 'A mistake in a catalogue file; `carillon check` says what it is'],

  streamCut: ['debug', 'A stream was closed by us'],
  keysUnavailable: ['warn', "An issuer's keys could not be fetched"],
} as const satisfies Record<string, readonly ['debug' | 'info' | 'warn' | 'error', string]>;

export type LogEvent = keyof typeof logEvents;
