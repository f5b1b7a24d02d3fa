/**
 * A push service that keeps to the letter of RFC 8030, 8291 and 8292, and to the limits that real ones have: what it takes
 * any may be expected to take. Decryption is that of `http_ece`, not ours.
 */
import { createECDH, createPublicKey, type ECDH, randomBytes, verify } from 'node:crypto';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import ece from 'http_ece';

export interface Browser {
  readonly endpoint: string;
  readonly p256dh: string;
  readonly auth: string;
}

interface Subscription {
  readonly pair: ECDH;
  readonly auth: Buffer;
  readonly vapidKey: string;
  /** Answered whatever comes, with the headers; null: the rules decide. */
  readonly status: number | null;
}

export interface Taken {
  readonly path: string;
  readonly text: string;
  readonly bytes: number;
  readonly topic: string | null;
  readonly ttl: number;
  readonly urgency: string | null;
}

/** Of Mozilla's service, where it passes a push on to a phone: the least of all. */
const bodyBytesMax = 2744;

export class StrictPushService {
  readonly #server: Server;
  readonly #subscriptions = new Map<string, Subscription>();
  readonly taken: Taken[] = [];
  /** What was wrong, in words. */
  readonly faults: string[] = [];
  origin = '';

  constructor() {
    this.#server = createServer(async (request, response) => {
      const parts: Buffer[] = [];
      for await (const part of request) parts.push(part as Buffer);
      const subscription = this.#subscriptions.get(request.url ?? '');
      const status =
        subscription === undefined
          ? 404
          : (subscription.status ?? this.#judge(request, Buffer.concat(parts), subscription));
      response.writeHead(status, status === 429 ? { 'retry-after': '120' } : { location: '/m/1' }).end();
    });
  }

  async listen(): Promise<void> {
    await new Promise<void>((resolve) => void this.#server.listen(0, '127.0.0.1', resolve));
    this.origin = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  subscribe(vapidKey: string, status: number | null = null): Browser {
    const pair = createECDH('prime256v1');
    const p256dh = pair.generateKeys().toString('base64url');
    const auth = randomBytes(16);
    const path = `/push/${this.#subscriptions.size}`;
    this.#subscriptions.set(path, { pair, auth, vapidKey, status });
    return { endpoint: this.origin + path, p256dh, auth: auth.toString('base64url') };
  }

  #judge(request: IncomingMessage, body: Buffer, subscription: Subscription): number {
    const { headers, method, url: path = '' } = request;
    const { ttl, urgency, topic } = headers as Record<string, string | undefined>;
    const refuse = (status: number, fault: string): number => {
      this.faults.push(fault);
      return status;
    };
    if (method !== 'POST') return refuse(405, 'not POST');
    if (ttl === undefined || !/^\d{1,7}$/.test(ttl) || Number(ttl) > 2_419_200) return refuse(400, `TTL ${ttl}`);
    if (urgency !== undefined && !/^(very-low|low|normal|high)$/.test(urgency))
      return refuse(400, `urgency ${urgency}`);
    if (topic !== undefined && !/^[A-Za-z0-9]{1,32}$/.test(topic)) return refuse(400, `topic ${topic}`);
    if (headers['content-encoding'] !== 'aes128gcm') return refuse(400, 'encoding');
    if (body.length > bodyBytesMax) return refuse(413, `${body.length} bytes`);
    const fault = this.#signatureFault(headers.authorization ?? '', subscription.vapidKey);
    if (fault !== null) return refuse(403, fault);
    let text: string;
    try {
      const { pair, auth } = subscription;
      text = ece
        .decrypt(body, { version: 'aes128gcm', privateKey: pair, authSecret: auth.toString('base64url') })
        .toString();
    } catch (error) {
      return refuse(400, `cannot be decrypted: ${(error as Error).message}`);
    }
    this.taken.push({
      path,
      text,
      bytes: body.length,
      topic: topic ?? null,
      ttl: Number(ttl),
      urgency: urgency ?? null,
    });
    return 201;
  }

  #signatureFault(authorization: string, vapidKey: string): string | null {
    const [, token = '', key = ''] = /^vapid t=([\w.-]+), k=([\w-]+)$/.exec(authorization) ?? [];
    if (key !== vapidKey) return 'not the key of the subscription';
    const [head = '', claims = '', signature = ''] = token.split('.');
    const json = (part: string): Record<string, unknown> => JSON.parse(Buffer.from(part, 'base64url').toString());
    if (json(head).alg !== 'ES256') return 'not ES256';
    const point = Buffer.from(key, 'base64url');
    const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((part) => part.toString('base64url'));
    const publicKey = createPublicKey({ key: { kty: 'EC', crv: 'P-256', x: x ?? '', y: y ?? '' }, format: 'jwk' });
    const verifier = { key: publicKey, dsaEncoding: 'ieee-p1363' } as const;
    if (!verify('sha256', Buffer.from(`${head}.${claims}`), verifier, Buffer.from(signature, 'base64url')))
      return 'signature';
    const { aud, exp, sub } = json(claims);
    const seconds = Math.floor((performance.timeOrigin + performance.now()) / 1000);
    if (aud !== this.origin) return `aud ${aud}`;
    if (typeof exp !== 'number' || exp <= seconds || exp > seconds + 24 * 3600) return `exp ${exp}`;
    if (typeof sub !== 'string' || !/^(mailto:[^@]+@[^@]+|https:\/\/.+)$/.test(sub)) return `sub ${sub}`;
    return null;
  }
}
