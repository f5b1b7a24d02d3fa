/**
 * Push services of browsers (RFC 8030, 8291, 8292), with a declarative message that also a service worker can read.
 * PROTOCOLS: the RFCs, Mozilla's autopush documentation, WebKit on declarative web push.
 *
 * The endpoint is named by the browser, so by anybody: `safe-endpoint.ts` stands before every connection.
 */
import { createECDH } from 'node:crypto';
import type { Clock } from '../../base/clock.ts';
import { limits } from '../../base/limits.ts';
import type { Random } from '../../base/random.ts';
import type { PushText } from '../../content/render-push.ts';
import type { Device, DeviceAddress } from '../../profile/device.ts';
import type { CredentialFinding } from '../credential-finding.ts';
import type { Outcome } from '../outcome.ts';
import { DoubtWatch } from './doubt-watch.ts';
import { outcomeWithoutAnswer, type ProviderReply, retryAfterMs } from './provider-reply.ts';
import { alertFacts, fittingPayload, keptSeconds, retractionFacts } from './push-facts.ts';
import type { ProviderAnswer, PushAlert, PushMessage, PushProvider, PushRequest } from './push-provider.ts';
import { PushServiceClient } from './push-service-client.ts';
import { type EndpointRule, endpointProblem, hostOf, publicLookup } from './safe-endpoint.ts';
import { type VapidKey, VapidSigner } from './vapid.ts';
import { encryptForBrowser, encryptionBytes, oneTimeSecrets } from './web-push-encryption.ts';

export interface WebPushCredential {
  /** The first is what pages subscribe with; the others were so before. */
  readonly keys: readonly VapidKey[];
  /** `mailto:` or `https:`: whom a push service can write to. */
  readonly subject: string;
  readonly endpoints: EndpointRule;
}

export interface WebPushTools {
  readonly clock: Clock;
  readonly random: Random;
  readonly ca?: string;
}

type Subscription = Extract<DeviceAddress, { kind: 'subscription' }>;

/** The least that any service takes of an encrypted body is 2744 bytes (Mozilla, where it passes pushes on to a phone). */
const webPushLimits = {
  payloadBytesMax: 2744 - encryptionBytes,
  sendsMax: limits.webPushSocketsMax,
  perMinute: null,
  perDevicePerMinute: null,
} as const;

/** The second is that of Chromium as distributions build it. */
const googleHosts = new Set(['fcm.googleapis.com', 'jmt17.google.com']);

/** Microsoft's service slows with 406, for an hour at least. */
const slowedMs = 60 * 60_000;

type Meaning = (code: string, afterMs: number | null) => Outcome;

const gone: Meaning = (code) => ({ kind: 'gone', code, asOfMs: null });
const refused: Meaning = (code) => ({ kind: 'refused', code });

/** Status → what it means: RFC 8030 §7–8, RFC 8292 §4, autopush "error codes". */
const statuses: Readonly<Record<number, Meaning>> = {
  400: refused,
  // The signature, or the key the subscription was made with: one alone may be the browser's mistake (`DoubtWatch`).
  401: refused,
  403: refused,
  404: gone,
  406: (code, afterMs) => ({ kind: 'throttled', code, afterMs: afterMs ?? slowedMs, scope: 'project' }),
  410: gone,
  413: refused,
  429: (code, afterMs) => ({ kind: 'throttled', code, afterMs, scope: 'project' }),
};

export class PushProviderWebPush implements PushProvider {
  readonly name = 'webpush';
  readonly limits = webPushLimits;
  /** What pages subscribe with. */
  readonly publicKey: string;
  readonly #credential: WebPushCredential;
  readonly #tools: WebPushTools;
  readonly #signer: VapidSigner;
  readonly #client: PushServiceClient;
  /** Made anew for each push; the object is kept, since it costs as much as its keys. */
  readonly #pair = createECDH('prime256v1');
  readonly #doubt: DoubtWatch;

  constructor(credential: WebPushCredential, tools: WebPushTools) {
    const { clock, ca } = tools;
    this.#credential = credential;
    this.#tools = tools;
    this.publicKey = credential.keys[0]?.publicKey ?? '';
    this.#signer = new VapidSigner(credential.keys, credential.subject, clock);
    this.#client = new PushServiceClient({ clock, lookup: publicLookup(credential.endpoints), ...(ca && { ca }) });
    this.#doubt = new DoubtWatch(clock);
  }

