/**
 * Mail by any SMTP server. Connections are kept and used again; one that the server closes costs no mail. A mail is handed
 * over once its text begins to leave: from then on an answer that does not come leaves it unknown.
 */
import { Readable } from 'node:stream';
import { createTransport } from 'nodemailer';
import type { Clock } from '../../base/clock.ts';
import { limits } from '../../base/limits.ts';
import type { CredentialFinding } from '../credential-finding.ts';
import type { Outcome } from '../outcome.ts';
import { type DkimKey, mimeOf, signed } from './email-mime.ts';
import type { EmailLimits, EmailMessage, EmailProvider } from './email-provider.ts';
import { readReply, replyCode, type SmtpClass, smtpClass } from './smtp-reply.ts';

export interface SmtpOptions {
  readonly host: string;
  readonly port: number;
  readonly tls: 'required' | 'implicit' | 'opportunistic' | 'off';
  /** Authorities to trust instead of the usual ones, PEM. */
  readonly ca?: string;
  readonly login: { readonly user: string; readonly pass: string } | null;
  readonly heloName: string | null;
  /** Where bounces go; null: the sender. */
  readonly returnPath: string | null;
  readonly connections: number;
  readonly perSecond: number | null;
  readonly dkim: DkimKey | null;
}

/** What ended an attempt, in the form that `classify` looks up. */
export interface SmtpFailure {
  /** The library's own code: `EAUTH`, `ETLS`, `ECONNECTION`… */
  readonly code: string | undefined;
  /** What the server said, if it did. */
  readonly response: string | undefined;
  /** Whether the text of the mail had begun to leave. */
  readonly hasBegun: boolean;
}

/** By what a reply means (`smtp-reply.ts`, with its sources). */
const outcomes: Readonly<Record<SmtpClass, (code: string) => Outcome>> = {
  soft: (code) => ({ kind: 'retry', code, afterMs: null }),
  wait: (code) => ({ kind: 'retry', code, afterMs: limits.emailGreylistMs }),
  slow: (code) => ({ kind: 'throttled', code, afterMs: null, scope: 'provider' }),
  hard: (code) => ({ kind: 'gone', code, asOfMs: null }),
  content: (code) => ({ kind: 'refused', code }),
  blocked: (code) => ({ kind: 'blocked', code }),
};

/** Without a reply: what the library says (nodemailer's list of error codes). Others: the connection failed. */
const outcomesByCode: Readonly<Record<string, Outcome['kind']>> = {
  EAUTH: 'blocked',
  ENOAUTH: 'blocked',
  ETLS: 'blocked',
  EENVELOPE: 'refused',
  EMESSAGE: 'refused',
};

export class EmailProviderSmtp implements EmailProvider {
  readonly name = 'smtp';
  readonly limits: EmailLimits;
  readonly #options: SmtpOptions;
  readonly #clock: Clock;
  readonly #pool: ReturnType<typeof openPool>;

  constructor(options: SmtpOptions, clock: Clock) {
    this.#options = options;
    this.#clock = clock;
    this.limits = { sendsMax: options.connections, perSecond: options.perSecond };
    this.#pool = openPool(options);
  }

