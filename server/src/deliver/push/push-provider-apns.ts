/**
 * Apple's push service (HTTP/2, token authentication). PROTOCOLS: Apple's "Sending notification requests to APNs" and
 * "Handling notification responses from APNs". Each credential and environment has connections of its own, since Apple
 * binds a connection to the key of its first push.
 */
import { hash, type KeyObject } from 'node:crypto';
import http2 from 'node:http2';
import type { Clock } from '../../base/clock.ts';
import { limits } from '../../base/limits.ts';
import type { PushText } from '../../content/render-push.ts';
import type { Device } from '../../profile/device.ts';
import type { CredentialFinding } from '../credential-finding.ts';
import type { Outcome } from '../outcome.ts';
import { apnsFinding } from './apns-finding.ts';
import { DoubtWatch } from './doubt-watch.ts';
import { Http2Pool } from './http2-pool.ts';
import { jsonObject, outcomeWithoutAnswer, type ProviderReply } from './provider-reply.ts';
import { ProviderToken } from './provider-token.ts';
import { alertFacts, badgeFacts, fittingPayload, keptSeconds, retractionFacts } from './push-facts.ts';
import type {
  ProviderAnswer,
  PushAlert,
  PushBadge,
  PushMessage,
  PushProvider,
  PushRequest,
  PushRetraction,
} from './push-provider.ts';

export interface ApnsCredential {
  readonly teamId: string;
  readonly keyId: string;
  readonly key: KeyObject;
  /** Bundle ids. */
  readonly apps: readonly string[];
  /** Null: the key is good for both. */
  readonly environment: Device['environment'] | null;
  /** Another server instead of Apple's, for tests. */
  readonly origin: string | null;
}

const origins = { production: 'https://api.push.apple.com', sandbox: 'https://api.sandbox.push.apple.com' } as const;

/** Apple takes 4096 bytes; it names no rate, and answers 429 for a device that gets too much. */
const apnsLimits = {
  payloadBytesMax: 4096,
  sendsMax: limits.pushSendsMax,
  perMinute: null,
  perDevicePerMinute: null,
} as const;

const quarterHourMs = 15 * 60_000;

const refused = (code: string): Outcome => ({ kind: 'refused', code });
const blocked = (code: string): Outcome => ({ kind: 'blocked', code });
const retryLater = (code: string): Outcome => ({ kind: 'retry', code, afterMs: quarterHourMs });

/** Reason → what it means: "Handling notification responses from APNs". 410 is dealt with in `classify`, for its time. */
const reasons: Readonly<Record<string, (code: string) => Outcome>> = {
  // The only 400 that may say that the token is dead; or that it is one of the other environment (`DoubtWatch`).
  BadDeviceToken: (code) => ({ kind: 'gone', code, asOfMs: null }),
  DeviceTokenNotForTopic: refused,
  BadCollapseId: refused,
  BadExpirationDate: refused,
  BadMessageId: refused,
  BadPriority: refused,
  BadTopic: refused,
  DuplicateHeaders: refused,
  InvalidPushType: refused,
  MissingDeviceToken: refused,
  MissingTopic: refused,
  PayloadEmpty: refused,
  TopicDisallowed: refused,
  BadPath: refused,
  MethodNotAllowed: refused,
  PayloadTooLarge: refused,
  IdleTimeout: (code) => ({ kind: 'retry', code, afterMs: null }),
  // Comes here only if a new token did not help: then our clock is wrong.
  ExpiredProviderToken: blocked,
  InvalidProviderToken: blocked,
  MissingProviderToken: blocked,
  UnrelatedKeyIdInToken: blocked,
  BadEnvironmentKeyIdInToken: blocked,
  BadCertificate: blocked,
  BadCertificateEnvironment: blocked,
  Forbidden: blocked,
  TooManyRequests: (code) => ({ kind: 'throttled', code, afterMs: null, scope: 'endpoint' }),
  TooManyProviderTokenUpdates: (code) => ({
    kind: 'throttled',
    code,
    afterMs: limits.providerTokenKeptMinMs,
    scope: 'project',
  }),
  InternalServerError: retryLater,
  ServiceUnavailable: retryLater,
  Shutdown: retryLater,
};

