/**
 * Calls across a thread boundary: requests with an id go one way, answers and notices come back, each in order.
 * Errors of the service's own kind keep their code; others arrive as plain errors.
 */
import type { MessagePort, Transferable, Worker } from 'node:worker_threads';
import type { ErrorCode } from '@carillon/contract/error-codes.ts';
import { CarillonError, type FieldError } from '../base/carillon-error.ts';

type Endpoint = MessagePort | Worker;

interface Request {
  readonly id: number;
  readonly method: string;
  readonly args: readonly unknown[];
}

interface SentError {
  readonly code: ErrorCode | null;
  readonly detail: string;
  readonly fields: readonly FieldError[];
  readonly retryAfterSeconds: number | undefined;
}

type Reply = { readonly id: number; readonly value: unknown } | { readonly id: number; readonly error: SentError };
interface Notice {
  readonly notice: string;
  readonly value: unknown;
}

type Waiting = { resolve: (value: never) => void; reject: (error: Error) => void };

/** The asking side. */
export class Caller {
  readonly #endpoint: Endpoint;
  readonly #waiting = new Map<number, Waiting>();
  readonly #notices = new Map<string, (value: never) => void>();
  #nextId = 1;
  #ended: Error | null = null;

  constructor(endpoint: Endpoint) {
    this.#endpoint = endpoint;
    endpoint.on('message', (message: Reply | Notice) => this.#receive(message));
  }

  call<Result>(method: string, args: readonly unknown[], transfer: Transferable[] = []): Promise<Result> {
    if (this.#ended !== null) return Promise.reject(this.#ended);
    return new Promise((resolve, reject) => {
      const id = this.#nextId++;
      this.#waiting.set(id, { resolve, reject });
      this.#endpoint.postMessage({ id, method, args } satisfies Request, transfer);
    });
  }

  /** Like `call`, but `answered` runs before any later message is looked at. */
  callThen<Result>(
    method: string,
    args: readonly unknown[],
    answered: (result: Result) => void,
    failed: (error: Error) => void = () => {},
  ): void {
    if (this.#ended !== null) {
      failed(this.#ended);
      return;
    }
    const id = this.#nextId++;
    this.#waiting.set(id, { resolve: answered as Waiting['resolve'], reject: failed });
    this.#endpoint.postMessage({ id, method, args } satisfies Request, []);
  }

  onNotice<Value>(name: string, listener: (value: Value) => void): void {
    this.#notices.set(name, listener as (value: never) => void);
  }

  /** The other side is gone: everything outstanding fails. */
  end(error: Error): void {
    this.#ended = error;
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }

  #receive(message: Reply | Notice): void {
    if ('notice' in message) {
      this.#notices.get(message.notice)?.(message.value as never);
      return;
    }
    const waiting = this.#waiting.get(message.id);
    this.#waiting.delete(message.id);
    if (waiting === undefined) return;
    if ('error' in message) waiting.reject(toError(message.error));
    else waiting.resolve(message.value as never);
  }
}

export type Handler = (...args: never[]) => unknown;

/** The answering side. A handler's result, or the result of its promise, is sent back. */
export class Answerer {
  readonly #endpoint: Endpoint;

  constructor(endpoint: Endpoint, handlers: Readonly<Record<string, Handler>>) {
    this.#endpoint = endpoint;
    endpoint.on('message', (request: Request) => void this.#answer(handlers, request));
  }

  notify(notice: string, value: unknown, transfer: Transferable[] = []): void {
    this.#endpoint.postMessage({ notice, value } satisfies Notice, transfer);
  }

  async #answer(handlers: Readonly<Record<string, Handler>>, { id, method, args }: Request): Promise<void> {
    try {
      const handler = handlers[method];
      if (handler === undefined) throw new Error(`no such method: ${method}`);
      const value = await (handler as (...args: readonly unknown[]) => unknown)(...args);
      this.#endpoint.postMessage({ id, value } satisfies Reply, []);
    } catch (error) {
      this.#endpoint.postMessage({ id, error: toSent(error) } satisfies Reply, []);
    }
  }
}

function toSent(error: unknown): SentError {
  if (error instanceof CarillonError) {
    const { code, message, fields, retryAfterSeconds } = error;
    return { code, detail: message, fields, retryAfterSeconds };
  }
  const detail = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return { code: null, detail, fields: [], retryAfterSeconds: undefined };
}

function toError({ code, detail, fields, retryAfterSeconds }: SentError): Error {
  if (code === null) return new Error(detail);
  return new CarillonError(code, detail, { fields, ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }) });
}
