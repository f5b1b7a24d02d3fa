/**
 * The HTTP server: registers operations, proves callers before it reads a body, validates input, and answers every
 * failure with a problem document. Other parts may add routes of their own (streams, metrics, files) to the instance.
 *
 * Order per request: origin → draining → route and method → authentication → caller's kind → content type → `admit` → body →
 * validation → idempotency → `handle`. A request that is refused early costs neither memory nor parsing.
 */
import type { ErrorCode } from '@carillon/contract/error-codes.ts';
import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from 'fastify';
import type { Authenticator, Principal } from '../auth/principal.ts';
import { CarillonError } from '../base/carillon-error.ts';
import type { Clock } from '../base/clock.ts';
import { limits } from '../base/limits.ts';
import type { Random } from '../base/random.ts';
import { answerClientError } from './client-error.ts';
import { allowOrigins } from './cross-origin.ts';
import { checkCaller, proveCaller } from './http-caller.ts';
import type { Answer, Operation } from './operation.ts';
import { problemAnswer, toCarillonError } from './problem.ts';
import { type IdempotentRunner, type PreparedOperation, prepareOperation, runOperation } from './run-operation.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Who is calling; null until proven, and for operations that anyone may call. */
    principal: Principal | null;
    /** The code of the problem that was answered, if one was. */
    problem: ErrorCode | null;
  }
}

export interface HttpServerOptions {
  readonly operations: readonly Operation[];
  readonly authenticator: Authenticator;
  readonly clock: Clock;
  readonly random: Random;
  /** Honours `Idempotency-Key` for operations that say so. */
  readonly idempotency: IdempotentRunner;
  /** True while the service stops: every new request gets CARILLON_DRAINING. */
  readonly draining?: () => boolean;
  /** Origins whose pages may call; none unless given. */
  readonly allowedOrigins?: readonly string[];
  /** Hears of failures that are ours to mend (status 500 and above). Must not throw. */
  readonly onFailure?: (failure: HttpFailure) => void;
  /** Hears of every answer, for metrics. Must not throw. */
  readonly onAnswer?: (answered: HttpAnswered) => void;
  /** Shorter times for tests; `limits` else. */
  readonly times?: Partial<HttpTimes>;
}

export interface HttpFailure {
  readonly requestId: string;
  /** `POST /v1/events`: the pattern, never the URL, which may hold ids. */
  readonly route: string;
  readonly error: CarillonError;
}

export interface HttpAnswered {
  /** The pattern as in `HttpFailure`. */
  readonly route: string;
  readonly status: number;
  readonly problem: ErrorCode | null;
  /** From the request line to the end of the answer. */
  readonly elapsedMs: number;
}

export interface HttpTimes {
  readonly requestArrivalMs: number;
  readonly keepAliveMs: number;
  /** How often connections are checked for the two above. */
  readonly checkMs: number;
}

/** Not yet listening. */
export function createHttpServer(options: HttpServerOptions): FastifyInstance {
  const times: HttpTimes = {
    requestArrivalMs: limits.requestArrivalMs,
    keepAliveMs: limits.keepAliveMs,
    checkMs: limits.connectionCheckMs,
    ...options.times,
  };
  const app = fastify({
    logger: false,
    genReqId: () => `r_${options.random.hex(8)}`,
    requestTimeout: times.requestArrivalMs,
    keepAliveTimeout: times.keepAliveMs,
    bodyLimit: limits.apiBodyBytesMax,
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    http: {
      maxHeaderSize: limits.headerBytesMax,
      headersTimeout: times.requestArrivalMs,
      connectionsCheckingInterval: times.checkMs,
    },
    routerOptions: { maxParamLength: 1024 },
    clientErrorHandler: (error, socket) => answerClientError(error, socket, `r_${options.random.hex(8)}`),
    frameworkErrors: (error, request, reply) => answerError(options, error, request, reply),
  });
  app.server.maxConnections = limits.httpConnectionsMax;
  app.decorateRequest('principal', null);
  app.decorateRequest('problem', null);
  readBodiesAsBytes(app);
  app.setErrorHandler((error, request, reply) => answerError(options, error, request, reply));
  app.setNotFoundHandler(() => Promise.reject(unknownRoute()));
  const whileDraining = new Set(options.operations.filter((each) => each.whileDraining).map(({ path }) => path));
  const allowOrigin = allowOrigins(options.allowedOrigins ?? []);
  app.addHook('onRequest', (request, reply, done) => {
    if (allowOrigin(request, reply)) return;
    // Behind an offer to upgrade that nobody took up, Node's parser may drop the next request that came in the same read.
    if (request.headers.upgrade !== undefined) reply.header('connection', 'close');
    if (options.draining?.() && !whileDraining.has(request.routeOptions.url ?? ''))
      done(new CarillonError('CARILLON_DRAINING', 'The service is stopping.', { retryAfterSeconds: 1 }));
    else if (request.is404) done(unknownRoute());
    else done();
  });
  const { onAnswer } = options;
  if (onAnswer) {
    app.addHook('onResponse', (request, reply, done) => {
      const { statusCode: status, elapsedTime: elapsedMs } = reply;
      onAnswer({ route: routeOf(request), status, problem: request.problem, elapsedMs });
      done();
    });
  }
  for (const operation of options.operations) addOperation(app, options, prepareOperation(operation));
  refuseOtherMethods(app, options.operations);
  return app;
}

