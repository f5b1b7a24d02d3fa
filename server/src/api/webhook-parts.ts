/** What the webhooks of mail providers share: they are open to anybody, and believe only what is proven (V22, S5). */
import { CarillonError } from '../base/carillon-error.ts';
import type { Clock } from '../base/clock.ts';
import { limits } from '../base/limits.ts';
import { readJson } from '../base/read-json.ts';
import { series, telemetry } from '../base/telemetry.ts';
import type { EmailFeedback, FeedbackSource } from '../deliver/email/feedback/email-feedback.ts';

export interface WebhookParts {
  readonly feedback: EmailFeedback;
  readonly clock: Clock;
}

export const webhookBody = { contentTypes: [], bytesMax: limits.webhookBytesMax } as const;

export function webhookJson(body: Buffer): unknown {
  return readJson(body, limits.jsonDepthMax, 'CARILLON_REQUEST_INVALID');
}

/** Says nothing of why. */
export function unverified(source: FeedbackSource): CarillonError {
  telemetry.add(series('carillon_email_feedback_refused_total', { source }));
  return new CarillonError('CARILLON_WEBHOOK_UNVERIFIED', 'The call cannot be shown to come from the provider.');
}
