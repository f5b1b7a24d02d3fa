/** One request of one operation, once its caller is proven: input is checked against the schemas, then `handle` runs. */
import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { TObject, TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import { CarillonError, type FieldError } from '../base/carillon-error.ts';
import { fieldErrors } from '../base/field-errors.ts';
import { lazy } from '../base/lazy.ts';
import { limits } from '../base/limits.ts';
import { readJson } from '../base/read-json.ts';
import type { IdempotentRequest } from '../intake/idempotency.ts';
import type { Answer, Operation, OperationRequest, RequestHead } from './operation.ts';

export interface IdempotentRunner {
  run(request: IdempotentRequest, work: () => Promise<Answer>): Promise<Answer>;
}

/** An operation with its schemas compiled, once at start. */
export interface PreparedOperation {
  readonly operation: Operation;
  checkContentType(headers: IncomingHttpHeaders): void;
  head(request: FastifyRequest): RequestHead;
  /** Throws CARILLON_REQUEST_INVALID or CARILLON_REQUEST_MALFORMED. */
  input(request: FastifyRequest, reply: FastifyReply): OperationRequest;
}

export function prepareOperation(operation: Operation): PreparedOperation {
  const params = operation.params && checker(operation.params, 'params');
  const query = operation.query && checker(operation.query, 'query');
  const body = operation.body && checker(operation.body, '');
  const readBody = (bytes: unknown): unknown => {
    const given = Buffer.isBuffer(bytes) ? bytes : Buffer.alloc(0);
    if (operation.rawBody) return given;
    return body?.(readJson(given, limits.jsonDepthMax, 'CARILLON_REQUEST_INVALID'));
  };
  return {
    operation,
    checkContentType: contentTypeCheck(operation),
    head,
    input: (request, reply) => ({
      ...head(request),
      params: params?.(request.params) ?? {},
      query: query?.(typedQuery(operation.query as TObject, request.query)) ?? {},
      body: readBody(request.body),
      onGone: (listener) => {
        reply.raw.once('close', () => {
          if (!reply.raw.writableFinished) listener();
        });
      },
    }),
  };
}

export async function runOperation(
  prepared: PreparedOperation,
  { request, reply }: { request: FastifyRequest; reply: FastifyReply },
  idempotency: IdempotentRunner,
): Promise<Answer> {
  const { operation } = prepared;
  const input = prepared.input(request, reply);
  const key = request.headers['idempotency-key'];
  if (!operation.idempotent || key === undefined || request.principal === null) return await operation.handle(input);
  const { principal } = request;
  const name = `${operation.method} ${operation.path}`;
  const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
  return await idempotency.run({ principal, operation: name, url: request.url, key: String(key), body }, () =>
    operation.handle(input),
  );
}

function head(request: FastifyRequest): RequestHead {
  return {
    principal: request.principal as RequestHead['principal'],
    headers: request.headers,
    remoteAddress: request.socket.remoteAddress ?? '',
    requestId: request.id,
  };
}

function checker(schema: TSchema, prefix: string): (value: unknown) => unknown {
  const validator = lazy(() => Compile(schema));
  return (value) => {
    if (validator().Check(value)) return value;
    const fields: FieldError[] = fieldErrors(validator(), value, prefix);
    throw new CarillonError('CARILLON_REQUEST_INVALID', 'The request does not fit its schema.', { fields });
  };
}

function contentTypeCheck(operation: Operation): (headers: IncomingHttpHeaders) => void {
  const taken =
    operation.rawBody?.contentTypes ?? (operation.body ? (operation.contentTypes ?? ['application/json']) : []);
  if (taken.length === 0) return () => {};
  return (headers) => {
    const given = headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase() ?? '';
    if (!taken.includes(given)) {
      throw new CarillonError('CARILLON_REQUEST_MEDIA_TYPE', `Content types taken here: ${taken.join(', ')}.`);
    }
  };
}

/** Query values arrive as strings: those that the schema wants as numbers or booleans become so where they look like it. */
function typedQuery(schema: TObject, query: unknown): Record<string, unknown> {
  const typed: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(query as Record<string, unknown>)) {
    const property = Object.hasOwn(schema.properties, name) ? (schema.properties[name] as { type?: string }) : {};
    typed[name] = typeof value === 'string' ? typedValue(property.type, value) : value;
  }
  return typed;
}

function typedValue(type: string | undefined, value: string): unknown {
  if ((type === 'integer' || type === 'number') && /^-?[0-9]{1,16}(\.[0-9]{1,8})?$/.test(value)) return Number(value);
  if (type === 'boolean' && (value === 'true' || value === 'false')) return value === 'true';
  return value;
}
