/**
 * Every metric of the service, in one list (M1): name, kind, meaning, and for each label the closed set of its values,
 * so that no request can ever make a new series. Counters of all series are there, at zero, from the start.
 */
import { type CloseReason, closeCodes } from '@carillon/contract/close-codes.ts';
import { type ErrorCode, errorCodes } from '@carillon/contract/error-codes.ts';
import { lanes } from '@carillon/contract/lanes.ts';
import { channels, reasons } from '@carillon/contract/reasons.ts';
import { suppressionReasonNames } from '@carillon/contract/suppressions.ts';
import { emailProviderNames } from './config-email.ts';

export interface Metric {
  readonly kind: 'counter' | 'gauge' | 'histogram';
  readonly help: string;
  readonly labels: Readonly<Record<string, readonly string[]>>;
  /** For histograms: upper bounds, increasing; one without bound is added. */
  readonly buckets: readonly number[];
}

/** Seconds, from a fraction of a millisecond to far beyond what is promised (N2: 2 s). */
const latencyBuckets = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 30];

type Labels = Readonly<Record<string, readonly string[]>>;

const none = {} as const;
const byLane = { lane: lanes } as const;

const counter = <const L extends Labels>(help: string, labels: L) =>
  ({ kind: 'counter', help, labels, buckets: [] }) as const;
const gauge = <const L extends Labels>(help: string, labels: L) =>
  ({ kind: 'gauge', help, labels, buckets: [] }) as const;
const seconds = <const L extends Labels>(help: string, labels: L) =>
  ({ kind: 'histogram', help, labels, buckets: latencyBuckets }) as const;

