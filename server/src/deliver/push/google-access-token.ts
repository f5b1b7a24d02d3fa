/**
 * The token by which Google knows a service account (RFC 7523): fetched when it is first needed and a little before it
 * ends, once for all who ask at the same time. A fetch that failed is not tried again for a few seconds.
 */
import type { KeyObject } from 'node:crypto';
import type { Clock } from '../../base/clock.ts';
import { limits } from '../../base/limits.ts';
import type { Outcome } from '../outcome.ts';
import type { HttpsClient } from './https-client.ts';
import { jsonObject, type ProviderReply, retryAfterMs } from './provider-reply.ts';
import { signedToken } from './provider-token.ts';

export interface ServiceAccount {
  readonly projectId: string;
  readonly clientEmail: string;
  readonly keyId: string;
  readonly key: KeyObject;
  readonly tokenUrl: string;
}

export type AccessToken = { readonly kind: 'token'; readonly token: string } | NoAccess;
/** `text`: what Google said, for people. */
export type NoAccess = { readonly kind: 'none'; readonly outcome: Outcome; readonly text: string };

/** The narrowest that may send. */
const scope = 'https://www.googleapis.com/auth/firebase.messaging';

export class GoogleAccessToken {
  readonly #account: ServiceAccount;
  readonly #clock: Clock;
  readonly #client: HttpsClient;
  #known: { readonly answer: AccessToken; readonly untilMs: number } | null = null;
  #fetching: Promise<AccessToken> | null = null;

  constructor(account: ServiceAccount, clock: Clock, client: HttpsClient) {
    this.#account = account;
    this.#clock = clock;
    this.#client = client;
  }

  get(): AccessToken | Promise<AccessToken> {
    if (this.#known !== null && this.#clock.monotonic() < this.#known.untilMs) return this.#known.answer;
    this.#fetching ??= this.#fetch().finally(() => {
      this.#fetching = null;
    });
    return this.#fetching;
  }

  /** Google refused it before its time. */
  forget(token: string): void {
    if (this.#known?.answer.kind === 'token' && this.#known.answer.token === token) this.#known = null;
  }

  async #fetch(): Promise<AccessToken> {
    const { clientEmail, keyId, key, tokenUrl } = this.#account;
    const iat = Math.floor(this.#clock.now() / 1000);
    const claims = { iss: clientEmail, scope, aud: tokenUrl, iat, exp: iat + 3600 };
    const assertion = signedToken({ alg: 'RS256', typ: 'JWT', kid: keyId }, claims, key);
    const body = new URLSearchParams({ grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion });
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const reply = await this.#client.post(new URL(tokenUrl), headers, body.toString());
    const { answer, keptMs } = this.#read(reply);
    this.#known = { answer, untilMs: this.#clock.monotonic() + keptMs };
    return answer;
  }

  #read(reply: ProviderReply): { answer: AccessToken; keptMs: number } {
    const keptMs = limits.accessTokenRetryMs;
    if (reply.kind !== 'answer') {
      // Nothing of the push itself was sent, whatever became of this.
      const outcome = { kind: 'retry', code: reply.code, afterMs: null } as const;
      return { answer: { kind: 'none', outcome, text: reply.code }, keptMs };
    }
    const { status } = reply;
    const fields = jsonObject(reply.body) ?? {};
    const { access_token: token, expires_in: seconds } = fields;
    if (status === 200 && typeof token === 'string' && typeof seconds === 'number') {
      const spareMs = Math.min(limits.accessTokenSpareMs, (seconds * 1000) / 2);
      return { answer: { kind: 'token', token }, keptMs: seconds * 1000 - spareMs };
    }
    const text = [fields.error, fields.error_description].filter((part) => typeof part === 'string').join(': ');
    const afterMs = retryAfterMs(reply.headers['retry-after'], this.#clock.now());
    const outcome: Outcome =
      status === 429 || status >= 500 || status === 200
        ? { kind: 'retry', code: `accessToken${status}`, afterMs }
        : { kind: 'blocked', code: fields.error === 'invalid_grant' ? 'invalidGrant' : `accessToken${status}` };
    return { answer: { kind: 'none', outcome, text: text || `status ${status}` }, keptMs };
  }
}
