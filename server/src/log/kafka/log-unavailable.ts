/** What an error of Kafka means for us: whether trying again at another broker, or later, can help; and how it is told. */
import { CarillonError } from '../../base/carillon-error.ts';
import { limits } from '../../base/limits.ts';

export const offsetOutOfRange = 1;

/** Of one partition in a fetch: its leader moved, or is not ready; what is known of leaders must be learnt again. */
const passing: ReadonlySet<number> = new Set([2, 3, 5, 6, 7, 8, 9, 13, 56, 74, 75, 78, 100]);

export function isPassing(errorCode: number): boolean {
  return passing.has(errorCode);
}

export function logUnavailable(what: string, cause?: unknown): CarillonError {
  return new CarillonError('CARILLON_LOG_UNAVAILABLE', what, {
    retryAfterSeconds: limits.logRetrySeconds,
    ...(cause === undefined ? {} : { cause }),
  });
}

export function positionRefused(position: number, why: string): CarillonError {
  return new CarillonError('CARILLON_INTERNAL', `Position ${position} of the event log ${why}.`);
}
