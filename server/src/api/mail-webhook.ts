/**
 * `POST /v1/webhooks/mail`: a mail that came to the address for bounces, as its bytes (RFC 822), brought by the mail
 * server. Bounces and complaints count; anything else is ignored, and nothing is ever answered by mail (V22, BC-59).
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import { Type } from 'typebox';
import type { EmailSecrets } from '../deliver/email/email-secrets.ts';
import { mailReport } from '../deliver/email/feedback/mail-report.ts';
import { defineOperation, type Operation } from './operation.ts';
import { unverified, type WebhookParts, webhookBody } from './webhook-parts.ts';

export interface MailWebhookParts extends WebhookParts {
  readonly secrets: EmailSecrets;
  /** SHA-256 of the key, in hexadecimal. */
  readonly keyHash: string;
}

const MailTaken = Type.Object({
  kind: Type.Enum(['bounce', 'complaint', 'ignored']),
  /** For what was ignored: an automatic reply, a report about no mail of ours, or no report. */
  why: Type.Optional(Type.Enum(['automatic', 'unknown', 'other'])),
});

export function mailWebhook({ feedback, clock, secrets, keyHash }: MailWebhookParts): Operation {
  const expected = Buffer.from(keyHash, 'hex');
  return defineOperation({
    method: 'POST',
    path: '/v1/webhooks/mail',
    summary: 'A bounce or complaint that came as mail; the key is that of `email.webhooks.mailKeyHash`',
    caller: 'anyone',
    rawBody: webhookBody,
    answers: { 200: MailTaken },
    errors: ['CARILLON_WEBHOOK_UNVERIFIED'],
    admit({ headers }) {
      const key = /^Bearer +([\x21-\x7e]+)$/i.exec(headers.authorization ?? '')?.[1] ?? '';
      if (!timingSafeEqual(createHash('sha256').update(key).digest(), expected)) throw unverified('mail');
    },
    async handle({ body }) {
      const report = mailReport(body as Buffer, secrets, clock.now());
      if (report.kind === 'ignored') return { status: 200, body: report };
      await feedback.take('mail', report.events);
      return { status: 200, body: { kind: report.kind } };
    },
  });
}
