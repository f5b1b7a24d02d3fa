/** Which rows wait to be told by a channel: it is the row itself that says so. */
import type { Channel } from '@carillon/contract/reasons.ts';
import type { Item } from '../inbox/item.ts';

/** Held by this channel until a time that has come. What a window gathers has a timer of its own. */
export function isHeld({ decisions }: Item, channel: Channel, nowMs: number): boolean {
  return decisions.some(
    ({ channel: by, kind, reason, until }) =>
      by === channel && kind === 'hold' && reason !== 'window' && until !== undefined && Date.parse(until) <= nowMs,
  );
}
