/**
 * Every error an API answer can carry: code, HTTP status, title, and what to do next (A6).
 * `docs/ERRORS.md` is checked against this list.
 */
export const errorCodes = {
  CARILLON_EVENT_INVALID: {
    status: 400,
    title: 'The event does not fit its schema',
    next: 'Correct the field that `errors[].path` names, then send the event again.',
  },
  CARILLON_EVENT_TYPE_UNKNOWN: {
    status: 400,
    title: 'No such event type',
    next: 'Use a type of the catalogue, or add yours to it.',
  },
  CARILLON_EVENT_SOURCE_FOREIGN: {
    status: 403,
    title: 'This producer may not write as that source',
    next: 'Set `source` to one the key is scoped to.',
  },
  CARILLON_EVENT_TIME_AHEAD: {
    status: 400,
    title: 'The event lies too far in the future',
    next: 'Check the clock of the producer; events may be at most 5 minutes ahead.',
  },
  CARILLON_EVENT_MENTIONS_TOO_MANY: {
    status: 422,
    title: 'The event mentions too many people',
    next: 'Mention at most 50 people in one event.',
  },
  CARILLON_AUDIENCE_UNKNOWN: {
    status: 400,
    title: 'No such audience',
    next: 'Subscribe members to the audience first, or address users by id.',
  },
  CARILLON_BROADCAST_UNKNOWN: {
    status: 404,
    title: 'No such broadcast',
    next: 'List the broadcasts and use an id from there.',
  },
  CARILLON_BROADCAST_STATE: {
    status: 409,
    title: 'The broadcast is not in a state for this',
    next: 'Look at its `status` and `history`: somebody else may have acted meanwhile.',
  },
  CARILLON_BROADCAST_OWN: {
    status: 403,
    title: 'Whoever wrote a broadcast may not approve it',
    next: 'Ask another operator to approve it, or set `broadcasts.selfApproval`.',
  },
  CARILLON_REQUEST_INVALID: {
    status: 400,
    title: 'The request does not fit its schema',
    next: 'Correct the part that `errors[].path` names.',
  },
  CARILLON_REQUEST_MALFORMED: {
    status: 400,
    title: 'The body cannot be read',
    next: 'Send well-formed UTF-8 JSON of the announced content type.',
  },
  CARILLON_REQUEST_TOO_LARGE: {
    status: 413,
    title: 'The body is too large',
    next: 'Split the batch: 4 MiB and 1,000 events at most, 64 KiB an event.',
  },
  CARILLON_REQUEST_MEDIA_TYPE: {
    status: 415,
    title: 'The content type is not supported',
    next: 'Use one of the content types the operation documents.',
  },
  CARILLON_REQUEST_TIMEOUT: {
    status: 408,
    title: 'The request took too long to arrive',
    next: 'Send it again on a new connection.',
  },
  CARILLON_ROUTE_UNKNOWN: { status: 404, title: 'No such resource', next: 'See /v1/openapi.json for what there is.' },
  CARILLON_METHOD_NOT_ALLOWED: {
    status: 405,
    title: 'The resource does not take this method',
    next: 'Use a method that the `Allow` header names.',
  },
  CARILLON_NOTIFICATION_UNKNOWN: {
    status: 404,
    title: 'No such notification',
    next: 'It may have been removed or expired: load the inbox again.',
  },
  CARILLON_PREFERENCES_INVALID: {
    status: 422,
    title: 'The preferences cannot be stored',
    next: 'Correct what `errors[].path` names in the document that the request leads to.',
  },
  CARILLON_PRECONDITION_REQUIRED: {
    status: 428,
    title: 'The write does not say which version it is for',
    next: 'Read the resource, then send its `ETag` as `If-Match`.',
  },
  CARILLON_PRECONDITION_FAILED: {
    status: 412,
    title: 'The resource is of another version',
    next: 'Read it again, apply the change to what is there now, and send that with the new `ETag`.',
  },
  CARILLON_MUTE_INVALID: {
    status: 422,
    title: 'This cannot be muted like that',
    next: 'Correct what `errors[].path` names.',
  },
  CARILLON_MUTES_TOO_MANY: {
    status: 422,
    title: 'The person has too many mutes',
    next: 'Remove a mute first.',
  },
  CARILLON_PERSON_INVALID: {
    status: 422,
    title: 'What is said of the person cannot be stored',
    next: 'Correct the field that `errors[].path` names, then send all of it again.',
  },
  CARILLON_DEVICE_INVALID: {
    status: 422,
    title: 'This cannot be registered as a device',
    next: 'Correct what `errors[].path` names; each provider has a form of its own (docs/DEVICES.md).',
  },
  CARILLON_WEBHOOK_UNVERIFIED: {
    status: 403,
    title: 'The webhook cannot be believed',
    next: 'Check its signing key or topic in the configuration, and the clock; repetitions of old calls are refused.',
  },
  CARILLON_SUPPRESSION_UNKNOWN: {
    status: 404,
    title: 'Nothing is held against this address',
    next: 'Check the address.',
  },
  CARILLON_SCHEMA_UNKNOWN: {
    status: 404,
    title: 'No such event schema',
    next: 'Use a type of the catalogue, with a version it has: `post.liked` or `post.liked@1`.',
  },
  CARILLON_CURSOR_INVALID: { status: 400, title: 'The cursor is not valid', next: 'Start again from the first page.' },
  CARILLON_AUTH_REQUIRED: {
    status: 401,
    title: 'Authentication is needed',
    next: 'Send `Authorization: Bearer …` with a valid token or key.',
  },
  CARILLON_AUTH_INVALID: {
    status: 401,
    title: 'The token or key is not valid',
    next: 'Get a new token; check issuer, audience, algorithm and expiry.',
  },
  CARILLON_AUTH_FORBIDDEN: {
    status: 403,
    title: 'This caller may not do that',
    next: 'Use a token of the right kind and scope.',
  },
  CARILLON_IDEMPOTENCY_REUSED: {
    status: 422,
    title: 'The idempotency key was used with another body',
    next: 'Use a fresh key for another request.',
  },
  CARILLON_IDEMPOTENCY_RUNNING: {
    status: 409,
    title: 'A request with this idempotency key is still running',
    next: 'Wait for `Retry-After`, then repeat the same request.',
  },
  CARILLON_RATE_LIMITED: { status: 429, title: 'Too many requests', next: 'Wait for `Retry-After`.' },
  CARILLON_OVERLOADED: {
    status: 503,
    title: 'The service is behind and takes no more for now',
    next: 'Wait for `Retry-After`; the same ids may be sent again safely.',
  },
  CARILLON_STORAGE_FULL: {
    status: 507,
    title: 'The disk is full: nothing was stored',
    next: 'An operator must free space; then send the same events again.',
  },
  CARILLON_LOG_UNAVAILABLE: {
    status: 503,
    title: 'The event log does not answer',
    next: 'Wait for `Retry-After`, then send the same ids again: what was stored all the same has no second effect.',
  },
  CARILLON_STORE_UNAVAILABLE: {
    status: 503,
    title: 'A store that is needed does not answer',
    next: 'Repeat the request after `Retry-After`.',
  },
  CARILLON_DRAINING: {
    status: 503,
    title: 'The service is stopping',
    next: 'Repeat the request after `Retry-After`, on a new connection.',
  },
  CARILLON_CATALOGUE_INVALID: {
    status: 422,
    title: 'The type catalogue is not valid',
    next: 'Correct what each line names by file and line; until then the catalogue before it stays in use.',
  },
  CARILLON_INTERNAL: {
    status: 500,
    title: 'Something went wrong on our side',
    next: 'Repeat the request; report `requestId` if it stays.',
  },
} as const satisfies Record<string, { status: number; title: string; next: string }>;

export type ErrorCode = keyof typeof errorCodes;