  /** A push service throttles and refuses by key and origin. */
  projectOf({ address }: Device): string | null {
    if (address.kind !== 'subscription' || !this.#signer.has(address.vapidKey)) return null;
    if (endpointProblem(address.endpoint, this.#credential.endpoints) !== null) return null;
    return `webpush ${address.vapidKey.slice(0, 12)} ${new URL(address.endpoint).origin}`;
  }

  /**
   * Badges come with the next alert: a browser that gets a push must show something, or shows its own words. Safari would
   * end the subscription over a retraction as well; elsewhere the service worker takes away what is shown.
   */
  render(message: PushMessage, device: Device, nowMs: number): PushRequest | null {
    const { address } = device;
    if (address.kind !== 'subscription' || message.kind === 'badge' || !URL.canParse(address.endpoint)) return null;
    const host = hostOf(new URL(address.endpoint));
    if (message.kind === 'retract' && host.endsWith('.push.apple.com')) return null;
    // Google counts a topic as a collapse key and delays whoever uses more than 20 of them: a tag replaces what is shown as well.
    const hasTopic = message.kind === 'retract' || !googleHosts.has(host);
    const headers = {
      'content-type': 'application/octet-stream',
      'content-encoding': 'aes128gcm',
      ttl: String(keptSeconds(message, nowMs, limits.webPushKeptMaxMs)),
      urgency: message.kind === 'alert' ? message.urgency : 'normal',
      ...(hasTopic && /^[A-Za-z0-9]{1,32}$/.test(message.collapseId) && { topic: message.collapseId }),
    };
    const body =
      message.kind === 'alert'
        ? alertBody(message, device.app)
        : JSON.stringify({ carillon: retractionFacts(message) });
    return { headers, target: address.endpoint, body };
  }

  classify({ status, retryAfterMs: afterMs }: ProviderAnswer): Outcome {
    const code = `status${status}`;
    const known = statuses[status];
    if (known !== undefined) return known(code, afterMs);
    return status >= 500 ? { kind: 'retry', code, afterMs } : refused(code, afterMs);
  }

  async send({ headers, target, body }: PushRequest, device: Device): Promise<Outcome> {
    const project = this.projectOf(device);
    if (device.address.kind !== 'subscription' || project === null) return refused('endpointNotAllowed', null);
    const reply = await this.#post(device.address, { headers, target, body });
    if (reply === null) return refused('badSubscriptionKeys', null);
    if (reply.kind !== 'answer') {
      return reply.code === 'notPublic' ? refused('endpointNotAllowed', null) : outcomeWithoutAnswer(reply);
    }
    const answer = answerOf(reply, this.#tools.clock.now());
    if (answer.status >= 200 && answer.status < 300) {
      this.#doubt.note(project);
      return { kind: 'accepted', providerId: answer.providerId };
    }
    const outcome = this.classify(answer);
    if (outcome.kind === 'refused' && (answer.status === 401 || answer.status === 403)) {
      return this.#doubt.judge(project, outcome);
    }
    if (outcome.kind === 'gone') this.#doubt.note(project);
    return outcome;
  }

  /** There is nobody to ask without a browser: that the key fits together was seen when it was read. */
  async check(): Promise<CredentialFinding[]> {
    const older = this.#credential.keys.length - 1;
    const text = `Pages subscribe with ${this.publicKey}${older === 0 ? '' : `, and ${older} older keys go on signing`}.`;
    return [{ what: 'webpush', isGood: true, text }];
  }

  close(): Promise<void> {
    return this.#client.close();
  }

  async #post({ vapidKey, p256dh, auth }: Subscription, request: PushRequest): Promise<ProviderReply | null> {
    const url = new URL(request.target);
    const authorization = this.#signer.header(vapidKey, url.origin);
    if (authorization === null) return null;
    let body: Buffer;
    try {
      body = encryptForBrowser(
        Buffer.from(request.body),
        { p256dh, auth },
        oneTimeSecrets(this.#tools.random, this.#pair),
      );
    } catch {
      // The browser's key is no point of the curve.
      return null;
    }
    return this.#client.post(url, { ...request.headers, authorization }, body);
  }
}

function alertBody(message: PushAlert, app: string): string {
  return fittingPayload(message.text, webPushLimits.payloadBytesMax, (text) =>
    JSON.stringify(declarative(message, text, app)),
  );
}

/** Shown by the browser itself where it can; elsewhere by the service worker, from the same fields. */
function declarative(message: PushAlert, text: PushText, app: string): object {
  return {
    web_push: 8030,
    notification: {
      title: text.title,
      body: text.body,
      navigate: absolute(text.url ?? '/', app),
      lang: text.locale,
      dir: text.direction,
      tag: message.collapseId,
      app_badge: message.badge,
      ...(text.image !== null && { icon: text.image }),
      ...(text.actions.length > 0 && {
        actions: text.actions.map(({ id, label, url }) => ({ action: id, title: label, navigate: absolute(url, app) })),
      }),
      data: { carillon: alertFacts(message, { ...text, url: null, image: null, actions: [] }) },
    },
    mutable: true,
  };
}

/** A declarative message has no page that a path could belong to: `app` is the origin. */
function absolute(url: string, app: string): string {
  return URL.parse(url, app)?.href ?? url;
}

function answerOf({ status, headers }: ProviderReply & { readonly kind: 'answer' }, nowMs: number): ProviderAnswer {
  return {
    status,
    reason: null,
    retryAfterMs: retryAfterMs(headers['retry-after'], nowMs),
    atMs: null,
    providerId: null,
  };
}
