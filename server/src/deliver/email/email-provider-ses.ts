/**
 * Mail by Amazon SES, API v2, through its own SDK. Mails go as whole messages, so that they have the headers we gave them;
 * SES replaces `Message-ID` and `Date`. It knows no idempotency, so the SDK tries nothing twice.
 */
import { GetAccountCommand, SESv2Client, SendEmailCommand } from '@aws-sdk/client-sesv2';
import type { Clock } from '../../base/clock.ts';
import { limits } from '../../base/limits.ts';
import type { CredentialFinding } from '../credential-finding.ts';
import type { Outcome } from '../outcome.ts';
import { mimeOf } from './email-mime.ts';
import type { EmailLimits, EmailMessage, EmailProvider } from './email-provider.ts';

export interface SesOptions {
  readonly region: string;
  /** Null: that of the region. */
  readonly endpoint: string | null;
  readonly configurationSet: string | null;
  readonly perSecond: number | null;
  /** Null: those the SDK finds. */
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string } | null;
}

/** What the SDK threw, in the form `classify` looks up. */
export interface SesFailure {
  readonly name: string;
  /** Of the answer; null: there was none. */
  readonly status: number | null;
  readonly message: string;
  /** Of the system: `ECONNREFUSED`. */
  readonly code: string | null;
}

/** By name of the error (SES API v2, SendEmail, errors; common errors of AWS). */
const byName: Readonly<Record<string, Outcome['kind']>> = {
  TooManyRequestsException: 'throttled',
  ThrottlingException: 'throttled',
  Throttling: 'throttled',
  LimitExceededException: 'blocked',
  SendingPausedException: 'blocked',
  AccountSuspendedException: 'blocked',
  MailFromDomainNotVerifiedException: 'blocked',
  NotFoundException: 'blocked', // of the configuration set
  AccessDeniedException: 'blocked',
  CredentialsProviderError: 'blocked',
  ExpiredTokenException: 'blocked',
  InvalidSignatureException: 'blocked',
  InvalidClientTokenId: 'blocked',
  UnrecognizedClientException: 'blocked',
  SignatureDoesNotMatch: 'blocked',
  MessageRejected: 'refused',
  BadRequestException: 'refused',
  InternalFailure: 'retry',
  ServiceUnavailable: 'retry',
  ServiceUnavailableException: 'retry',
};

const beforeSending = /^(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|CERT_|SELF_SIGNED|UNABLE_TO_)/;

export class EmailProviderSes implements EmailProvider {
  readonly name = 'ses';
  readonly limits: EmailLimits;
  readonly #options: SesOptions;
  readonly #clock: Clock;
  readonly #client: SESv2Client;

  constructor(options: SesOptions, clock: Clock) {
    this.#options = options;
    this.#clock = clock;
    this.limits = { sendsMax: limits.emailCallsMax, perSecond: options.perSecond };
    const { region, endpoint, credentials } = options;
    this.#client = new SESv2Client({
      region,
      maxAttempts: 1,
      requestHandler: { connectionTimeout: limits.emailConnectMs, requestTimeout: limits.emailAnswerMs },
      ...(endpoint !== null && { endpoint }),
      ...(credentials !== null && { credentials }),
    });
  }

  async send(message: EmailMessage): Promise<Outcome> {
    try {
      const mime = mimeOf(message, new Date(this.#clock.now()));
      const { MessageId = null } = await this.#client.send(this.#command(message, mime));
      return { kind: 'accepted', providerId: MessageId };
    } catch (error) {
      return classify(failureOf(error));
    }
  }

  async check(): Promise<readonly CredentialFinding[]> {
    const what = `ses ${this.#options.region}`;
    try {
      const account = await this.#client.send(new GetAccountCommand({}));
      const { SendingEnabled = false, ProductionAccessEnabled = false, SendQuota } = account;
      if (!SendingEnabled)
        return [{ what, isGood: false, text: 'Sending is paused for this account: see its SES console.' }];
      const { Max24HourSend = 0, MaxSendRate = 0, SentLast24Hours = 0 } = SendQuota ?? {};
      const quota = `${SentLast24Hours} of ${Max24HourSend} mails of the last 24 hours, ${MaxSendRate} a second.`;
      return ProductionAccessEnabled
        ? [{ what, isGood: true, text: `The credentials are good: ${quota}` }]
        : [{ what, isGood: false, text: `The account is in the sandbox: only verified addresses get mail. ${quota}` }];
    } catch (error) {
      const { name, status } = failureOf(error);
      return [
        {
          what,
          isGood: false,
          text: `SES does not take the credentials or cannot be reached (${name}, status ${status}).`,
        },
      ];
    }
  }

  async close(): Promise<void> {
    this.#client.destroy();
  }

  #command(message: EmailMessage, mime: Buffer): SendEmailCommand {
    const { configurationSet } = this.#options;
    return new SendEmailCommand({
      FromEmailAddress: message.from.address,
      Destination: { ToAddresses: [message.to] },
      Content: { Raw: { Data: mime } },
      // Values may hold letters, digits and few signs.
      EmailTags: [{ Name: 'tenant', Value: Buffer.from(message.tenant).toString('base64url') }],
      ...(configurationSet !== null && { ConfigurationSetName: configurationSet }),
    });
  }
}

export function classify({ name, status, message, code }: SesFailure): Outcome {
  // One name for two things: too fast, and no more today.
  if (/daily message quota exceeded/i.test(message))
    return { kind: 'throttled', code: name, afterMs: limits.emailQuotaMs, scope: 'project' };
  const known = byName[name];
  if (known === 'throttled') return { kind: 'throttled', code: name, afterMs: null, scope: 'project' };
  if (known === 'blocked' || known === 'refused') return { kind: known, code: name };
  if (known === 'retry') return { kind: 'retry', code: name, afterMs: null };
  if (status === 504) return { kind: 'unknown', code: name };
  if (status !== null)
    return status >= 500 ? { kind: 'retry', code: name, afterMs: null } : { kind: 'refused', code: name };
  const text = code ?? name;
  return beforeSending.test(text) ? { kind: 'retry', code: text, afterMs: null } : { kind: 'unknown', code: text };
}

function failureOf(error: unknown): SesFailure {
  const {
    name = 'Error',
    message = '',
    code,
    $metadata,
  } = error as {
    name?: string;
    message?: string;
    code?: string;
    $metadata?: { httpStatusCode?: number };
  };
  return { name, status: $metadata?.httpStatusCode ?? null, message, code: code ?? null };
}
