/** The one error class that crosses rooms: a stable code, a sentence for the caller, and field paths where they help. */
import { type ErrorCode, errorCodes } from '@carillon/contract/error-codes.ts';

export interface FieldError {
  /** JSON pointer into the body, or `query/limit`, `header/idempotency-key`. */
  readonly path: string;
  readonly detail: string;
}

export class CarillonError extends Error {
  readonly code: ErrorCode;
  readonly fields: readonly FieldError[];
  /** Seconds a caller should wait, where waiting helps. */
  readonly retryAfterSeconds: number | undefined;
  /** Further headers of the answer. */
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    code: ErrorCode,
    detail: string,
    options: {
      fields?: readonly FieldError[];
      retryAfterSeconds?: number;
      headers?: Readonly<Record<string, string>>;
      cause?: unknown;
    } = {},
  ) {
    super(detail, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'CarillonError';
    this.code = code;
    this.fields = options.fields ?? [];
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.headers = options.headers ?? {};
  }

  get status(): number {
    return errorCodes[this.code].status;
  }
}
