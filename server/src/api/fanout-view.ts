/** A fan-out as the API shows it. */
import type { FanoutView } from '@carillon/contract/subscriptions.ts';
import type { FanoutSummary } from '../audience/fanout-store.ts';
import { splitAudienceKey } from '../base/ids.ts';
import { isoTime } from '../base/iso-time.ts';

export function fanoutView(summary: FanoutSummary): FanoutView {
  const { id, audience, source, event, acceptedMs, chunks, recipients, kept, doneMs } = summary;
  return {
    id,
    audience: splitAudienceKey(audience).audience,
    source,
    event,
    acceptedAt: isoTime(acceptedMs),
    chunks,
    recipients,
    kept,
    doneAt: doneMs === null ? null : isoTime(doneMs),
  };
}
