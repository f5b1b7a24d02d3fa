/** From a call of a mail provider's API to its outcome, by that provider's own table: what its statuses mean is all that differs. */
import type { Outcome, OutcomeKind } from '../outcome.ts';
import { type ProviderCall, retryAfterMs } from './call-provider.ts';

export type StatusTable = Readonly<Record<number, OutcomeKind>>;

type Answer = Extract<ProviderCall, { kind: 'answered' }>;

export interface ProviderReading {
  /** What is not in it is tried again from 500 on, else refused. */
  readonly byStatus: StatusTable;
  readonly providerIdOf: (answer: Answer) => string | null;
  /** How long it asks to wait where it sends no `Retry-After`. */
  readonly pauseMs?: (answer: Answer) => number | null;
}

export function classifyCall(call: ProviderCall, nowMs: number, reading: ProviderReading): Outcome {
  if (call.kind === 'notSent') return { kind: 'retry', code: call.code, afterMs: null };
  if (call.kind === 'lost') return { kind: 'unknown', code: call.code };
  const { status, headers } = call;
  const code = String(status);
  switch (reading.byStatus[status] ?? (status >= 500 ? 'retry' : 'refused')) {
    case 'accepted':
      return { kind: 'accepted', providerId: reading.providerIdOf(call) };
    case 'throttled': {
      const afterMs = retryAfterMs(headers, nowMs) ?? reading.pauseMs?.(call) ?? null;
      return { kind: 'throttled', code, afterMs, scope: 'project' };
    }
    case 'blocked':
      return { kind: 'blocked', code };
    case 'unknown':
      return { kind: 'unknown', code };
    case 'retry':
      return { kind: 'retry', code, afterMs: retryAfterMs(headers, nowMs) };
    default:
      return { kind: 'refused', code };
  }
}
