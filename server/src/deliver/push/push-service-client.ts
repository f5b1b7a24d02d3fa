/**
 * Requests to push services of browsers: over HTTP/2 where a service speaks it, as the large ones do, else over HTTP/1.1.
 * What a service speaks is learned by its first connection, on which nothing is sent before that is known.
 */
import type { LookupFunction } from 'node:net';
import type { Clock } from '../../base/clock.ts';
import { limits } from '../../base/limits.ts';
import { Http2Pool } from './http2-pool.ts';
import { HttpsClient } from './https-client.ts';
import type { ProviderReply } from './provider-reply.ts';

export interface ServiceClientOptions {
  readonly clock: Clock;
  readonly lookup: LookupFunction;
  readonly ca?: string;
}

export class PushServiceClient {
  readonly #options: ServiceClientOptions;
  readonly #client: HttpsClient;
  /** By origin, in order of last use; null: it speaks HTTP/1.1. */
  readonly #pools = new Map<string, Http2Pool | null>();

  constructor(options: ServiceClientOptions) {
    this.#options = options;
    this.#client = new HttpsClient(options);
  }

  async post(url: URL, headers: Readonly<Record<string, string>>, body: Uint8Array): Promise<ProviderReply> {
    const pool = url.protocol === 'https:' ? this.#poolOf(url.origin) : null;
    if (pool !== null) {
      const to = { ':method': 'POST', ':path': url.pathname + url.search };
      const reply = await pool.request({ ...to, ...headers }, body);
      if (reply.kind !== 'unsent' || reply.code !== 'noHttp2') return reply;
      this.#pools.set(url.origin, null);
    }
    return this.#client.post(url, headers, body);
  }

  async close(): Promise<void> {
    await Promise.all([this.#client.close(), ...[...this.#pools.values()].map((pool) => pool?.close())]);
  }

  /** Origins are named by anybody: the one unused longest is left where there are many. */
  #poolOf(origin: string): Http2Pool | null {
    const known = this.#pools.get(origin);
    const pool = known === undefined ? new Http2Pool({ ...this.#options, origin, startsWithOneStream: false }) : known;
    this.#pools.delete(origin);
    this.#pools.set(origin, pool);
    const [oldest] = this.#pools.keys();
    if (this.#pools.size > limits.webPushPoolsMax && oldest !== undefined) {
      void this.#pools.get(oldest)?.close();
      this.#pools.delete(oldest);
    }
    return pool;
  }
}
