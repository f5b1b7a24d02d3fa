/** Turns an error of the file system into the one callers know. */
import { CarillonError } from '../../base/carillon-error.ts';

const fullCodes = new Set(['ENOSPC', 'EDQUOT']);

export function storageError(error: unknown): CarillonError {
  if (error instanceof CarillonError) return error;
  const { code, message } = error as NodeJS.ErrnoException;
  if (code !== undefined && fullCodes.has(code)) {
    return new CarillonError(
      'CARILLON_STORAGE_FULL',
      'The disk of the event log is full: the events were not stored.',
      {
        cause: error,
      },
    );
  }
  return new CarillonError('CARILLON_INTERNAL', `The event log could not use its files: ${code ?? message}.`, {
    cause: error,
  });
}

export function damaged(segment: string, position: number): CarillonError {
  return new CarillonError(
    'CARILLON_INTERNAL',
    `The event log is damaged in ${segment} at position ${position}: records that were stored there cannot be read. ` +
      'Nothing is skipped; restore the file, or move the reader on by hand.',
  );
}

export function positionGone(position: number, oldest: number): CarillonError {
  return new CarillonError(
    'CARILLON_INTERNAL',
    `Position ${position} of the event log is no longer kept: records behind it were dropped; the oldest is ${oldest}.`,
  );
}

export function positionUnknown(position: number, why: string): CarillonError {
  return new CarillonError('CARILLON_INTERNAL', `Position ${position} of the event log is not valid: ${why}.`);
}
