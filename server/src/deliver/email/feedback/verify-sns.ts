/**
 * Messages of Amazon SNS that can be believed: signed (version 2, SHA-256) by a certificate that Amazon serves, of a topic
 * of ours, and not old. By SNS Developer Guide, verifying the signatures of messages.
 *
 * The certificate's address is in the message, so it is fetched from Amazon's own hosts alone (S5): https, and a name
 * `sns.<region>.amazonaws.com`.
 */
import { verify, X509Certificate } from 'node:crypto';
import type { Clock } from '../../../base/clock.ts';
import { limits } from '../../../base/limits.ts';
import { objectOf, textOf } from './feedback-event.ts';
import { isFresh } from './is-fresh.ts';

export interface SnsMessage {
  readonly kind: 'notification' | 'confirmation' | 'other';
  readonly id: string;
  readonly message: string;
  /** For a confirmation: what to call, on a host of Amazon's. */
  readonly subscribeUrl: string | null;
}

export interface SnsParts {
  /** ARNs. */
  readonly topics: readonly string[];
  /** The text at an address of Amazon's; rejects for anything but status 200. */
  readonly fetchText: (url: string) => Promise<string>;
  readonly clock: Clock;
}

const signedFields: Readonly<Record<string, readonly string[]>> = {
  Notification: ['Message', 'MessageId', 'Subject', 'Timestamp', 'TopicArn', 'Type'],
  SubscriptionConfirmation: ['Message', 'MessageId', 'SubscribeURL', 'Timestamp', 'Token', 'TopicArn', 'Type'],
  UnsubscribeConfirmation: ['Message', 'MessageId', 'SubscribeURL', 'Timestamp', 'Token', 'TopicArn', 'Type'],
};

const kinds: Readonly<Record<string, SnsMessage['kind']>> = {
  Notification: 'notification',
  SubscriptionConfirmation: 'confirmation',
};

export class SnsVerifier {
  readonly #parts: SnsParts;
  readonly #certificates = new Map<string, X509Certificate>();

  constructor(parts: SnsParts) {
    this.#parts = parts;
  }

  /** Null for what cannot be believed. Rejects where a certificate cannot be fetched. */
  async verify(value: unknown): Promise<SnsMessage | null> {
    const body = objectOf(value);
    const { topics, clock } = this.#parts;
    const type = textOf(body.Type);
    const fields = Object.hasOwn(signedFields, type) ? signedFields[type] : undefined;
    const certificateUrl = textOf(body.SigningCertURL);
    if (fields === undefined || body.SignatureVersion !== '2' || !isOfSns(certificateUrl)) return null;
    if (!topics.includes(textOf(body.TopicArn))) return null;
    if (!isFresh(Date.parse(textOf(body.Timestamp)), clock.now())) return null;
    const lines = fields.flatMap((name) => (typeof body[name] === 'string' ? [name, body[name] as string] : []));
    const certificate = await this.#certificate(certificateUrl);
    const signature = Buffer.from(textOf(body.Signature), 'base64');
    if (
      certificate === null ||
      !verify('sha256', Buffer.from(`${lines.join('\n')}\n`), certificate.publicKey, signature)
    )
      return null;
    const subscribeUrl = textOf(body.SubscribeURL);
    return {
      kind: kinds[type] ?? 'other',
      id: textOf(body.MessageId),
      message: textOf(body.Message),
      subscribeUrl: isOfSns(subscribeUrl) ? subscribeUrl : null,
    };
  }

  async #certificate(url: string): Promise<X509Certificate | null> {
    const known = this.#certificates.get(url) ?? new X509Certificate(await this.#parts.fetchText(url));
    const nowMs = this.#parts.clock.now();
    const isValid = known.validFromDate.getTime() <= nowMs && nowMs <= known.validToDate.getTime();
    const { hostname } = new URL(url);
    if (!isValid || known.checkHost(hostname) === undefined) {
      this.#certificates.delete(url);
      return null;
    }
    if (this.#certificates.size >= limits.webhookCertificatesMax) this.#certificates.clear();
    this.#certificates.set(url, known);
    return known;
  }
}

/** Whether an address is one of SNS itself. */
export function isOfSns(text: string): boolean {
  const url = URL.parse(text);
  if (url === null || url.protocol !== 'https:' || url.username !== '' || url.password !== '' || url.port !== '')
    return false;
  return /^sns\.[a-z0-9-]{1,30}\.amazonaws\.com(\.cn)?$/.test(url.hostname);
}
