/**
 * When a growing row moves to the top (D5): after it has grown noticeably or enough time has passed, but not on every
 * event, so that a busy row neither jumps about nor leaves a trail of old places behind. Time is event time.
 */
import { limits } from '../base/limits.ts';
import type { Item } from '../inbox/item.ts';

/** `people`: distinct people in the row now that the event at `timeMs` is counted. */
export function movesUp(item: Item, timeMs: number, people: number): boolean {
  const sinceMoveMs = timeMs - item.activityAtMs;
  if (sinceMoveMs < limits.moveIntervalMs) return false;
  return sinceMoveMs >= limits.moveAfterMs || people >= item.actorCountAtMove * (1 + limits.moveGrowthRatio);
}