interface Account extends ApnsCredential {
  readonly project: string;
  readonly pool: Http2Pool;
  readonly token: ProviderToken;
}

export class PushProviderApns implements PushProvider {
  readonly name = 'apns';
  readonly limits = apnsLimits;
  readonly #accounts: readonly Account[];
  readonly #doubt: DoubtWatch;

  constructor(credentials: readonly ApnsCredential[], clock: Clock, ca?: string) {
    this.#doubt = new DoubtWatch(clock);
    this.#accounts = credentials.flatMap((credential) => {
      const token = new ProviderToken({ ...credential, clock });
      const environments =
        credential.environment === null ? (['production', 'sandbox'] as const) : [credential.environment];
      return environments.map((environment) => {
        const origin = credential.origin ?? origins[environment];
        const pool = new Http2Pool({ origin, clock, startsWithOneStream: true, ...(ca && { ca }) });
        const project = `apns ${credential.teamId} ${credential.keyId} ${environment}`;
        return { ...credential, environment, project, pool, token };
      });
    });
  }

  projectOf(device: Device): string | null {
    return this.#accountOf(device)?.project ?? null;
  }

  render(message: PushMessage, device: Device, nowMs: number): PushRequest | null {
    if (device.address.kind !== 'token') return null;
    const seconds = keptSeconds(message, nowMs, limits.apnsKeptMaxMs);
    const headers = {
      'apns-topic': device.app,
      // Everything here changes what the person sees, so nothing is `background`, which Apple delivers 2–3 times an hour.
      'apns-push-type': 'alert',
      'apns-priority': message.kind === 'alert' && message.urgency === 'high' ? '10' : '5',
      'apns-expiration': seconds === 0 ? '0' : String(Math.floor(nowMs / 1000) + seconds),
      'apns-id': uuidOf(message.delivery),
      ...(message.kind !== 'badge' && { 'apns-collapse-id': message.collapseId }),
    };
    return { headers, target: `/3/device/${encodeURIComponent(device.address.value)}`, body: payloadOf(message) };
  }

  classify({ status, reason, atMs }: ProviderAnswer): Outcome {
    const code = reason !== null && /^\w{1,64}$/.test(reason) ? reason : `status${status}`;
    if (status === 410) return { kind: 'gone', code, asOfMs: atMs };
    const known = reasons[code];
    if (known !== undefined) return known(code);
    return status >= 500 ? retryLater(code) : refused(code);
  }

  async send({ headers, target, body }: PushRequest, device: Device): Promise<Outcome> {
    const account = this.#accountOf(device);
    if (account === undefined) return blocked('noCredentials');
    const reply = await post(account, { headers, target, body });
    if (reply.kind !== 'answer') return outcomeWithoutAnswer(reply);
    const answer = answerOf(reply);
    if (answer.status === 200) {
      this.#doubt.note(account.project);
      return { kind: 'accepted', providerId: answer.providerId };
    }
    const outcome = this.classify(answer);
    if (answer.reason === 'BadDeviceToken' && outcome.kind === 'gone')
      return this.#doubt.judge(account.project, outcome);
    if (outcome.kind === 'gone') this.#doubt.note(account.project);
    return outcome;
  }

  /** A token of no device: Apple looks at the credentials first, and says nothing against them if it calls that one bad. */
  async check(): Promise<CredentialFinding[]> {
    const asked = this.#accounts.flatMap((account) => account.apps.map((app) => ({ account, app })));
    return Promise.all(
      asked.map(async ({ account, app }) => {
        const headers = { 'apns-topic': app, 'apns-push-type': 'background', 'apns-priority': '5' };
        const target = `/3/device/${'0'.repeat(64)}`;
        const reply = await post(account, { headers, target, body: '{"aps":{"content-available":1}}' });
        const what = `apns ${app} ${account.environment}`;
        if (reply.kind !== 'answer') {
          return { what, isGood: false, text: `Apple could not be reached (${reply.code}).` };
        }
        return apnsFinding(what, answerOf(reply), account);
      }),
    );
  }

  async close(): Promise<void> {
    await Promise.all(this.#accounts.map(({ pool }) => pool.close()));
  }

  #accountOf({ app, environment }: Device): Account | undefined {
    return this.#accounts.find((account) => account.environment === environment && account.apps.includes(app));
  }
}

