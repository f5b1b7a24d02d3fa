/** What is behind links in mails, and what comes back of mails, put together for this process (V21, V22). */
import { emailOperations } from './api/email-operations.ts';
import type { Operation } from './api/operation.ts';
import type { Clock } from './base/clock.ts';
import type { Config } from './base/config-schema.ts';
import type { Log } from './base/log.ts';
import type { LiveContent } from './content/live-content.ts';
import { EmailSecrets } from './deliver/email/email-secrets.ts';
import { EmailFeedback } from './deliver/email/feedback/email-feedback.ts';
import { fetchText } from './deliver/email/feedback/fetch-text.ts';
import type { Engine } from './engine.ts';

export interface MailOperationParts {
  readonly config: Config;
  readonly clock: Clock;
  readonly log: Log;
  /** `email.secret`, or what stands for it in development. */
  readonly secret: string;
  readonly content: LiveContent;
}

export function mailOperations(
  { profiles, suppressions, idempotency }: Engine,
  { config, clock, log, secret, content }: MailOperationParts,
): Operation[] {
  if (profiles === null || suppressions === null) return [];
  const feedback = new EmailFeedback({
    suppressions,
    onBlocked: (source, code) => log.write('emailBlocked', { part: source, code }),
  });
  const { webhooks, formerSecrets } = config.email;
  const secrets = new EmailSecrets(secret, formerSecrets);
  const links = { profiles, types: content, content, secrets, clock };
  return emailOperations({ ...links, feedback, suppressions, webhooks, idempotency, fetchText });
}
