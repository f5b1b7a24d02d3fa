/**
 * The OpenAPI 3.1 document (A7), made from the operations the server runs and the schemas that validate their input.
 * Nothing is written twice: what is documented is what is checked, and every error an operation can answer is listed
 * with its codes under the status it has.
 */
import { components } from '@carillon/contract/components.ts';
import { type ErrorCode, errorCodes } from '@carillon/contract/error-codes.ts';
import { Problem } from '@carillon/contract/problem.ts';
import { type JsonObject, plain, type SchemaNames, schemaNames } from '@carillon/contract/schema-document.ts';
import type { TObject, TSchema } from 'typebox';
import { limits } from '../base/limits.ts';
import { type Caller, commonErrors, type Operation } from './operation.ts';

type Content = Record<string, JsonObject>;

const schemes: Readonly<Record<Exclude<Caller, 'anyone'>, string>> = {
  user: 'A short-lived token of one person',
  producer: 'A key or token of an app that sends events',
  operator: 'A key or token of staff',
};

/** What can be answered before an operation is found, or before its own checks begin. */
const edgeErrors: readonly ErrorCode[] = ['CARILLON_REQUEST_MALFORMED', 'CARILLON_METHOD_NOT_ALLOWED'];

/** The same where a body is read, even by operations that take none. */
const bodyEdgeErrors: readonly ErrorCode[] = ['CARILLON_REQUEST_TOO_LARGE', 'CARILLON_REQUEST_MEDIA_TYPE'];

export function openApi(operations: readonly Operation[], version: string): JsonObject {
  const names = schemaNames(components, '#/components/schemas/');
  const paths: Record<string, Record<string, JsonObject>> = {};
  for (const operation of operations) {
    const path = documentedPath(operation.path);
    paths[path] ??= {};
    paths[path][operation.method.toLowerCase()] = describe(operation, names);
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Carillon',
      version,
      description:
        'Notifications for social applications. Errors are RFC 9457 problem documents with a stable `code`. Any GET may be sent as HEAD.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    paths,
    components: {
      schemas: names.all(),
      securitySchemes: Object.fromEntries(
        Object.entries(schemes).map(([caller, description]) => [
          caller,
          { type: 'http', scheme: 'bearer', description },
        ]),
      ),
    },
  };
}

/** `/v1/notifications/:id` as the document writes it: `/v1/notifications/{id}`. */
export function documentedPath(path: string): string {
  return path.replace(/:([A-Za-z]+)/g, '{$1}');
}

