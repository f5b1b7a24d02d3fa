/** What a schema cannot say of how mail is sent: keys that need each other, and what production asks for (S1). */
import { createPublicKey } from 'node:crypto';
import type { EmailSettings } from './config-email.ts';
import type { ConfigProblem } from './config-error.ts';
import { mailbox } from './mailbox.ts';

export function emailProblems(email: EmailSettings, mode: 'development' | 'production'): ConfigProblem[] {
  if (email.providers.length === 0) return webhookProblems(email);
  return [
    ...webhookProblems(email),
    ...senderProblems(email, mode),
    ...email.providers.flatMap((name) => needs[name](email)),
  ];
}

function webhookProblems({ webhooks: { sendgridPublicKey } }: EmailSettings): ConfigProblem[] {
  if (sendgridPublicKey === undefined || isCurveKey(sendgridPublicKey)) return [];
  return [{ path: 'email.webhooks.sendgridPublicKey', detail: 'is no public key as SendGrid shows it' }];
}

function isCurveKey(text: string): boolean {
  try {
    const key = createPublicKey({ key: Buffer.from(text, 'base64'), format: 'der', type: 'spki' });
    return key.asymmetricKeyType === 'ec';
  } catch {
    return false;
  }
}

function senderProblems(email: EmailSettings, mode: 'development' | 'production'): ConfigProblem[] {
  const problems: ConfigProblem[] = [];
  if (email.from === undefined) problems.push({ path: 'email.from', detail: 'is needed to send mail' });
  else if (mailbox(email.from) === null)
    problems.push({ path: 'email.from', detail: 'is no sender: Name <name@domain>' });
  if (email.returnPath !== undefined && mailbox(email.returnPath)?.name !== '')
    problems.push({ path: 'email.returnPath', detail: 'is no address: name@domain' });
  for (const key of ['appUrl', 'publicUrl'] as const) {
    const url = email[key];
    if (url !== undefined && !isBase(url, mode))
      problems.push({ path: `email.${key}`, detail: 'must be an https URL without query' });
  }
  if (mode === 'production') {
    if (email.secret === undefined)
      problems.push({ path: 'email.secret', detail: 'production mode sends mail only with a secret' });
    if (email.publicUrl === undefined)
      problems.push({ path: 'email.publicUrl', detail: 'production mode sends mail only with links to unsubscribe' });
  }
  return problems;
}

const needs: Record<EmailSettings['providers'][number], (email: EmailSettings) => ConfigProblem[]> = {
  smtp: ({ smtp }) => [
    ...((smtp.username === undefined) === (smtp.password === undefined)
      ? []
      : [{ path: 'email.smtp', detail: 'username and password go together' }]),
    ...dkimProblems(smtp.dkim),
  ],
  ses: ({ ses }) => missing('email.ses.region', ses.region),
  sendgrid: ({ sendgrid }) => missing('email.sendgrid.apiKey', sendgrid.apiKey),
  mailgun: ({ mailgun }) => [
    ...missing('email.mailgun.apiKey', mailgun.apiKey),
    ...missing('email.mailgun.domain', mailgun.domain),
  ],
};

function dkimProblems({
  domain,
  selector,
  privateKey,
  privateKeyFile,
}: EmailSettings['smtp']['dkim']): ConfigProblem[] {
  if (domain === undefined) return [];
  const keys = [privateKey, privateKeyFile].filter((each) => each !== undefined).length;
  return [
    ...missing('email.smtp.dkim.selector', selector),
    ...(keys === 1 ? [] : [{ path: 'email.smtp.dkim', detail: 'needs exactly one of privateKey and privateKeyFile' }]),
  ];
}

function missing(path: string, value: string | undefined): ConfigProblem[] {
  return value === undefined ? [{ path, detail: 'is needed, since email.providers names it' }] : [];
}

function isBase(text: string, mode: 'development' | 'production'): boolean {
  const url = URL.parse(text);
  if (url === null || url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') return false;
  return url.protocol === 'https:' || (url.protocol === 'http:' && mode === 'development');
}
