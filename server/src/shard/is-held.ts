/** Which rows wait to be told by a channel: it is the row itself that says so. */
import type { Reason } from '@carillon/contract/reasons.ts';
import type { Item } from '../inbox/item.ts';

export interface HeldBy {
  readonly channel: 'push' | 'email';
  /** What a window gathers, or waits to be seen, has timers of its own. */
  readonly by: 'release' | 'digest';
  /** Until a time that has come by then. */
  readonly nowMs: number;
}

export function isHeld({ decisions }: Item, { channel, by, nowMs }: HeldBy): boolean {
  return decisions.some(
    ({ channel: holder, kind, reason, until }) =>
      holder === channel &&
      kind === 'hold' &&
      reasonsOf[by].includes(reason) &&
      until !== undefined &&
      Date.parse(until) <= nowMs,
  );
}

const reasonsOf: Record<HeldBy['by'], readonly Reason[]> = {
  release: ['paused', 'quietHours', 'cap'],
  digest: ['digest'],
};
