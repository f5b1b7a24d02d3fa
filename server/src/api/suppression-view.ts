/** A suppression as operators see it. */
import type { Suppression as SuppressionView } from '@carillon/contract/suppressions.ts';
import { isoTime } from '../base/iso-time.ts';
import type { Suppression } from '../profile/suppression.ts';

export function suppressionView({ address, reason, sinceMs, by, code, softDays }: Suppression): SuppressionView {
  return { address, reason, since: sinceMs === null ? null : isoTime(sinceMs), by, code, softBounces: softDays.length };
}
