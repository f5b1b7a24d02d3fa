/** Whether a call of SendGrid's event webhook is SendGrid's: ECDSA over its time and the bytes of the body, as they came. */
import { createPublicKey, type KeyObject, verify } from 'node:crypto';
import { isFresh } from './is-fresh.ts';

export interface SendgridCall {
  /** `X-Twilio-Email-Event-Webhook-Signature` and `…-Timestamp`. */
  readonly signature: string;
  readonly timestamp: string;
  readonly body: Buffer;
}

/** The key as SendGrid shows it: base64 without a frame. Throws for what is none. */
export function sendgridKey(text: string): KeyObject {
  const key = createPublicKey({ key: Buffer.from(text, 'base64'), format: 'der', type: 'spki' });
  if (key.asymmetricKeyType !== 'ec') throw new Error("SendGrid's key is no key of elliptic curves");
  return key;
}

export function isOfSendgrid({ signature, timestamp, body }: SendgridCall, key: KeyObject, nowMs: number): boolean {
  if (!/^\d{1,12}$/.test(timestamp) || !isFresh(Number(timestamp) * 1000, nowMs)) return false;
  try {
    return verify('sha256', Buffer.concat([Buffer.from(timestamp), body]), key, Buffer.from(signature, 'base64'));
  } catch {
    return false;
  }
}
