/** Mail by SendGrid's v3 API. It answers 202 once a mail is queued; what became of it comes by webhook. */
import type { Clock } from '../../base/clock.ts';
import { limits } from '../../base/limits.ts';
import type { CredentialFinding } from '../credential-finding.ts';
import type { Outcome } from '../outcome.ts';
import { callProvider, type ProviderCall } from './call-provider.ts';
import { classifyCall, type StatusTable } from './classify-call.ts';
import type { EmailLimits, EmailMessage, EmailProvider } from './email-provider.ts';

export interface SendgridOptions {
  readonly apiKey: string;
  readonly baseUrl: string;
  readonly perSecond: number | null;
}

/** By status (SendGrid, Mail Send API, errors). 504: its own gateway lost the answer. */
const byStatus: StatusTable = {
  202: 'accepted',
  400: 'refused',
  401: 'blocked',
  403: 'blocked',
  404: 'blocked',
  405: 'blocked',
  406: 'refused',
  413: 'refused',
  415: 'refused',
  429: 'throttled',
  500: 'retry',
  502: 'retry',
  503: 'retry',
  504: 'unknown',
};

export class EmailProviderSendgrid implements EmailProvider {
  readonly name = 'sendgrid';
  readonly limits: EmailLimits;
  readonly #options: SendgridOptions;
  readonly #clock: Clock;

  constructor(options: SendgridOptions, clock: Clock) {
    this.#options = options;
    this.#clock = clock;
    this.limits = { sendsMax: limits.emailCallsMax, perSecond: options.perSecond };
  }

  async send(message: EmailMessage): Promise<Outcome> {
    const body = JSON.stringify(render(message));
    const headers = { ...this.#login(), 'content-type': 'application/json' };
    return classify(
      await callProvider(`${this.#options.baseUrl}/v3/mail/send`, { method: 'POST', headers, body }),
      this.#clock.now(),
    );
  }

  async check(): Promise<readonly CredentialFinding[]> {
    const what = 'sendgrid';
    const answer = await callProvider(`${this.#options.baseUrl}/v3/scopes`, { headers: this.#login() });
    if (answer.kind !== 'answered')
      return [{ what, isGood: false, text: `The API cannot be reached (${answer.code}).` }];
    if (answer.status !== 200)
      return [{ what, isGood: false, text: `The API does not take the key (status ${answer.status}).` }];
    return answer.text.includes('"mail.send"')
      ? [{ what, isGood: true, text: 'The key is good and may send mail.' }]
      : [{ what, isGood: false, text: 'The key is good but may not send mail: give it the scope mail.send.' }];
  }

  async close(): Promise<void> {}

  #login(): Record<string, string> {
    return { authorization: `Bearer ${this.#options.apiKey}` };
  }
}

export function render(message: EmailMessage): object {
  const { from, to, subject, text, html, headers, messageId, tenant } = message;
  return {
    // What is given back with events is kept for good: the tenant, and nothing of a person.
    personalizations: [{ to: [{ email: to }], custom_args: { tenant } }],
    from: { email: from.address, ...(from.name !== '' && { name: from.name }) },
    subject,
    content: [
      { type: 'text/plain', value: text },
      { type: 'text/html', value: html },
    ],
    headers: { ...headers, 'Message-ID': messageId },
    tracking_settings: {
      click_tracking: { enable: false, enable_text: false },
      open_tracking: { enable: false },
      subscription_tracking: { enable: false },
    },
  };
}

export function classify(call: ProviderCall, nowMs: number): Outcome {
  return classifyCall(call, nowMs, {
    byStatus,
    providerIdOf: ({ headers }) => headers.get('x-message-id'),
    pauseMs: ({ headers }) => untilReset(headers, nowMs),
  });
}

/** Its own header: seconds since 1970. */
function untilReset(headers: Headers, nowMs: number): number | null {
  const text = headers.get('x-ratelimit-reset');
  return text !== null && /^\d{10}$/.test(text) ? Math.max(0, Number(text) * 1000 - nowMs) : null;
}
