/** Mail by Mailgun's v3 API. It answers 200 once a mail is queued; what became of it comes by webhook. */
import type { Clock } from '../../base/clock.ts';
import { limits } from '../../base/limits.ts';
import type { CredentialFinding } from '../credential-finding.ts';
import type { Outcome } from '../outcome.ts';
import { callProvider, type ProviderCall } from './call-provider.ts';
import { classifyCall, type StatusTable } from './classify-call.ts';
import type { EmailLimits, EmailMessage, EmailProvider } from './email-provider.ts';

export interface MailgunOptions {
  readonly apiKey: string;
  readonly domain: string;
  readonly baseUrl: string;
  readonly perSecond: number | null;
}

/** By status (Mailgun, API status codes). 402: nothing is left of the plan. 504: its own gateway lost the answer. */
const byStatus: StatusTable = {
  200: 'accepted',
  400: 'refused',
  401: 'blocked',
  402: 'blocked',
  403: 'blocked',
  404: 'blocked',
  413: 'refused',
  429: 'throttled',
  500: 'retry',
  502: 'retry',
  503: 'retry',
  504: 'unknown',
};

export class EmailProviderMailgun implements EmailProvider {
  readonly name = 'mailgun';
  readonly limits: EmailLimits;
  readonly #options: MailgunOptions;
  readonly #clock: Clock;

  constructor(options: MailgunOptions, clock: Clock) {
    this.#options = options;
    this.#clock = clock;
    this.limits = { sendsMax: limits.emailCallsMax, perSecond: options.perSecond };
  }

  async send(message: EmailMessage): Promise<Outcome> {
    const { baseUrl, domain } = this.#options;
    const url = `${baseUrl}/v3/${encodeURIComponent(domain)}/messages`;
    const body = render(message);
    return classify(await callProvider(url, { method: 'POST', headers: this.#login(), body }), this.#clock.now());
  }

  async check(): Promise<readonly CredentialFinding[]> {
    const { baseUrl, domain } = this.#options;
    const what = `mailgun ${domain}`;
    const answer = await callProvider(`${baseUrl}/v3/domains/${encodeURIComponent(domain)}`, {
      headers: this.#login(),
    });
    if (answer.kind !== 'answered')
      return [{ what, isGood: false, text: `The API cannot be reached (${answer.code}).` }];
    if (answer.status === 200) return [{ what, isGood: true, text: 'The key is good and knows the domain.' }];
    // A sending key may do nothing else, so it cannot look.
    if (answer.status === 403)
      return [
        { what, isGood: true, text: 'The key was recognised, and may not look at the domain: it can only send.' },
      ];
    const text = answer.status === 404 ? 'The account does not have the domain.' : 'The API does not take the key.';
    return [{ what, isGood: false, text: `${text} (status ${answer.status})` }];
  }

  async close(): Promise<void> {}

  #login(): Record<string, string> {
    return { authorization: `Basic ${Buffer.from(`api:${this.#options.apiKey}`).toString('base64')}` };
  }
}

export function render(message: EmailMessage): URLSearchParams {
  const { from, to, subject, text, html, headers, messageId, tenant } = message;
  const sender = from.name === '' ? from.address : `"${from.name.replace(/["\\]/g, '')}" <${from.address}>`;
  const fields = new URLSearchParams({ from: sender, to, subject, text, html, 'h:Message-Id': messageId });
  for (const [name, value] of Object.entries(headers)) fields.set(`h:${name}`, value);
  fields.set('o:tracking', 'no');
  fields.set('v:tenant', tenant);
  return fields;
}

export function classify(call: ProviderCall, nowMs: number): Outcome {
  return classifyCall(call, nowMs, {
    byStatus,
    providerIdOf: ({ text }) => /"id"\s*:\s*"<?([^"<>]{1,256})/.exec(text)?.[1] ?? null,
  });
}
