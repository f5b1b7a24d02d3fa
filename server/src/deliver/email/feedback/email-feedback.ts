/**
 * What comes back of mails, made to count (V22): who is not there is suppressed, who complains hears only what is
 * critical, soft bounces are counted. A policy of a receiver is told to whoever can stop the stream, and no address
 * suffers for it. The same again changes nothing.
 */
import type { EmailProviderName } from '../../../base/config-email.ts';
import { isAddress } from '../../../base/mailbox.ts';
import { series, telemetry } from '../../../base/telemetry.ts';
import type { AddressChange, SuppressionStore } from '../../../profile/suppression-store.ts';
import type { FeedbackEvent } from './feedback-event.ts';

export type FeedbackSource = EmailProviderName | 'mail';

export interface EmailFeedbackParts {
  readonly suppressions: SuppressionStore;
  /** Receivers refuse what this provider sends for us. */
  readonly onBlocked: (source: FeedbackSource, code: string | null) => void;
}

export class EmailFeedback {
  readonly #parts: EmailFeedbackParts;

  constructor(parts: EmailFeedbackParts) {
    this.#parts = parts;
  }

  /** Resolves when it counts. */
  async take(source: FeedbackSource, events: readonly FeedbackEvent[]): Promise<void> {
    const { suppressions, onBlocked } = this.#parts;
    const changes = events.flatMap((event) => changeOf(source, event));
    if (changes.length > 0) {
      const outcomes = await suppressions.change(changes);
      for (const { suppression, hasNewReason } of outcomes) {
        const reason = suppression?.reason ?? null;
        if (hasNewReason && reason !== null) telemetry.add(series('carillon_suppressions_total', { reason }));
      }
    }
    for (const { kind, code } of events) {
      telemetry.add(series('carillon_email_feedback_total', { source, kind }));
      if (kind === 'blocked') onBlocked(source, code);
    }
  }
}

function changeOf(by: FeedbackSource, { kind, tenant, address, atMs, code }: FeedbackEvent): AddressChange[] {
  if ((kind !== 'hard' && kind !== 'soft' && kind !== 'complaint') || !isAddress(address)) return [];
  return [{ tenant, address, change: { kind, atMs, by, code } }];
}
