/** Whether a signed time is near enough to ours: what was signed long ago may be a repetition by somebody else (S5). */
import { limits } from '../../../base/limits.ts';

export function isFresh(signedMs: number, nowMs: number): boolean {
  return signedMs >= nowMs - limits.webhookAgeMs && signedMs <= nowMs + limits.webhookAheadMs;
}
