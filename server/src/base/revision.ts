/**
 * Revisions of one person's inbox: increasing across owners, restarts and clock steps, below 2^53 until the year 2089,
 * so that a later owner's writes always win (I5).
 */
import type { Revision } from '../base/ids.ts';

const epochMs = Date.UTC(2020, 0, 1);

export function nextRevision(previous: Revision, nowMs: number): Revision {
  return Math.max(previous + 1, (nowMs - epochMs) * 4096);
}

/** The least revision that could have been given at this time: turns a time into a mark. */
export function revisionAt(timeMs: number): Revision {
  return Math.max(0, (timeMs - epochMs) * 4096);
}
