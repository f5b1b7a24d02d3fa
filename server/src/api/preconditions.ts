/** Conditions on the version of what a request writes (A5, RFC 9110 §13): strong comparison only. */
import type { IncomingHttpHeaders } from 'node:http';
import { CarillonError } from '../base/carillon-error.ts';
import type { Revision } from '../base/ids.ts';

export interface Precondition {
  isMet(version: Revision): boolean;
  /** Met by whatever there is. */
  readonly isAny: boolean;
}

const entityTag = /^(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"$/;

export function etagOf(version: Revision): string {
  return `"${version}"`;
}

/**
 * `If-Match`, or `If-None-Match: *` for what was never written. Throws CARILLON_PRECONDITION_REQUIRED where neither is
 * given, CARILLON_REQUEST_INVALID where one cannot be read.
 */
export function preconditionOf(headers: IncomingHttpHeaders): Precondition {
  const { 'if-match': match, 'if-none-match': noneMatch } = headers;
  if (match === undefined && noneMatch === undefined) {
    const detail = 'If-Match is needed: the ETag of the version that the change is for.';
    throw new CarillonError('CARILLON_PRECONDITION_REQUIRED', detail);
  }
  if (noneMatch !== undefined && noneMatch.trim() !== '*') throw unreadable('if-none-match', 'Only * is taken here.');
  const isNew = (version: Revision): boolean => noneMatch === undefined || version === 0;
  if (match === undefined) return { isAny: false, isMet: isNew };
  if (match.trim() === '*') return { isAny: noneMatch === undefined, isMet: isNew };
  const tags = match.split(',').map((tag) => tag.trim());
  if (!tags.every((tag) => entityTag.test(tag)))
    throw unreadable('if-match', 'Must be one or more quoted ETags, or *.');
  return { isAny: false, isMet: (version) => tags.includes(etagOf(version)) && isNew(version) };
}

export function preconditionFailed(version: Revision): CarillonError {
  return new CarillonError('CARILLON_PRECONDITION_FAILED', 'It has changed since it was read.', {
    headers: { etag: etagOf(version) },
  });
}

function unreadable(header: string, detail: string): CarillonError {
  return new CarillonError('CARILLON_REQUEST_INVALID', `${header}: ${detail}`, {
    fields: [{ path: `header/${header}`, detail }],
  });
}
