/**
 * `POST /v1/webhooks/mailgun`: an event of Mailgun (V22). Its signature does not cover the event, so each token counts
 * once, also over several processes: whoever repeats one is answered, and nothing happens.
 */
import { limits } from '../base/limits.ts';
import { objectOf } from '../deliver/email/feedback/feedback-event.ts';
import { mailgunEvents } from '../deliver/email/feedback/mailgun-events.ts';
import { mailgunToken } from '../deliver/email/feedback/mailgun-token.ts';
import type { IdempotencyStore } from '../intake/idempotency-store.ts';
import { defineOperation, type Operation } from './operation.ts';
import { unverified, type WebhookParts, webhookBody, webhookJson } from './webhook-parts.ts';

export interface MailgunWebhookParts extends WebhookParts {
  readonly signingKey: string;
  /** Remembers tokens. */
  readonly seen: IdempotencyStore;
}

export function mailgunWebhook({ feedback, clock, signingKey, seen }: MailgunWebhookParts): Operation {
  return defineOperation({
    method: 'POST',
    path: '/v1/webhooks/mailgun',
    summary: 'An event of Mailgun',
    caller: 'anyone',
    rawBody: webhookBody,
    answers: { 204: null },
    errors: ['CARILLON_REQUEST_INVALID', 'CARILLON_WEBHOOK_UNVERIFIED'],
    async handle({ body }) {
      const call = objectOf(webhookJson(body as Buffer));
      const nowMs = clock.now();
      const token = mailgunToken(objectOf(call.signature), signingKey, nowMs);
      if (token === null) throw unverified('mailgun');
      const key = `mailgun token ${token}`;
      if ((await seen.get(key, nowMs)) !== null) return { status: 204 };
      await feedback.take('mailgun', mailgunEvents(objectOf(call['event-data']), nowMs));
      // Afterwards: what failed is tried again by the same token.
      const untilMs = nowMs + limits.webhookAgeMs + limits.webhookAheadMs;
      await seen.put(key, { request: '', status: 204, headers: {}, body: '' }, untilMs);
      return { status: 204 };
    },
  });
}
