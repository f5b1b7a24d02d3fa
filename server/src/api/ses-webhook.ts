/** `POST /v1/webhooks/ses`: events of Amazon SES, brought by SNS; its confirmation of the subscription is answered (V22). */

import { objectOf } from '../deliver/email/feedback/feedback-event.ts';
import { sesEvents } from '../deliver/email/feedback/ses-events.ts';
import type { SnsVerifier } from '../deliver/email/feedback/verify-sns.ts';
import { defineOperation, type Operation } from './operation.ts';
import { unverified, type WebhookParts, webhookBody, webhookJson } from './webhook-parts.ts';

export interface SesWebhookParts extends WebhookParts {
  readonly sns: SnsVerifier;
  /** Calls an address of SNS. */
  readonly confirm: (url: string) => Promise<unknown>;
}

export function sesWebhook({ feedback, clock, sns, confirm }: SesWebhookParts): Operation {
  return defineOperation({
    method: 'POST',
    path: '/v1/webhooks/ses',
    summary: 'Events of Amazon SES, by SNS',
    caller: 'anyone',
    rawBody: webhookBody,
    answers: { 204: null },
    errors: ['CARILLON_REQUEST_INVALID', 'CARILLON_WEBHOOK_UNVERIFIED'],
    async handle({ body }) {
      const message = await sns.verify(webhookJson(body as Buffer));
      if (message === null) throw unverified('ses');
      if (message.kind === 'confirmation' && message.subscribeUrl !== null) await confirm(message.subscribeUrl);
      if (message.kind === 'notification') {
        const event = webhookJson(Buffer.from(message.message));
        await feedback.take('ses', sesEvents(objectOf(event), clock.now()));
      }
      return { status: 204 };
    },
  });
}
