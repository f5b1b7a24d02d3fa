/** Whole requests for documented operations, from well-formed to absurd. */
import fc from 'fast-check';
import type { ApiDocument, DocumentedOperation, Parameter } from './api-document.ts';
import { hostileBytes, hostileText } from './hostile-values.ts';
import { fitting, nearlyFitting } from './schema-arbitrary.ts';

export interface HostileRequest {
  readonly method: string;
  /** Path and query exactly as sent. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body: Buffer | null;
}

export interface HostileOptions {
  readonly document: ApiDocument;
  /** Bearer token per caller kind; kinds without one are called without. */
  readonly tokens: Readonly<Record<string, string>>;
  /** Texts the server knows, such as ids. */
  readonly known: readonly string[];
}

export function hostileRequest(options: HostileOptions): fc.Arbitrary<HostileRequest> {
  return fc.constantFrom(...options.document.operations).chain((operation) => requestOf(options, operation));
}

function requestOf(options: HostileOptions, operation: DocumentedOperation): fc.Arbitrary<HostileRequest> {
  const method = fc.oneof(
    { weight: 12, arbitrary: fc.constant(operation.method) },
    {
      weight: 1,
      arbitrary: fc.constantFrom('GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'QUERY'),
    },
  );
  return fc
    .tuple(
      method,
      path(options, operation),
      query(options, operation),
      headers(options, operation),
      body(options, operation),
    )
    .map(([verb, where, search, head, { type, bytes }]) => ({
      method: verb,
      url: where + search,
      headers: type === null ? head : { 'content-type': type, ...head },
      body: bytes,
    }));
}

function path({ known }: HostileOptions, operation: DocumentedOperation): fc.Arbitrary<string> {
  const odd = fc.constantFrom(
    '%2F',
    '..%2f..',
    '%00',
    '%ff',
    '%c0%af',
    '%zz',
    '%',
    ';x=1',
    'counts',
    'a%2Fwhy',
    '*',
    ':id',
  );
  const id = fc.oneof(
    fc.constantFrom('x', ...known),
    odd,
    hostileText.map((text) => encodeURIComponent(text.toWellFormed()) || 'empty'),
  );
  const steps = operation.path.split('/').map((step) => (step.startsWith('{') ? id : fc.constant(step)));
  return fc.tuple(...steps).map((found) => found.join('/'));
}

function query({ document, known }: HostileOptions, operation: DocumentedOperation): fc.Arbitrary<string> {
  const raw = fc.constantFrom('%zz', '%ff', '%00', '&&=', 'a[]=1', '[object Object]');
  const value = (parameter: Parameter) =>
    fc.oneof(
      {
        weight: 3,
        arbitrary: fitting(document, parameter.schema, known).map((one) =>
          encodeURIComponent(String(one).toWellFormed()),
        ),
      },
      { weight: 1, arbitrary: hostileText.map((text) => encodeURIComponent(text.toWellFormed())) },
      { weight: 1, arbitrary: raw },
    );
  const declared = operation.parameters.filter((parameter) => parameter.in === 'query');
  const pair = (name: string, of: fc.Arbitrary<string>) => of.map((text) => `${name}=${text}`);
  const pairs = [
    ...declared.map((parameter) => pair(parameter.name, value(parameter))),
    fc.tuple(fc.constantFrom('__proto__', 'limit', 'x', '%ff'), raw).map((both) => both.join('=')),
  ];
  const most = fc.array(fc.oneof(...pairs), { maxLength: 4 });
  return most.map((all) => (all.length === 0 ? '' : `?${all.join('&')}`)).map(printable);
}

function headers(options: HostileOptions, operation: DocumentedOperation): fc.Arbitrary<HostileRequest['headers']> {
  const own = options.tokens[operation.caller ?? ''];
  const token = fc.oneof(
    { weight: 8, arbitrary: fc.constant(own === undefined ? {} : { authorization: `Bearer ${own}` }) },
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        ...Object.values(options.tokens).map((other) => ({ authorization: `Bearer ${other}` })),
        {},
      ),
    },
    {
      weight: 1,
      arbitrary: fc
        .constantFrom('Bearer', 'Basic YTpi', 'Bearer \t', 'bearer x.y.z', `Bearer ${'a'.repeat(9000)}`)
        .map((authorization) => ({ authorization })),
    },
  );
  const key = fc.oneof(
    fc.constant({}),
    fc
      .constantFrom('k1', '"k1"', ' ', '""', 'x'.repeat(300), '\u00ff\u00fe', ['a', 'b'])
      .map((value) => ({ 'idempotency-key': value })),
  );
  const odd = fc.constantFrom<HostileRequest['headers']>(
    {},
    {},
    {},
    { accept: 'text/event-stream' },
    { accept: 'application/xml' },
    { 'content-encoding': 'gzip' },
    { 'x-request-id': 'x'.repeat(1000) },
    { range: 'bytes=0-1' },
    { 'if-none-match': '*' },
    { upgrade: 'h2c', connection: 'upgrade' },
    { 'x-http-method-override': 'DELETE' },
    { host: 'evil.test' },
    { origin: 'https://evil.test', cookie: `a=${'b'.repeat(2000)}` },
  );
  return fc.tuple(token, key, odd).map((parts) => Object.assign({}, ...parts) as HostileRequest['headers']);
}

interface Body {
  readonly type: string | null;
  readonly bytes: Buffer | null;
}

function body({ document, known }: HostileOptions, operation: DocumentedOperation): fc.Arbitrary<Body> {
  const json = (value: unknown) => Buffer.from(JSON.stringify(value) ?? 'null');
  const declared = Object.entries(operation.bodies).flatMap(([type, schema]) =>
    schema === undefined
      ? []
      : [
          { weight: 8, arbitrary: fitting(document, schema, known).map((value) => ({ type, bytes: json(value) })) },
          {
            weight: 4,
            arbitrary: nearlyFitting(document, schema, known).map((value) => ({ type, bytes: json(value) })),
          },
          { weight: 3, arbitrary: hostileBytes.map((bytes) => ({ type, bytes })) },
        ],
  );
  const types = [
    ...Object.keys(operation.bodies),
    'application/json',
    'application/json; charset=utf-16',
    'text/plain',
    'x',
    ';',
    '',
  ];
  const any = fc.tuple(fc.constantFrom(...types), hostileBytes).map(([type, bytes]) => ({ type, bytes }));
  const none = fc.constant({ type: null, bytes: null });
  if (operation.method === 'GET') return fc.oneof({ weight: 12, arbitrary: none }, { weight: 1, arbitrary: any });
  return fc.oneof(...declared, { weight: 2, arbitrary: any }, { weight: 1, arbitrary: none });
}

/** Only bytes that a request line may hold. */
function printable(text: string): string {
  return text.replace(/[^\x21-\x7e]/g, (odd) => encodeURIComponent(odd));
}
