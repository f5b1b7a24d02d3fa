/** The served OpenAPI document as a judge: which answers may come for a method and path. */

export type Schema = Readonly<Record<string, unknown>>;

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly schema: Schema;
}

export interface DocumentedOperation {
  readonly method: string;
  /** `/v1/notifications/{id}` */
  readonly path: string;
  /** Scheme name of the caller it is for (`user`, `producer`, `operator`); null for anyone. */
  readonly caller: string | null;
  readonly parameters: readonly Parameter[];
  /** Schema per media type; empty where it takes no body. */
  readonly bodies: Readonly<Record<string, Schema | undefined>>;
  /** Media types per status. */
  readonly answers: Readonly<Record<string, readonly string[]>>;
}

export interface ApiDocument {
  readonly operations: readonly DocumentedOperation[];
  /** Follows `$ref`. */
  resolve(schema: Schema): Schema;
}

interface RawOperation {
  readonly security?: readonly Record<string, unknown>[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Record<string, { readonly schema?: Schema }> };
  readonly responses: Record<string, { readonly content?: Record<string, unknown> }>;
}

interface RawDocument {
  readonly paths: Record<string, Record<string, RawOperation>>;
  readonly components: { readonly schemas: Record<string, Schema> };
}

export async function loadDocument(origin: string): Promise<ApiDocument> {
  const answer = await fetch(`${origin}/v1/openapi.json`);
  if (answer.status !== 200) throw new Error(`/v1/openapi.json answers ${answer.status}`);
  const raw = (await answer.json()) as RawDocument;
  const operations = Object.entries(raw.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => toOperation(method.toUpperCase(), path, operation)),
  );
  const resolve = (schema: Schema): Schema => {
    const name = typeof schema.$ref === 'string' ? schema.$ref.split('/').at(-1) : undefined;
    return name === undefined ? schema : resolve(raw.components.schemas[name] ?? {});
  };
  return { operations, resolve };
}

function toOperation(method: string, path: string, raw: RawOperation): DocumentedOperation {
  const bodies = Object.entries(raw.requestBody?.content ?? {}).map(([type, { schema }]) => [type, schema]);
  const answers = Object.entries(raw.responses).map(([status, { content }]) => [status, Object.keys(content ?? {})]);
  return {
    method,
    path,
    caller: Object.keys(raw.security?.[0] ?? {})[0] ?? null,
    parameters: raw.parameters ?? [],
    bodies: Object.fromEntries(bodies),
    answers: Object.fromEntries(answers),
  };
}

export interface Seen {
  readonly method: string;
  /** As sent, with query. */
  readonly url: string;
  readonly status: number;
  readonly contentType: string;
}

/** Null if the document allows the answer, else what is wrong with it. */
export function complaint(document: ApiDocument, { method, url, status, contentType }: Seen): string | null {
  if (status >= 500) return `answered ${status}`;
  const mediaType = contentType.split(';', 1)[0] as string;
  const here = document.operations.filter((operation) => matches(operation.path, url));
  // Fixed words win over parameters, as in the router.
  const exact = here.filter((operation) => !operation.path.includes('{'));
  const routed = exact.length > 0 ? exact : here;
  const operation = routed.find((candidate) => candidate.method === (method === 'HEAD' ? 'GET' : method));
  if (operation === undefined) return undocumentedPath(routed.length > 0, status, mediaType);
  const types = operation.answers[String(status)];
  if (types === undefined) return `answered ${status}, which ${operation.method} ${operation.path} does not document`;
  if (types.length === 0 ? mediaType !== '' : !types.includes(mediaType)) {
    return `answered ${status} as "${mediaType}", documented are: ${types.join(', ')}`;
  }
  return null;
}

/** Outside the document: another method of a known path, a path that nothing is at, a URL that cannot be read. */
function undocumentedPath(known: boolean, status: number, mediaType: string): string | null {
  if (mediaType !== 'application/problem+json')
    return `answered ${status} as "${mediaType}" where nothing is documented`;
  const expected = known ? [400, 405] : [400, 404];
  return expected.includes(status) ? null : `answered ${status} where nothing is documented`;
}

function matches(template: string, url: string): boolean {
  const steps = template.split('/');
  const given = (url.split(/[?#]/, 1)[0] as string).split('/');
  return (
    steps.length === given.length &&
    steps.every((step, at) => (step.startsWith('{') ? given[at] !== '' : step === given[at]))
  );
}
