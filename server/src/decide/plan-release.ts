/**
 * What to push when quiet hours or a pause end (D7): a few pushes for each device cover everything that was held and is
 * still unread, instead of the whole backlog at once [BC-26].
 *
 * Rows that have been read, removed, or are not to be told any more are left out by the caller's `isStillNews`. What a cap
 * has held goes as one summary (D9). Up to `pushesMax` go each by itself. More are put together by category; and where
 * there are more categories than that, the last push takes all that is left. What matters more comes first: lanes in their order, then the newest.
 * The same rows always make the same plan, so that a release cut off by a crash makes the same pushes when it is repeated.
 */
import { type Lane, lanes } from '@carillon/contract/lanes.ts';
import { limits } from '../base/limits.ts';

export interface HeldRow {
  readonly id: string;
  readonly category: string;
  readonly lane: Lane;
  readonly activityAtMs: number;
  /** As the last check says: unread, not removed, not muted or expired meanwhile. */
  readonly isStillNews: boolean;
  /** A cap has held it: such rows of one category go as one. */
  readonly isSummed: boolean;
}

/** One push: of a row by itself, or of several together. Never empty. */
export interface PlannedPush {
  readonly rows: readonly HeldRow[];
}

export function planRelease(held: readonly HeldRow[], pushesMax: number = limits.releasePushesMax): PlannedPush[] {
  const rows = held.filter(({ isStillNews }) => isStillNews).sort(byWeight);
  const units = [...Map.groupBy(rows, (row) => (row.isSummed ? row.category : row)).values()];
  if (units.length <= pushesMax) return units.map((unit) => ({ rows: unit }));
  // In the order of each category's first row.
  const bundles = [...Map.groupBy(rows, ({ category }) => category).values()];
  if (bundles.length <= pushesMax) return bundles.map((bundle) => ({ rows: bundle }));
  const alone = bundles.slice(0, pushesMax - 1).map((bundle) => ({ rows: bundle }));
  return [...alone, { rows: bundles.slice(pushesMax - 1).flat() }];
}

function byWeight(a: HeldRow, b: HeldRow): number {
  const byLane = lanes.indexOf(a.lane) - lanes.indexOf(b.lane);
  if (byLane !== 0) return byLane;
  return b.activityAtMs - a.activityAtMs || (a.id < b.id ? -1 : Number(a.id > b.id));
}