/** Not to be put into the table of headers of the connection. */
const secretHeaders = [':path', 'authorization'];

/** One attempt, and one more where only our own token had run out (BC-51). */
async function post({ pool, token }: Account, { headers, target, body }: PushRequest): Promise<ProviderReply> {
  const once = (bearer: string): Promise<ProviderReply> => {
    const authorization = `bearer ${bearer}`;
    const own = { ':method': 'POST', ':path': target, authorization, [http2.sensitiveHeaders]: secretHeaders };
    return pool.request({ ...own, ...headers }, body);
  };
  const first = token.current();
  const reply = await once(first);
  if (reply.kind !== 'answer' || reply.status !== 403 || answerOf(reply).reason !== 'ExpiredProviderToken')
    return reply;
  const next = token.renewed(first);
  return next === null ? reply : once(next);
}

function payloadOf(message: PushMessage): string {
  switch (message.kind) {
    case 'alert':
      return fittingPayload(message.text, apnsLimits.payloadBytesMax, (text) =>
        JSON.stringify(alertPayload(message, text)),
      );
    case 'badge':
      return JSON.stringify(badgePayload(message));
    case 'retract':
      return JSON.stringify(retractionPayload(message));
  }
}

function alertPayload(message: PushAlert, text: PushText): object {
  return {
    aps: {
      alert: { title: text.title, body: text.body },
      badge: message.badge,
      'thread-id': message.threadId,
      category: message.type,
      ...(message.urgency === 'high' && { sound: 'default' }),
      // The app's extension fetches the picture and makes the buttons.
      ...((text.image !== null || text.actions.length > 0) && { 'mutable-content': 1 }),
    },
    carillon: alertFacts(message, text),
  };
}

/** The system sets the badge; the app is woken as well where it has something to take away. */
function badgePayload(message: PushBadge): object {
  const wakes = message.cleared.length > 0 && { 'content-available': 1 };
  const payload = (facts: object): object => ({ aps: { badge: message.badge, ...wakes }, carillon: facts });
  const fits = (facts: object): boolean =>
    Buffer.byteLength(JSON.stringify(payload(facts))) <= apnsLimits.payloadBytesMax;
  return payload(badgeFacts(message, fits));
}

/** Takes the place of what Apple still keeps for the device, by its collapse id; what is shown the app takes away. */
function retractionPayload(message: PushRetraction): object {
  return { aps: { badge: message.badge, 'content-available': 1 }, carillon: retractionFacts(message) };
}

function answerOf({ status, headers, body }: ProviderReply & { readonly kind: 'answer' }): ProviderAnswer {
  const fields = body === '' ? null : jsonObject(body);
  const id = headers['apns-id'];
  return {
    status,
    reason: typeof fields?.reason === 'string' ? fields.reason : null,
    retryAfterMs: null,
    // Milliseconds since 1970 (BC-46).
    atMs: typeof fields?.timestamp === 'number' ? fields.timestamp : null,
    providerId: typeof id === 'string' ? id : null,
  };
}

/** The same for every attempt: in Apple's form, of version 8 (RFC 9562). */
function uuidOf(delivery: string): string {
  const hex = hash('sha256', delivery);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
