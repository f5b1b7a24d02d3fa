/**
 * What became of one request to a provider, as far as the connection can tell, whatever it asked for. The difference between
 * `unsent` and `lost` decides whether a push may be tried again (V4): only what is known not to have been looked at is `unsent`.
 */
import type { Outcome } from '../outcome.ts';

export type ProviderReply =
  | {
      readonly kind: 'answer';
      readonly status: number;
      /** By lower-case name. */
      readonly headers: Readonly<Record<string, unknown>>;
      readonly body: string;
    }
  /** `code`: of the connection, such as `ECONNREFUSED`. */
  | { readonly kind: 'unsent'; readonly code: string }
  | { readonly kind: 'lost'; readonly code: string };

export type FailedReply = Exclude<ProviderReply, { kind: 'answer' }>;

export function outcomeWithoutAnswer({ kind, code }: FailedReply): Outcome {
  return kind === 'unsent' ? { kind: 'retry', code, afterMs: null } : { kind: 'unknown', code };
}

/** `Retry-After`: seconds or a date (RFC 9110); null for anything else. */
export function retryAfterMs(header: unknown, nowMs: number): number | null {
  if (typeof header !== 'string') return null;
  if (/^\d{1,9}$/.test(header)) return Number(header) * 1000;
  const atMs = Date.parse(header);
  return Number.isNaN(atMs) ? null : Math.max(0, atMs - nowMs);
}

/** The parsed body; null for what is no JSON object. */
export function jsonObject(body: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null;
  } catch {
    return null;
  }
}
