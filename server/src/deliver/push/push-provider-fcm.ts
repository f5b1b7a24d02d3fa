/**
 * Firebase Cloud Messaging, HTTP v1 over HTTP/2: one request for each device. PROTOCOLS: Firebase's REST reference, its
 * pages on error codes, on throttling and quotas, and on managing tokens.
 */
import type { Clock } from '../../base/clock.ts';
import { limits } from '../../base/limits.ts';
import { fitPush, type PushText } from '../../content/render-push.ts';
import type { Device } from '../../profile/device.ts';
import type { CredentialFinding } from '../credential-finding.ts';
import type { Outcome } from '../outcome.ts';
import { DoubtWatch } from './doubt-watch.ts';
import { fcmFinding } from './fcm-finding.ts';
import { GoogleAccessToken, type NoAccess, type ServiceAccount } from './google-access-token.ts';
import { Http2Pool } from './http2-pool.ts';
import { HttpsClient } from './https-client.ts';
import { jsonObject, outcomeWithoutAnswer, type ProviderReply, retryAfterMs } from './provider-reply.ts';
import { alertFacts, badgeFacts, keptSeconds, retractionFacts } from './push-facts.ts';
import type { ProviderAnswer, PushAlert, PushMessage, PushProvider, PushRequest } from './push-provider.ts';

export interface FcmCredential {
  readonly account: ServiceAccount;
  /** Names of apps, as devices give them. */
  readonly apps: readonly string[];
  /** Another server instead of Google's, for tests. */
  readonly origin: string | null;
}

const googleOrigin = 'https://fcm.googleapis.com';

/** "Throttling and quotas": 600,000 a minute for a project, 240 for an Android device; 4096 bytes of keys and values. */
const fcmLimits = {
  payloadBytesMax: 4096,
  sendsMax: limits.pushSendsMax,
  perMinute: 600_000,
  perDevicePerMinute: 240,
} as const;

const refused = (code: string): Outcome => ({ kind: 'refused', code });
const minuteMs = 60_000;
/** "Scale FCM": not before 10 s. */
const leastRetryMs = 10_000;

/** The word that `answerOf` puts in the place of INVALID_ARGUMENT where it is about the token and not about the rest. */
const invalidToken = 'INVALID_TOKEN';
/** In the place of a quota that is exceeded where it is that of one device. */
const deviceQuota = 'DEVICE_QUOTA_EXCEEDED';

/** `errorCode`, else `status`, of the answer → what it means: "FCM error codes". */
const reasons: Readonly<Record<string, (code: string, afterMs: number | null) => Outcome>> = {
  INVALID_ARGUMENT: refused,
  [invalidToken]: (code) => ({ kind: 'gone', code, asOfMs: null }),
  UNREGISTERED: (code) => ({ kind: 'gone', code, asOfMs: null }),
  // One token of another project is the device's mistake, many are ours (`DoubtWatch`).
  SENDER_ID_MISMATCH: refused,
  QUOTA_EXCEEDED: (code, afterMs) => ({ kind: 'throttled', code, afterMs: afterMs ?? minuteMs, scope: 'project' }),
  RESOURCE_EXHAUSTED: (code, afterMs) => ({ kind: 'throttled', code, afterMs: afterMs ?? minuteMs, scope: 'project' }),
  [deviceQuota]: (code, afterMs) => ({ kind: 'throttled', code, afterMs: afterMs ?? minuteMs, scope: 'endpoint' }),
  UNAVAILABLE: (code, afterMs) => ({ kind: 'retry', code, afterMs: Math.max(afterMs ?? 0, leastRetryMs) }),
  INTERNAL: (code, afterMs) => ({ kind: 'retry', code, afterMs: Math.max(afterMs ?? 0, leastRetryMs) }),
  // Of the project's keys for Apple and browsers: Android goes on, so one alone stops nothing (`DoubtWatch`).
  THIRD_PARTY_AUTH_ERROR: refused,
  UNAUTHENTICATED: (code) => ({ kind: 'blocked', code }),
  PERMISSION_DENIED: (code) => ({ kind: 'blocked', code }),
};

const doubtful = new Set(['SENDER_ID_MISMATCH', 'THIRD_PARTY_AUTH_ERROR']);

interface Account extends FcmCredential {
  readonly project: string;
  readonly pool: Http2Pool;
  readonly access: GoogleAccessToken;
}

export class PushProviderFcm implements PushProvider {
  readonly name = 'fcm';
  readonly limits = fcmLimits;
  readonly #accounts: readonly Account[];
  readonly #client: HttpsClient;
  readonly #clock: Clock;
  readonly #doubt: DoubtWatch;

