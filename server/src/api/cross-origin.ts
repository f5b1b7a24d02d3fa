/**
 * Pages of other origins (CORS): those of the configured origins may call the API and read its answers, errors among
 * them. Nothing here opens anything: callers prove themselves by a token, and cookies play no part.
 */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { limits } from '../base/limits.ts';

/** Answers whether it has answered the request itself: a browser's question whether it may send one. */
export type AllowOrigin = (request: FastifyRequest, reply: FastifyReply) => boolean;

const methods = 'GET, HEAD, POST, PUT, PATCH, DELETE';
const requestHeaders = 'authorization, content-type, idempotency-key, last-event-id, traceparent';
const answerHeaders = 'link, ratelimit, ratelimit-policy, retry-after, x-request-id';

export function allowOrigins(origins: readonly string[]): AllowOrigin {
  if (origins.length === 0) return () => false;
  const allowed = new Set(origins);
  return ({ method, headers }, reply) => {
    reply.header('vary', 'origin');
    const { origin } = headers;
    if (origin === undefined || !allowed.has(origin)) return false;
    reply.header('access-control-allow-origin', origin);
    if (method !== 'OPTIONS' || headers['access-control-request-method'] === undefined) {
      reply.header('access-control-expose-headers', answerHeaders);
      return false;
    }
    reply
      .code(204)
      .headers({
        'access-control-allow-methods': methods,
        'access-control-allow-headers': requestHeaders,
        'access-control-max-age': String(limits.preflightKeptMs / 1000),
      })
      .send();
    return true;
  };
}
