/**
 * One API operation is one file that exports one of these (A1–A7): what it takes, who may call it, what it answers.
 * The HTTP server registers, authenticates and validates from it; the OpenAPI document is generated from it.
 */
import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import type { ErrorCode } from '@carillon/contract/error-codes.ts';
import type { Static, TObject, TSchema } from 'typebox';
import type { OperatorPrincipal, Principal, ProducerPrincipal, UserPrincipal } from '../auth/principal.ts';

export type Caller = 'user' | 'producer' | 'operator' | 'anyone';

export type PrincipalOf<C extends Caller> = C extends 'user'
  ? UserPrincipal
  : C extends 'producer'
    ? ProducerPrincipal
    : C extends 'operator'
      ? OperatorPrincipal
      : null;

/** What is known before the body has been read. */
export interface RequestHead<C extends Caller = Caller> {
  readonly principal: PrincipalOf<C>;
  readonly headers: IncomingHttpHeaders;
  /** The peer of the connection. */
  readonly remoteAddress: string;
  readonly requestId: string;
}

export interface OperationRequest<C extends Caller = Caller, P = unknown, Q = unknown, B = unknown>
  extends RequestHead<C> {
  readonly params: P;
  readonly query: Q;
  /** The parsed and checked body; the bytes themselves where the operation has `rawBody`; else undefined. */
  readonly body: B;
  /** Calls `listener` if the client goes away before it has its answer: whoever waits for it need wait no more. */
  onGone(listener: () => void): void;
}

export interface Answer {
  readonly status: number;
  /** An object is sent as JSON; bytes and streams as they are, as JSON unless `headers` name a content type. */
  readonly body?: object | Buffer | Readable | string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface RawBody {
  /** Media types without parameters. Empty: any, also none. */
  readonly contentTypes: readonly string[];
  readonly bytesMax: number;
  /** For the documentation: what a body of each media type looks like. */
  readonly schemas?: Readonly<Record<string, TSchema>>;
}

interface OperationText {
  /** Answered even while the service stops: a probe that fails then would have it killed in the middle. */
  readonly whileDraining?: true;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** With parameters as `:id`. */
  readonly path: string;
  /** One line for the documentation. */
  readonly summary: string;
  /** Schema per status; null where there is no body. */
  readonly answers: Readonly<Record<number, TSchema | null>>;
  /** For the documentation: media type of the answers, JSON unless given. `handle` sets the header. */
  readonly answerType?: string;
  /** Beside those every operation can answer (`commonErrors`). */
  readonly errors: readonly ErrorCode[];
  /** Honours `Idempotency-Key` (A6). */
  readonly idempotent?: boolean;
  /** Answers with a strong `ETag`; writing needs `If-Match` (A5). `handle` sees to both. */
  readonly versioned?: true;
  /** Taken instead of a `body` schema: the operation reads the bytes itself. */
  readonly rawBody?: RawBody;
  /** Media types of a `body`; JSON unless given. */
  readonly contentTypes?: readonly string[];
}

/** An operation as the server and the documentation see it. */
export interface Operation extends OperationText {
  readonly caller: Caller;
  readonly params?: TObject;
  readonly query?: TObject;
  readonly body?: TSchema;
  /** Refuses before the body is read, by throwing CarillonError. */
  readonly admit?: (head: RequestHead) => void;
  readonly handle: (request: OperationRequest) => Promise<Answer>;
}

/** An operation as its file writes it, with the types that follow from its schemas. */
export interface OperationDefinition<C extends Caller, P extends TObject, Q extends TObject, B extends TSchema>
  extends OperationText {
  readonly caller: C;
  readonly params?: P;
  readonly query?: Q;
  readonly body?: B;
  readonly admit?: (head: RequestHead<C>) => void;
  readonly handle: (request: OperationRequest<C, Static<P>, Static<Q>, Static<B>>) => Promise<Answer>;
}

/** Checks a definition's types against each other. The server guarantees what the types say, so that they may be dropped. */
export function defineOperation<
  const C extends Caller,
  P extends TObject = TObject,
  Q extends TObject = TObject,
  B extends TSchema = TSchema,
>(definition: OperationDefinition<C, P, Q, B>): Operation {
  return definition as unknown as Operation;
}

/** Whether a proven caller is of the kind that an operation is for. */
export function mayCall(caller: Caller, principal: Principal): boolean {
  return caller === 'anyone' || principal.kind === caller;
}

/** Error codes any operation of this shape can answer, beside its own. */
export function commonErrors(operation: Operation): ErrorCode[] {
  const codes: ErrorCode[] = [
    'CARILLON_INTERNAL',
    'CARILLON_DRAINING',
    'CARILLON_STORE_UNAVAILABLE',
    'CARILLON_REQUEST_TIMEOUT',
  ];
  if (operation.caller !== 'anyone')
    codes.push('CARILLON_AUTH_REQUIRED', 'CARILLON_AUTH_INVALID', 'CARILLON_AUTH_FORBIDDEN');
  if (operation.body || operation.rawBody) {
    codes.push('CARILLON_REQUEST_MALFORMED', 'CARILLON_REQUEST_TOO_LARGE', 'CARILLON_REQUEST_MEDIA_TYPE');
  }
  if (operation.params || operation.query || operation.body) codes.push('CARILLON_REQUEST_INVALID');
  if (operation.versioned && operation.method !== 'GET')
    codes.push('CARILLON_PRECONDITION_REQUIRED', 'CARILLON_PRECONDITION_FAILED');
  if (operation.idempotent)
    codes.push('CARILLON_IDEMPOTENCY_REUSED', 'CARILLON_IDEMPOTENCY_RUNNING', 'CARILLON_REQUEST_INVALID');
  return [...new Set(codes)];
}
