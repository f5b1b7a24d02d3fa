/**
 * The signature by which push services of browsers know us (RFC 8292): one for each of their origins, made anew now and then.
 * A subscription takes the key it was made with, so keys that were replaced go on signing for theirs.
 */
import { createECDH, createPrivateKey, type KeyObject } from 'node:crypto';
import type { Clock } from '../../base/clock.ts';
import { limits } from '../../base/limits.ts';
import { signedToken } from './provider-token.ts';

export interface VapidKey {
  /** What pages subscribe with: the point, base64url. */
  readonly publicKey: string;
  readonly key: KeyObject;
}

/** From the 32 bytes that tools for web push print, base64url. Throws where they are no key. */
export function vapidKey(privateKey: string): VapidKey {
  const bytes = Buffer.from(privateKey, 'base64url');
  if (bytes.length !== 32) throw new Error('has not 32 bytes');
  const pair = createECDH('prime256v1');
  pair.setPrivateKey(bytes);
  const point = pair.getPublicKey();
  const text = (part: Buffer): string => part.toString('base64url');
  const jwk = { kty: 'EC', crv: 'P-256', x: text(point.subarray(1, 33)), y: text(point.subarray(33)), d: text(bytes) };
  return { publicKey: point.toString('base64url'), key: createPrivateKey({ key: jwk, format: 'jwk' }) };
}

/** A private key for `vapidKey`. */
export function newVapidKey(): string {
  const pair = createECDH('prime256v1');
  pair.generateKeys();
  // A key may begin with zeros, which the pair leaves out.
  return Buffer.concat([Buffer.alloc(32), pair.getPrivateKey()])
    .subarray(-32)
    .toString('base64url');
}

export class VapidSigner {
  readonly #keys: ReadonlyMap<string, VapidKey>;
  readonly #subject: string;
  readonly #clock: Clock;
  readonly #made = new Map<string, { readonly header: string; readonly atMs: number }>();

  /** `subject`: whom a push service can write to, `mailto:` or `https:`. */
  constructor(keys: readonly VapidKey[], subject: string, clock: Clock) {
    this.#keys = new Map(keys.map((key) => [key.publicKey, key]));
    this.#subject = subject;
    this.#clock = clock;
  }

  has(publicKey: string): boolean {
    return this.#keys.has(publicKey);
  }

  /** The header `authorization`; null for a key that is not ours any more. */
  header(publicKey: string, origin: string): string | null {
    const key = this.#keys.get(publicKey);
    if (key === undefined) return null;
    const nowMs = this.#clock.now();
    const name = `${publicKey} ${origin}`;
    const made = this.#made.get(name);
    if (made !== undefined && Math.abs(nowMs - made.atMs) < limits.vapidRenewMs) return made.header;
    const exp = Math.floor((nowMs + limits.vapidKeptMs) / 1000);
    const token = signedToken({ typ: 'JWT', alg: 'ES256' }, { aud: origin, exp, sub: this.#subject }, key.key);
    const header = `vapid t=${token}, k=${publicKey}`;
    this.#made.delete(name);
    this.#made.set(name, { header, atMs: nowMs });
    const oldest = this.#made.keys().next().value;
    if (this.#made.size > limits.webPushOriginsMax && oldest !== undefined) this.#made.delete(oldest);
    return header;
  }
}
