/**
 * Expo's push service, which passes pushes on to Apple and Google. Source: docs.expo.dev "Send notifications with the Expo
 * Push Service". `accepted` means that Expo has taken it; what became of it later stands in receipts, which are not read:
 * a dead token is noticed at the next push, when Expo says so at once.
 */
import type { Clock } from '../../base/clock.ts';
import { limits } from '../../base/limits.ts';
import { fitPush, type PushText } from '../../content/render-push.ts';
import type { Device } from '../../profile/device.ts';
import type { CredentialFinding } from '../credential-finding.ts';
import type { Outcome } from '../outcome.ts';
import { DoubtWatch } from './doubt-watch.ts';
import { HttpsClient } from './https-client.ts';
import { jsonObject, outcomeWithoutAnswer, type ProviderReply, retryAfterMs } from './provider-reply.ts';
import { alertFacts, badgeFacts, keptSeconds, retractionFacts } from './push-facts.ts';
import type { ProviderAnswer, PushAlert, PushMessage, PushProvider, PushRequest } from './push-provider.ts';

export interface ExpoCredential {
  readonly apps: readonly string[];
  /** Null: the project does not ask for one. */
  readonly accessToken: string | null;
  /** Another server instead of Expo's, for tests. */
  readonly origin: string | null;
}

const expoOrigin = 'https://exp.host';
const sendPath = '/--/api/v2/push/send';
const receiptsPath = '/--/api/v2/push/getReceipts';

/** What Expo makes of it for Apple or Google is larger than what it was given, by a few names of its own. */
const contentBytesMax = 3584;

/** "600 notifications a second for each project"; what reaches Apple or Google may have 4096 bytes. */
const expoLimits = {
  payloadBytesMax: 4096,
  sendsMax: limits.webPushSocketsMax,
  perMinute: 36_000,
  perDevicePerMinute: null,
} as const;

type Meaning = (code: string, afterMs: number | null) => Outcome;

const refused: Meaning = (code) => ({ kind: 'refused', code });
const slowed =
  (scope: 'project' | 'endpoint'): Meaning =>
  (code, afterMs) => ({ kind: 'throttled', code, afterMs, scope });

/** `details.error` of a ticket, or `code` of an error of the request → what it means. */
const reasons: Readonly<Record<string, Meaning>> = {
  DeviceNotRegistered: (code) => ({ kind: 'gone', code, asOfMs: null }),
  MessageTooBig: refused,
  MessageRateExceeded: slowed('endpoint'),
  // The project's keys for Apple or Google: of the one or the other, so one alone stops nothing (`DoubtWatch`).
  InvalidCredentials: refused,
  MismatchSenderId: refused,
  DeveloperError: refused,
  ExpoError: (code, afterMs) => ({ kind: 'retry', code, afterMs }),
  // Neither taken nor refused: who knows.
  noTicket: (code) => ({ kind: 'unknown', code }),
  ProviderError: (code, afterMs) => ({ kind: 'retry', code, afterMs }),
  TOO_MANY_REQUESTS: slowed('project'),
  UNAUTHORIZED: (code) => ({ kind: 'blocked', code }),
  FORBIDDEN: (code) => ({ kind: 'blocked', code }),
  VALIDATION_ERROR: refused,
};

const doubtful = new Set(['InvalidCredentials', 'MismatchSenderId']);

export class PushProviderExpo implements PushProvider {
  readonly name = 'expo';
  readonly limits = expoLimits;
  readonly #credential: ExpoCredential;
  readonly #clock: Clock;
  readonly #client: HttpsClient;
  readonly #doubt: DoubtWatch;

  constructor(credential: ExpoCredential, clock: Clock) {
    this.#credential = credential;
    this.#clock = clock;
    this.#client = new HttpsClient({ clock });
    this.#doubt = new DoubtWatch(clock);
  }

  projectOf({ app }: Device): string | null {
    return this.#credential.apps.includes(app) ? 'expo' : null;
  }

  render(message: PushMessage, device: Device, nowMs: number): PushRequest | null {
    if (device.address.kind !== 'token') return null;
    const common = {
      to: device.address.value,
      badge: message.badge,
      ttl: keptSeconds(message, nowMs, limits.fcmKeptMaxMs),
    };
    return {
      headers: { 'content-type': 'application/json', accept: 'application/json' },
      target: sendPath,
      body: JSON.stringify({ ...common, ...contentOf(message) }),
    };
  }