export const metricList = {
  carillon_events_accepted_total: counter('Events stored durably and acknowledged.', byLane),
  carillon_events_duplicate_total: counter('Events answered as duplicates, without effect.', byLane),
  carillon_events_rejected_total: counter(
    'Events refused, for what they are or because their lane was behind, in requests answered with results.',
    none,
  ),
  carillon_intake_refused_total: counter('Requests for intake refused as a whole.', {
    reason: ['overloaded', 'rateLimited', 'storageFull', 'logUnavailable', 'draining'],
  }),
  carillon_http_requests_total: counter('HTTP requests answered, by class of status.', {
    class: ['1xx', '2xx', '3xx', '4xx', '5xx'],
  }),
  carillon_http_request_seconds: seconds('Time from the request line to the end of the answer.', none),

  carillon_topic_messages_total: counter(
    'Messages of the events topic that were settled: `taken` by intake, `empty` ones have no event in them.',
    { result: ['taken', 'empty'] },
  ),
  carillon_topic_dead_total: counter('Messages of the events topic put into the dead-letter topic, by reason.', {
    code: Object.keys(errorCodes) as ErrorCode[],
  }),
  carillon_topic_waits_total: counter('Times a partition of the events topic had to wait before it could go on.', {
    reason: ['overloaded', 'rateLimited', 'storageFull', 'logFailed', 'deadLettersFailed'],
  }),
  carillon_topic_skipped_total: counter(
    'Messages of the events topic that Kafka had deleted before they could be taken.',
    none,
  ),
  carillon_topic_lag_messages: gauge('Messages of the events topic, in partitions read here, that wait.', none),
  carillon_topic_oldest_seconds: gauge('Age of the oldest message of the events topic that was read and waits.', none),

  carillon_log_bytes_total: counter('Bytes written to the log.', none),
  carillon_log_syncs_total: counter('Syncs of the log: one per group commit.', none),
  carillon_log_sync_seconds: seconds('Time of one write and sync of the log.', none),
  carillon_log_append_seconds: seconds('Time from handing a batch to the log until it is durable.', none),

  carillon_lag_bytes: gauge('Bytes that are durable and not yet applied.', byLane),
  carillon_lag_oldest_seconds: gauge('Age of the oldest event that is durable and not yet applied.', byLane),

  carillon_shards_owned: gauge('Shards this process works at, in a cluster.', none),
  carillon_decisions_total: counter('Decisions of the shards, by reason code.', { reason: reasons }),
  carillon_apply_seconds: seconds('Time to decide and write one micro-batch.', none),
  carillon_inbox_rows_total: counter('Rows written to inboxes.', none),
  carillon_timers_failed_total: counter('Timers whose work could not be done and was passed over.', none),
  carillon_unknown_zones_total: counter(
    'Profiles with quiet hours that were read with a time zone not known here: UTC was taken.',
    none,
  ),
  carillon_records_unusable_total: counter('Records of the log that could not be used and were passed over.', none),
  carillon_inbox_write_errors_total: counter('Writes to the inbox store that failed.', none),
  carillon_inbox_trimmed_total: counter('Rows deleted by retention and trimming.', none),
  carillon_cache_reads_total: counter("People of micro-batches: in the shard's memory, or read from the store.", {
    cache: ['people', 'profiles'],
    result: ['hit', 'miss'],
  }),

  carillon_audience_changes_total: counter('Changes of memberships that were taken: by events, or by the API.', {
    by: ['event', 'api'],
  }),
  carillon_fanouts_waiting: gauge('Fan-outs to audiences that are not done.', none),
  carillon_fanouts_done_total: counter('Fan-outs to audiences that are done.', none),
  carillon_fanout_chunks_total: counter('Chunks of audiences read and written to the log.', none),
  carillon_fanout_recipients_total: counter('People of audiences written to the log.', none),
  carillon_fanout_failures_total: counter('Steps of fan-outs that failed and are tried again.', none),
  carillon_announcement_failures_total: counter(
    'Steps of operators’ broadcasts that failed and are tried again.',
    none,
  ),
  carillon_broadcasts_total: counter('Events kept once for a large audience.', none),
  carillon_broadcast_merges_total: counter('Broadcasts brought into the inboxes of people who opened them.', none),
  carillon_profiles_doubted_total: counter(
    'Times that every profile in memory had to be read again, because the database did not say who had changed.',
    none,
  ),

  carillon_delivery_seconds: seconds(
    "Time from intake of the newest event in a stream's frame until the frame leaves for the sockets' thread.",
    none,
  ),
  carillon_deliveries_total: counter('Deliveries by push and email that have ended, by how.', {
    channel: ['push', 'email'],
    state: ['accepted', 'failed', 'suppressed', 'expired', 'unknown'],
  }),
  carillon_deliveries_put_off_total: counter(
    'Times a delivery was put off: to be tried again, or because its provider or the person is not to be disturbed.',
    { channel: ['push', 'email'] },
  ),
  carillon_deliveries_over_quota_total: counter(
    'Deliveries that had to wait because their provider allows no more at that time, for a project or a device.',
    { channel: ['push', 'email'] },
  ),
  carillon_delivery_attempts_total: counter('Calls to providers, by what came of them.', {
    provider: ['apns', 'fcm', 'webpush', 'expo', 'smtp', 'ses', 'sendgrid', 'mailgun'],
    outcome: ['accepted', 'retry', 'throttled', 'gone', 'refused', 'blocked', 'unknown'],
  }),
  carillon_delivery_call_seconds: seconds('Time of one call to a provider.', {
    provider: ['apns', 'fcm', 'webpush', 'expo', 'smtp', 'ses', 'sendgrid', 'mailgun'],
  }),
  carillon_delivery_accepted_seconds: seconds(
    'Time from when something was decided to be sent until its provider had it.',
    { channel: ['push', 'email'] },
  ),
  carillon_delivery_failures_total: counter(
    'Deliveries that could not be made into a message, and steps of deliveries that failed and are tried again.',
    { channel: ['push', 'email'], kind: ['retried', 'unplannable'] },
  ),
  carillon_delivery_circuits: gauge(
    'Sets of credentials at a provider, by whether it is called with them just now: closed means that it is.',
    {
      provider: ['apns', 'fcm', 'webpush', 'expo', 'smtp', 'ses', 'sendgrid', 'mailgun'],
      state: ['closed', 'open', 'probing'],
    },
  ),
  carillon_delivery_lag_bytes: gauge('Bytes handed over to a channel and not yet taken up by its workers.', {
    channel: ['push', 'email'],
    lane: lanes,
  }),
  carillon_stream_connections: gauge('Open streams.', { transport: ['websocket', 'sse', 'poll'] }),
  carillon_stream_frames_total: counter('Frames written to streams.', {
    kind: ['hello', 'changes', 'marks', 'resync', 'ping', 'bye'],
  }),
  carillon_feed_reads_total: counter('Inboxes read for streams of a cluster: at their start, or after a loss.', {
    cause: ['opened', 'behind'],
  }),
  carillon_hints_lost_total: counter(
    'Changes of people that could not be told to gateways, which then look for themselves.',
    none,
  ),
  carillon_stream_closes_total: counter('Streams closed by us, by reason.', {
    reason: Object.keys(closeCodes) as CloseReason[],
  }),

  carillon_email_feedback_total: counter('What came back of mails, by webhook or as mail.', {
    source: [...emailProviderNames, 'mail'],
    kind: ['hard', 'soft', 'complaint', 'blocked', 'delivered', 'ignored'],
  }),
  carillon_email_feedback_refused_total: counter('Calls of webhooks that could not be believed.', {
    source: [...emailProviderNames, 'mail'],
  }),
  carillon_suppressions_total: counter('Email addresses suppressed by what came back, by reason.', {
    reason: suppressionReasonNames,
  }),

  carillon_catalogue_loads_total: counter("Times the app's catalogue files were read anew because they had changed.", {
    result: ['taken', 'refused'],
  }),
  carillon_render_fallbacks_total: counter(
    'Texts replaced by generic ones: `noWords` for a type that has none, `failed` where they could not be made.',
    { channel: channels, cause: ['noWords', 'failed'] },
  ),

  carillon_loop_delay_seconds: gauge('Delay of the event loop since the last reading.', {
    thread: ['main', 'worker'],
    quantile: ['0.5', '0.99', '1'],
  }),
} as const;

export type MetricName = keyof typeof metricList;

/** The labels a metric needs, each with one of its values. */
export type LabelsOf<Name extends MetricName> = {
  readonly [Label in keyof (typeof metricList)[Name]['labels']]: (typeof metricList)[Name]['labels'][Label] extends readonly (infer Value)[]
    ? Value
    : never;
};
