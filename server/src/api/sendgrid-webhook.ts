/** `POST /v1/webhooks/sendgrid`: events of SendGrid's signed event webhook (V22). */
import type { KeyObject } from 'node:crypto';
import { sendgridEvents } from '../deliver/email/feedback/sendgrid-events.ts';
import { isOfSendgrid } from '../deliver/email/feedback/verify-sendgrid.ts';
import { defineOperation, type Operation } from './operation.ts';
import { unverified, type WebhookParts, webhookBody, webhookJson } from './webhook-parts.ts';

export function sendgridWebhook({ feedback, clock }: WebhookParts, key: KeyObject): Operation {
  return defineOperation({
    method: 'POST',
    path: '/v1/webhooks/sendgrid',
    summary: 'Events of SendGrid',
    caller: 'anyone',
    rawBody: webhookBody,
    answers: { 204: null },
    errors: ['CARILLON_REQUEST_INVALID', 'CARILLON_WEBHOOK_UNVERIFIED'],
    async handle({ headers, body }) {
      const call = {
        signature: String(headers['x-twilio-email-event-webhook-signature'] ?? ''),
        timestamp: String(headers['x-twilio-email-event-webhook-timestamp'] ?? ''),
        body: body as Buffer,
      };
      if (!isOfSendgrid(call, key, clock.now())) throw unverified('sendgrid');
      await feedback.take('sendgrid', sendgridEvents(webhookJson(call.body), clock.now()));
      return { status: 204 };
    },
  });
}