  classify({ status, reason, retryAfterMs: afterMs }: ProviderAnswer): Outcome {
    const code = reason !== null && /^\w{1,64}$/.test(reason) ? reason : `status${status}`;
    const known = reasons[code];
    if (known !== undefined) return known(code, afterMs);
    if (status === 429) return slowed('project')(code, afterMs);
    if (status >= 500) return { kind: 'retry', code, afterMs };
    return status === 401 || status === 403 ? { kind: 'blocked', code } : refused(code, afterMs);
  }

  async send({ headers, target, body }: PushRequest, device: Device): Promise<Outcome> {
    const project = this.projectOf(device);
    if (project === null) return { kind: 'blocked', code: 'noCredentials' };
    const reply = await this.#post(target, headers, body);
    if (reply.kind !== 'answer') return outcomeWithoutAnswer(reply);
    const answer = answerOf(reply, this.#clock.now());
    if (answer.status === 200 && answer.reason === null) {
      this.#doubt.note(project);
      return { kind: 'accepted', providerId: answer.providerId };
    }
    const outcome = this.classify(answer);
    if (outcome.kind === 'refused' && doubtful.has(outcome.code)) return this.#doubt.judge(project, outcome);
    return outcome;
  }

  async check(): Promise<CredentialFinding[]> {
    const what = `expo ${this.#credential.apps.join(', ')}`;
    const reply = await this.#post(receiptsPath, { 'content-type': 'application/json' }, '{"ids":["carillon-check"]}');
    if (reply.kind !== 'answer') return [{ what, isGood: false, text: `Expo could not be reached (${reply.code}).` }];
    if (reply.status === 200) return [{ what, isGood: true, text: 'Expo answers, and accepts what it was given.' }];
    const text =
      reply.status === 401 || reply.status === 403
        ? 'Expo refuses the access token: make a new one in the project, or leave it out if the project asks for none.'
        : `Expo answered ${reply.status}.`;
    return [{ what, isGood: false, text }];
  }

  close(): Promise<void> {
    return this.#client.close();
  }

  #post(path: string, headers: Readonly<Record<string, string>>, body: string | Uint8Array): Promise<ProviderReply> {
    const { accessToken, origin } = this.#credential;
    const authorization = accessToken !== null && { authorization: `Bearer ${accessToken}` };
    return this.#client.post(new URL(path, origin ?? expoOrigin), { ...headers, ...authorization }, body);
  }
}

function contentOf(message: PushMessage): object {
  const bytesOf = (content: object): number => Buffer.byteLength(JSON.stringify(content));
  switch (message.kind) {
    case 'alert': {
      const encode = (text: PushText): string => JSON.stringify(alertContent(message, text));
      return alertContent(message, fitPush(message.text, contentBytesMax, encode));
    }
    case 'badge': {
      const fits = (facts: object): boolean => bytesOf(silentContent(facts)) <= contentBytesMax;
      return silentContent(badgeFacts(message, fits));
    }
    case 'retract':
      return silentContent(retractionFacts(message));
  }
}

function alertContent(message: PushAlert, text: PushText): object {
  const isHigh = message.urgency === 'high';
  return {
    title: text.title,
    body: text.body,
    priority: isHigh ? 'high' : 'normal',
    channelId: message.category,
    categoryId: message.type,
    ...(isHigh && { sound: 'default' }),
    ...((text.image !== null || text.actions.length > 0) && { mutableContent: true }),
    data: { carillon: alertFacts(message, text) },
  };
}

/** For the app, which shows nothing. */
function silentContent(facts: object): object {
  return { priority: 'normal', _contentAvailable: true, data: { carillon: facts } };
}

interface Ticket {
  readonly status?: unknown;
  readonly id?: unknown;
  readonly details?: { readonly error?: unknown };
}

function answerOf(
  { status, headers, body }: ProviderReply & { readonly kind: 'answer' },
  nowMs: number,
): ProviderAnswer {
  const fields = jsonObject(body) ?? {};
  const [error] = Array.isArray(fields.errors) ? (fields.errors as { code?: unknown }[]) : [];
  const ticket: Ticket = (Array.isArray(fields.data) ? fields.data[0] : fields.data) ?? {};
  const ofTicket =
    ticket.status === 'ok' ? null : (ticket.details?.error ?? (ticket.status === 'error' ? 'ExpoError' : 'noTicket'));
  const reason = error?.code ?? (status === 200 ? ofTicket : null);
  return {
    status,
    reason: typeof reason === 'string' ? reason : null,
    retryAfterMs: retryAfterMs(headers['retry-after'], nowMs),
    atMs: null,
    providerId: typeof ticket.id === 'string' ? ticket.id : null,
  };
}