/** Bytes only: parsing needs limits of our own, and happens after the caller is proven. */
function readBodiesAsBytes(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
}

function addOperation(app: FastifyInstance, options: HttpServerOptions, prepared: PreparedOperation): void {
  const { operation } = prepared;
  app.route({
    method: operation.method,
    url: operation.path,
    bodyLimit: operation.rawBody?.bytesMax ?? limits.apiBodyBytesMax,
    async onRequest(request) {
      if (operation.caller !== 'anyone') {
        request.principal = await proveCaller(options.authenticator, request.headers.authorization);
        checkCaller(operation.caller, request.principal);
      }
      prepared.checkContentType(request.headers);
      operation.admit?.(prepared.head(request));
    },
    async handler(request, reply) {
      return sendAnswer(reply, request.id, await runOperation(prepared, { request, reply }, options.idempotency));
    },
  });
}

/** For every known path: the methods it does not take answer 405 and say which it does. */
function refuseOtherMethods(app: FastifyInstance, operations: readonly Operation[]): void {
  const taken = new Map<string, Set<string>>();
  for (const { method, path } of operations) {
    const methods = taken.get(path) ?? new Set();
    methods.add(method);
    if (method === 'GET') methods.add('HEAD');
    taken.set(path, methods);
  }
  for (const [url, methods] of taken) {
    const allow = [...methods].join(', ');
    app.route({
      method: app.supportedMethods.filter((method) => !methods.has(method)),
      url,
      onRequest(_request, reply, done) {
        reply.header('allow', allow);
        done(new CarillonError('CARILLON_METHOD_NOT_ALLOWED', `Allowed here: ${allow}.`));
      },
      handler: () => Promise.resolve(),
    });
  }
}

function sendAnswer(reply: FastifyReply, requestId: string, answer: Answer): FastifyReply {
  reply.code(answer.status).headers({
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'x-request-id': requestId,
  });
  const { body } = answer;
  if (body !== undefined) reply.header('content-type', 'application/json');
  if (answer.headers) reply.headers(answer.headers);
  if (body === undefined || typeof body === 'string' || Buffer.isBuffer(body)) return reply.send(body);
  return reply.send('pipe' in body ? body : JSON.stringify(body));
}

function answerError(options: HttpServerOptions, thrown: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const error = toCarillonError(thrown);
  request.problem = error.code;
  const problem = problemAnswer(error, request.id);
  if (error.status >= 500) {
    options.onFailure?.({ requestId: request.id, route: routeOf(request), error });
  }
  if (willNotRead(request)) reply.header('connection', 'close');
  // As bytes: a string would get a charset appended, which this media type has none of.
  reply.code(problem.status).headers(problem.headers).send(Buffer.from(problem.body));
}

function routeOf(request: FastifyRequest): string {
  return `${request.method} ${request.routeOptions?.url ?? '?'}`;
}

/** A refused body of bounded length is let run out, so that the client gets to read the answer; any other is cut off. */
function willNotRead(request: FastifyRequest): boolean {
  if (request.raw.complete) return false;
  const length = request.headers['content-length'];
  return length === undefined
    ? request.headers['transfer-encoding'] !== undefined
    : Number(length) > limits.batchBytesMax;
}

function unknownRoute(): CarillonError {
  return new CarillonError('CARILLON_ROUTE_UNKNOWN', 'There is nothing at this path.');
}
