/**
 * Requests over HTTP/1.1 with connections that are kept: for push services that browsers name, which need not speak HTTP/2,
 * and for what is asked seldom. Never follows a redirect, never rejects, and says what is certain to be unsent.
 */
import http from 'node:http';
import https from 'node:https';
import type { LookupFunction } from 'node:net';
import type { Clock } from '../../base/clock.ts';
import { limits } from '../../base/limits.ts';
import type { ProviderReply } from './provider-reply.ts';

export interface HttpsClientOptions {
  readonly clock: Clock;
  /** Asked for each new connection; what it refuses is not connected to. */
  readonly lookup?: LookupFunction;
  readonly ca?: string;
}

export class HttpsClient {
  readonly #options: HttpsClientOptions;
  readonly #underWay = new Set<Promise<ProviderReply>>();
  #isClosed = false;
  readonly #agents: { readonly 'https:': https.Agent; readonly 'http:': http.Agent };

  constructor(options: HttpsClientOptions) {
    this.#options = options;
    const maxSockets = limits.webPushSocketsMax;
    // An idle connection is left before the usual service closes it, or a push would meet its end.
    const kept = { keepAlive: true, maxSockets, maxTotalSockets: maxSockets, timeout: limits.pushIdleSocketMs };
    this.#agents = { 'https:': new https.Agent(kept), 'http:': new http.Agent(kept) };
  }

  async post(url: URL, headers: http.OutgoingHttpHeaders, body: Uint8Array | string): Promise<ProviderReply> {
    if (this.#isClosed) return { kind: 'unsent', code: 'closed' };
    const reply = this.#request(url, headers, body).catch(unsendable);
    this.#underWay.add(reply);
    try {
      return await reply;
    } finally {
      this.#underWay.delete(reply);
    }
  }

  /** Resolves when what is under way has finished, or has taken too long for a stop and is lost. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const letGo = (): void => {
      for (const agent of Object.values(this.#agents)) agent.destroy();
    };
    const cancel = this.#options.clock.after(limits.pushCloseMs, letGo);
    await Promise.all(this.#underWay);
    cancel();
    letGo();
  }

  #request(url: URL, headers: http.OutgoingHttpHeaders, body: Uint8Array | string): Promise<ProviderReply> {
    const { clock, lookup, ca } = this.#options;
    const isPlain = url.protocol === 'http:';
    return new Promise((settle) => {
      let isSent = false;
      const request = (isPlain ? http : https).request(url, {
        method: 'POST',
        headers: { ...headers, 'content-length': Buffer.byteLength(body) },
        agent: this.#agents[isPlain ? 'http:' : 'https:'],
        ...(lookup && { lookup }),
        ...(ca && !isPlain && { ca }),
      });
      const cancel = clock.after(limits.pushAnswerMs, () => {
        request.destroy(Object.assign(new Error('no answer in time'), { code: 'answerTimeout' }));
      });
      const done = (reply: ProviderReply): void => {
        cancel();
        settle(reply);
      };
      request.on('socket', (socket) => {
        if (!socket.connecting) isSent = true;
        else socket.once(isPlain ? 'connect' : 'secureConnect', () => (isSent = true));
      });
      request.on('error', (error: NodeJS.ErrnoException) => {
        done({ kind: isSent ? 'lost' : 'unsent', code: error.code ?? 'connectionError' });
      });
      request.on('response', (response) => {
        readAnswer(response, done);
      });
      request.end(body);
    });
  }
}

/** Node does not take it for a request. */
function unsendable(error: NodeJS.ErrnoException): ProviderReply {
  return { kind: 'unsent', code: error.code ?? 'badRequest' };
}

/** The status is the answer: what of the body does not come, or is too much, is left out. */
function readAnswer(response: http.IncomingMessage, done: (reply: ProviderReply) => void): void {
  const parts: Buffer[] = [];
  let bytes = 0;
  const finish = (): void => {
    const body = Buffer.concat(parts).toString();
    done({ kind: 'answer', status: response.statusCode ?? 0, headers: response.headers, body });
  };
  response.on('data', (part: Buffer) => {
    bytes += part.length;
    if (bytes <= limits.pushAnswerBytesMax) parts.push(part);
    else response.destroy();
  });
  response.on('error', finish);
  response.on('end', finish);
  response.on('close', finish);
}