  async send(message: EmailMessage): Promise<Outcome> {
    const { dkim, returnPath } = this.#options;
    const state = { hasBegun: false };
    try {
      const plain = mimeOf(message, new Date(this.#clock.now()));
      const bytes = dkim === null ? plain : await signed(plain, dkim);
      const envelope = { from: returnPath ?? message.from.address, to: [message.to] };
      const { response } = await this.#pool.sendMail({ envelope, raw: '', carillon: { bytes, state } } as PooledMail);
      return { kind: 'accepted', providerId: queuedAs(response) };
    } catch (error) {
      return classify({ ...failureOf(error), hasBegun: state.hasBegun });
    }
  }

  async check(): Promise<readonly CredentialFinding[]> {
    const { host, port, tls } = this.#options;
    const what = `smtp ${host}:${port}`;
    try {
      await this.#pool.verify();
      const login = this.#options.login === null ? 'without a login' : 'and takes the login';
      const text = `The server answers ${login}${tls === 'off' ? ', in clear' : ', encrypted'}.`;
      return [{ what, isGood: true, text }];
    } catch (error) {
      const { code, response } = failureOf(error);
      const reply = response === undefined ? '' : ` It said ${replyCode(readReply(response))}.`;
      return [{ what, isGood: false, text: `${whatFailed[code ?? ''] ?? 'The server cannot be reached.'}${reply}` }];
    }
  }

  async close(): Promise<void> {
    this.#pool.close();
  }
}

export function classify({ code, response, hasBegun }: SmtpFailure): Outcome {
  if (response !== undefined) {
    const reply = readReply(response);
    const text = replyCode(reply);
    // 454 to a login is the server's own trouble (RFC 4954); any other refusal of it is for us to mend.
    if (code === 'EAUTH') return outcomes[reply.code < 500 ? 'soft' : 'blocked'](text);
    return outcomes[smtpClass(reply)](text);
  }
  const text = code ?? 'ECONNECTION';
  const kind = outcomesByCode[text];
  if (kind === 'blocked' || kind === 'refused') return { kind, code: text };
  return hasBegun ? { kind: 'unknown', code: text } : { kind: 'retry', code: text, afterMs: null };
}

/** A certificate that is not trusted comes as a failed socket; only its first code tells. */
const certificateCodes = /CERT|SELF_SIGNED|UNABLE_TO|ERR_TLS/;

function failureOf(error: unknown): Pick<SmtpFailure, 'code' | 'response'> {
  const { code, originalCode, response } = error as { code?: string; originalCode?: string; response?: string };
  return { code: certificateCodes.test(originalCode ?? '') ? 'ETLS' : code, response };
}

const whatFailed: Readonly<Record<string, string>> = {
  EAUTH: 'The server does not take the login: check username and password.',
  ETLS: 'The connection cannot be encrypted: check email.smtp.tls, the port, and the certificate.',
  EDNS: 'The name of the server cannot be found.',
  ETIMEDOUT: 'The server does not answer in time.',
};

/** Mail for the pool, with its bytes, which leave when the server is ready for them. */
interface PooledMail {
  readonly envelope: { readonly from: string; readonly to: string[] };
  readonly raw: string;
  readonly carillon: { readonly bytes: Buffer; readonly state: { hasBegun: boolean } };
}

function openPool(options: SmtpOptions) {
  const { host, port, tls, ca, login, heloName, connections } = options;
  const pool = createTransport({
    pool: true,
    host,
    port,
    secure: tls === 'implicit',
    requireTLS: tls === 'required',
    ignoreTLS: tls === 'off',
    tls: ca === undefined ? {} : { ca },
    ...(login && { auth: login }),
    ...(heloName !== null && { name: heloName }),
    maxConnections: connections,
    maxMessages: limits.emailsPerConnection,
    connectionTimeout: limits.emailConnectMs,
    greetingTimeout: limits.emailConnectMs,
    socketTimeout: limits.emailAnswerMs,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  // The library reads a mail before the server has agreed to take it; this one is read when the server has.
  pool.use('stream', (mail, done) => {
    const { bytes, state } = (mail.data as unknown as PooledMail).carillon;
    mail.message.createReadStream = () =>
      Readable.from(chunkOf(bytes, state), { objectMode: false, highWaterMark: bytes.length }) as never;
    done();
  });
  return pool;
}

function* chunkOf(bytes: Buffer, state: { hasBegun: boolean }): Generator<Buffer> {
  state.hasBegun = true;
  yield bytes;
}

/** The name most servers give a mail in their answer. */
function queuedAs(response: string): string | null {
  return /\bqueued as\s+([\w.-]{1,64})/i.exec(response)?.[1] ?? null;
}
