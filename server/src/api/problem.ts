/** Every error answer is one RFC 9457 problem document with a stable code (A6). What we did not foresee says nothing. */
import { errorCodes } from '@carillon/contract/error-codes.ts';
import { CarillonError } from '../base/carillon-error.ts';

export interface ProblemAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export function problemAnswer(error: CarillonError, requestId: string): ProblemAnswer {
  const { status, title } = errorCodes[error.code];
  const document = {
    type: `urn:carillon:error:${error.code}`,
    title,
    status,
    code: error.code,
    detail: error.message,
    ...(error.fields.length > 0 ? { errors: error.fields } : {}),
    requestId,
  };
  const headers: Record<string, string> = {
    ...error.headers,
    'content-type': 'application/problem+json',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'x-request-id': requestId,
  };
  if (error.retryAfterSeconds !== undefined) headers['retry-after'] = String(Math.ceil(error.retryAfterSeconds));
  if (status === 401) headers['www-authenticate'] = 'Bearer';
  return { status, headers, body: JSON.stringify(document) };
}

/** What the HTTP library or the system threw, in our words. Anything unknown is ours to answer for: CARILLON_INTERNAL. */
export function toCarillonError(error: unknown): CarillonError {
  if (error instanceof CarillonError) return error;
  const { code, statusCode } = error as { code?: string; statusCode?: number };
  switch (code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return new CarillonError('CARILLON_REQUEST_TOO_LARGE', 'The body is larger than this operation takes.');
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return new CarillonError('CARILLON_REQUEST_MEDIA_TYPE', 'The Content-Type header cannot be used here.');
    case 'FST_ERR_BAD_URL':
    case 'FST_ERR_MAX_PARAM_LENGTH':
      return new CarillonError('CARILLON_REQUEST_MALFORMED', 'The URL cannot be read.');
    case 'ENOSPC':
    case 'EDQUOT':
      return new CarillonError('CARILLON_STORAGE_FULL', 'The disk is full: nothing was stored.', { cause: error });
  }
  // The library's other complaints about a request (lengths that differ, a body cut off) all mean the same to a caller.
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500) {
    return new CarillonError('CARILLON_REQUEST_MALFORMED', 'The request cannot be read.', { cause: error });
  }
  return new CarillonError('CARILLON_INTERNAL', 'The request failed unexpectedly.', { cause: error });
}
