/** Operations about mail (V21, V22): what is configured is there. */
import type { EmailSettings } from '../base/config-email.ts';
import { sendgridKey } from '../deliver/email/feedback/verify-sendgrid.ts';
import { SnsVerifier } from '../deliver/email/feedback/verify-sns.ts';
import type { IdempotencyStore } from '../intake/idempotency-store.ts';
import type { SuppressionStore } from '../profile/suppression-store.ts';
import { deleteSuppression } from './delete-suppression.ts';
import { getSuppression } from './get-suppression.ts';
import { listSuppressions } from './list-suppressions.ts';
import type { MailLinkParts } from './mail-link.ts';
import { mailWebhook } from './mail-webhook.ts';
import { mailgunWebhook } from './mailgun-webhook.ts';
import { oneClickUnsubscribe } from './one-click-unsubscribe.ts';
import type { Operation } from './operation.ts';
import { putSuppression } from './put-suppression.ts';
import { saveEmailPreferences } from './save-email-preferences.ts';
import { sendgridWebhook } from './sendgrid-webhook.ts';
import { sesWebhook } from './ses-webhook.ts';
import { showEmailPreferences } from './show-email-preferences.ts';
import { showUnsubscribe } from './show-unsubscribe.ts';
import type { WebhookParts } from './webhook-parts.ts';

export interface EmailOperationParts extends MailLinkParts, WebhookParts {
  readonly suppressions: SuppressionStore;
  readonly webhooks: EmailSettings['webhooks'];
  readonly idempotency: IdempotencyStore;
  /** The text at an address of Amazon's; rejects for anything but status 200. */
  readonly fetchText: (url: string) => Promise<string>;
}

export function emailOperations(parts: EmailOperationParts): Operation[] {
  const { suppressions, clock } = parts;
  return [
    showUnsubscribe(parts),
    oneClickUnsubscribe(parts),
    showEmailPreferences(parts),
    saveEmailPreferences(parts),
    listSuppressions(suppressions),
    getSuppression(suppressions),
    putSuppression(suppressions, clock),
    deleteSuppression(suppressions),
    ...webhooksOf(parts),
  ];
}

function webhooksOf(parts: EmailOperationParts): Operation[] {
  const { webhooks, idempotency: seen, fetchText, clock } = parts;
  const { sesTopics: topics, sendgridPublicKey, mailgunSigningKey, mailKeyHash } = webhooks;
  const sns = new SnsVerifier({ topics, fetchText, clock });
  return [
    ...(topics.length === 0 ? [] : [sesWebhook({ ...parts, sns, confirm: fetchText })]),
    ...(sendgridPublicKey === undefined ? [] : [sendgridWebhook(parts, sendgridKey(sendgridPublicKey))]),
    ...(mailgunSigningKey === undefined ? [] : [mailgunWebhook({ ...parts, signingKey: mailgunSigningKey, seen })]),
    ...(mailKeyHash === undefined ? [] : [mailWebhook({ ...parts, keyHash: mailKeyHash })]),
  ];
}