/** Every code an operation can answer, grouped by status. */
export function errorsByStatus(operation: Operation): Map<number, ErrorCode[]> {
  const byStatus = new Map<number, ErrorCode[]>();
  const edge = operation.method === 'GET' ? edgeErrors : [...edgeErrors, ...bodyEdgeErrors];
  for (const code of new Set([...operation.errors, ...commonErrors(operation), ...edge])) {
    const { status } = errorCodes[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  return byStatus;
}

function describe(operation: Operation, names: SchemaNames): JsonObject {
  const parameters = [
    ...parametersOf(operation.params, 'path', names),
    ...parametersOf(operation.query, 'query', names),
    ...(operation.idempotent ? [idempotencyKey] : []),
    ...(operation.versioned && operation.method !== 'GET' ? [ifMatch, ifNoneMatch] : []),
  ];
  const body = requestBody(operation, names);
  return {
    operationId: operationId(operation),
    summary: operation.summary,
    tags: [tag(operation.path)],
    security: operation.caller === 'anyone' ? [] : [{ [operation.caller]: [] }],
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(body === null ? {} : { requestBody: { required: true, content: body } }),
    responses: responses(operation, names),
  };
}

const idempotencyKey: JsonObject = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description: 'The same key and body within 24 h get the same answer, and the work is done once.',
  schema: { type: 'string', minLength: 1, maxLength: limits.idempotencyKeyCharsMax },
};

const condition = { in: 'header', required: false, schema: { type: 'string' } } as const;

const ifMatch: JsonObject = {
  ...condition,
  name: 'If-Match',
  description:
    'The `ETag` of the version that the change is for, or `*` for any. Needed unless `If-None-Match` is given.',
};

const ifNoneMatch: JsonObject = {
  ...condition,
  name: 'If-None-Match',
  description: 'Only `*`: write if nothing was ever written.',
};

function parametersOf(schema: TObject | undefined, where: 'path' | 'query', names: SchemaNames): JsonObject[] {
  if (schema === undefined) return [];
  const required: readonly string[] = (schema as { required?: string[] }).required ?? [];
  return Object.entries(schema.properties).map(([name, part]) => ({
    name,
    in: where,
    required: required.includes(name),
    schema: names.refer(part),
  }));
}

function requestBody(operation: Operation, names: SchemaNames): Content | null {
  const { body, rawBody } = operation;
  if (body !== undefined) {
    const types = operation.contentTypes ?? ['application/json'];
    return Object.fromEntries(types.map((type) => [type, { schema: names.refer(body) }]));
  }
  if (rawBody === undefined) return null;
  const types =
    rawBody.contentTypes.length > 0 ? rawBody.contentTypes : Object.keys(rawBody.schemas ?? { '*/*': null });
  return Object.fromEntries(types.map((type) => [type, described(rawBody.schemas?.[type], names)]));
}

function described(schema: TSchema | undefined, names: SchemaNames): JsonObject {
  return schema === undefined ? {} : { schema: names.refer(schema) };
}

function responses(operation: Operation, names: SchemaNames): JsonObject {
  const errors = errorsByStatus(operation);
  const statuses = new Set([...Object.keys(operation.answers).map(Number), ...errors.keys()]);
  const found: Record<string, JsonObject> = {};
  for (const status of [...statuses].sort((a, b) => a - b)) {
    const answer = operation.answers[status];
    const codes = errors.get(status) ?? [];
    const content: Content = {};
    if (answer) content[operation.answerType ?? 'application/json'] = { schema: names.refer(answer) };
    if (codes.length > 0) content['application/problem+json'] = { schema: problemOf(codes, names) };
    found[String(status)] = {
      description: codes.length > 0 ? codes.map((code) => errorCodes[code].title).join('; ') : operation.summary,
      headers: headersOf(status, operation),
      ...(Object.keys(content).length > 0 ? { content } : {}),
    };
  }
  return found;
}

function problemOf(codes: readonly ErrorCode[], names: SchemaNames): JsonObject {
  return { allOf: [names.refer(Problem), { properties: { code: { enum: [...codes] } } }] };
}

function headersOf(status: number, { answers, versioned }: Operation): JsonObject {
  const answer = answers[status] ?? null;
  const text = (description: string): JsonObject => ({ description, schema: { type: 'string' } });
  const paged = answer !== null && 'nextCursor' in ((plain(answer) as { properties?: object }).properties ?? {});
  return {
    'X-Request-Id': text('Names this request in our logs'),
    ...(paged ? { Link: text('The next page, `rel="next"`; absent on the last') } : {}),
    ...(versioned && (answer !== null || status === 412) ? { ETag: text('The version there is now') } : {}),
    ...(status === 401 ? { 'WWW-Authenticate': text('How to authenticate') } : {}),
    ...(status === 405 ? { Allow: text('The methods there are') } : {}),
    ...([409, 429, 503].includes(status) ? { 'Retry-After': text('Seconds to wait') } : {}),
  };
}

/** `GET /v1/notifications/:id/why` is `getNotificationsByIdWhy`. */
function operationId({ method, path }: Operation): string {
  const words = path.split('/').filter((step) => step !== '' && step !== 'v1');
  const named = words.map((step) =>
    (step.startsWith(':') ? `By${capital(step.slice(1))}` : step)
      .split(/[^A-Za-z0-9]+/)
      .map(capital)
      .join(''),
  );
  return `${method.toLowerCase()}${named.join('')}`;
}

function capital(word: string): string {
  return `${word[0]?.toUpperCase() ?? ''}${word.slice(1)}`;
}

function tag(path: string): string {
  const [first = '', second = ''] = path.split('/').filter((step) => step !== '');
  return first === 'v1' ? second.replace(/\.json$/, '') : 'health';
}