  constructor(credentials: readonly FcmCredential[], clock: Clock, ca?: string) {
    this.#clock = clock;
    this.#doubt = new DoubtWatch(clock);
    this.#client = new HttpsClient({ clock, ...(ca && { ca }) });
    this.#accounts = credentials.map((credential) => ({
      ...credential,
      project: `fcm ${credential.account.projectId}`,
      pool: new Http2Pool({
        origin: credential.origin ?? googleOrigin,
        clock,
        startsWithOneStream: false,
        ...(ca && { ca }),
      }),
      access: new GoogleAccessToken(credential.account, clock, this.#client),
    }));
  }

  projectOf(device: Device): string | null {
    return this.#accountOf(device)?.project ?? null;
  }

  render(message: PushMessage, device: Device, nowMs: number): PushRequest | null {
    const account = this.#accountOf(device);
    if (account === undefined || device.address.kind === 'subscription') return null;
    const to = { [device.address.kind]: device.address.value };
    const body = JSON.stringify({ message: { ...messageOf(message, nowMs), ...to } });
    return { headers: { 'content-type': 'application/json' }, target: pathOf(account), body };
  }

  classify({ status, reason, retryAfterMs: afterMs }: ProviderAnswer): Outcome {
    const code = reason !== null && /^\w{1,64}$/.test(reason) ? reason : `status${status}`;
    const known = reasons[code];
    if (known !== undefined) return known(code, afterMs);
    if (status === 429) return { kind: 'throttled', code, afterMs: afterMs ?? minuteMs, scope: 'project' };
    if (status >= 500) return { kind: 'retry', code, afterMs: Math.max(afterMs ?? 0, leastRetryMs) };
    return status === 401 || status === 403 ? { kind: 'blocked', code } : refused(code);
  }

  async send({ headers, target, body }: PushRequest, device: Device): Promise<Outcome> {
    const account = this.#accountOf(device);
    if (account === undefined) return { kind: 'blocked', code: 'noCredentials' };
    const reply = await post(account, { ...headers, ':method': 'POST', ':path': target }, body);
    if (reply.kind === 'none') return reply.outcome;
    if (reply.kind !== 'answer') return outcomeWithoutAnswer(reply);
    const answer = answerOf(reply, this.#clock.now());
    if (answer.status === 200) {
      this.#doubt.note(account.project);
      return { kind: 'accepted', providerId: answer.providerId };
    }
    const outcome = this.classify(answer);
    if (outcome.kind === 'refused' && doubtful.has(outcome.code)) return this.#doubt.judge(account.project, outcome);
    if (outcome.kind === 'gone') this.#doubt.note(account.project);
    return outcome;
  }

  /** A dry run to a token of no device: Google looks at the credentials first. */
  async check(): Promise<CredentialFinding[]> {
    return Promise.all(
      this.#accounts.map(async (account) => {
        const what = `fcm ${account.apps.join(', ')} (${account.account.projectId})`;
        const message = { token: 'carillon-check', notification: { title: 'check' } };
        const body = JSON.stringify({ validate_only: true, message });
        const headers = { ':method': 'POST', ':path': pathOf(account), 'content-type': 'application/json' };
        const reply = await post(account, headers, body);
        return fcmFinding(what, account.account, reply.kind === 'answer' ? answerOf(reply, this.#clock.now()) : reply);
      }),
    );
  }

  async close(): Promise<void> {
    await Promise.all([this.#client.close(), ...this.#accounts.map(({ pool }) => pool.close())]);
  }

  #accountOf({ app }: Device): Account | undefined {
    return this.#accounts.find(({ apps }) => apps.includes(app));
  }
}

/** One attempt, and one more where Google takes our token no longer. */
async function post(
  { pool, access }: Account,
  headers: Readonly<Record<string, string>>,
  body: string | Uint8Array,
): Promise<ProviderReply | NoAccess> {
  for (let isLast = false; ; isLast = true) {
    const given = await access.get();
    if (given.kind === 'none') return given;
    const reply = await pool.request({ ...headers, authorization: `Bearer ${given.token}` }, body);
    const isRefused = reply.kind === 'answer' && reply.status === 401 && !reply.body.includes('THIRD_PARTY_AUTH_ERROR');
    if (!isRefused) return reply;
    access.forget(given.token);
    if (isLast) return reply;
  }
}

function pathOf({ account }: Account): string {
  return `/v1/projects/${encodeURIComponent(account.projectId)}/messages:send`;
}

function messageOf(message: PushMessage, nowMs: number): object {
  const seconds = keptSeconds(message, nowMs, limits.fcmKeptMaxMs);
  const fits = (body: object): boolean => Buffer.byteLength(JSON.stringify(body)) <= fcmLimits.payloadBytesMax;
  switch (message.kind) {
    case 'alert': {
      const encode = (text: PushText): string => JSON.stringify(alertMessage(message, text, { nowMs, seconds }));
      return alertMessage(message, fitPush(message.text, fcmLimits.payloadBytesMax, encode), { nowMs, seconds });
    }
    case 'badge': {
      const silent = (facts: object): object => silentMessage(message, facts, { nowMs, seconds });
      return silent(badgeFacts(message, (facts) => fits(silent(facts))));
    }
    case 'retract':
      return silentMessage(message, retractionFacts(message), { nowMs, seconds });
  }
}

interface Kept {
  readonly nowMs: number;
  readonly seconds: number;
}

/**
 * On Android what is shown is replaced by its tag. No collapse key: FCM keeps four for a device, and slows whoever
 * sends more than 20 of such in a row.
 */
function alertMessage(message: PushAlert, text: PushText, kept: Kept): object {
  const isHigh = message.urgency === 'high';
  const hasExtras = text.image !== null || text.actions.length > 0;
  return {
    notification: { title: text.title, body: text.body, ...(text.image !== null && { image: text.image }) },
    data: { carillon: JSON.stringify(alertFacts(message, text)) },
    android: {
      priority: isHigh ? 'high' : 'normal',
      ttl: `${kept.seconds}s`,
      notification: { channel_id: message.category, tag: message.collapseId, notification_count: message.badge },
    },
    apns: {
      headers: appleHeaders(message, kept),
      payload: {
        aps: {
          badge: message.badge,
          'thread-id': message.threadId,
          category: message.type,
          ...(isHigh && { sound: 'default' }),
          ...(hasExtras && { 'mutable-content': 1 }),
        },
      },
      // As Google's own libraries write it.
      ...(text.image !== null && { fcmOptions: { image: text.image } }),
    },
  };
}

/** For the app, which shows nothing. */
function silentMessage(message: Exclude<PushMessage, PushAlert>, facts: object, kept: Kept): object {
  return {
    data: { carillon: JSON.stringify(facts) },
    android: { priority: 'normal', ttl: `${kept.seconds}s` },
    apns: {
      headers: appleHeaders(message, kept),
      payload: { aps: { badge: message.badge, 'content-available': 1 } },
    },
  };
}

function appleHeaders(message: PushMessage, { nowMs, seconds }: Kept): object {
  return {
    'apns-push-type': 'alert',
    'apns-priority': message.kind === 'alert' && message.urgency === 'high' ? '10' : '5',
    'apns-expiration': seconds === 0 ? '0' : String(Math.floor(nowMs / 1000) + seconds),
    ...(message.kind !== 'badge' && { 'apns-collapse-id': message.collapseId }),
  };
}

function answerOf(
  { status, headers, body }: ProviderReply & { readonly kind: 'answer' },
  nowMs: number,
): ProviderAnswer {
  const fields = jsonObject(body) ?? {};
  return {
    status,
    reason: status === 200 ? null : reasonOf(fields.error),
    retryAfterMs: retryAfterMs(headers['retry-after'], nowMs),
    atMs: null,
    providerId: typeof fields.name === 'string' ? fields.name : null,
  };
}

interface ErrorFields {
  readonly status?: unknown;
  readonly message?: unknown;
  readonly details?: unknown;
}

/**
 * INVALID_ARGUMENT is about our message where the answer names fields of it; only where FCM itself says that the token is
 * none is it about the device.
 */
function reasonOf(error: unknown): string | null {
  if (typeof error !== 'object' || error === null) return null;
  const { status, message, details } = error as ErrorFields;
  const parts: Readonly<Record<string, unknown>>[] = Array.isArray(details) ? details : [];
  const ofFcm = parts.find((part) => typeof part?.errorCode === 'string');
  const code = ofFcm?.errorCode ?? status;
  if (typeof code !== 'string') return null;
  const failure = parts.find((part) => String(part?.['@type']).endsWith('google.rpc.QuotaFailure'));
  if (failure !== undefined && /device/i.test(JSON.stringify(failure.violations ?? ''))) return deviceQuota;
  const isAboutToken = /not a valid FCM registration token/i.test(String(message));
  const namesFields = parts.some((part) => part !== ofFcm && String(part?.['@type']).endsWith('google.rpc.BadRequest'));
  return code === 'INVALID_ARGUMENT' && ofFcm !== undefined && isAboutToken && !namesFields ? invalidToken : code;
}
