/**
 * Whether a provider is worth calling just now, for one set of credentials (V4). Pure. In words first:
 *
 *   closed ──so many failures in a row──▶ open ──its time is over──▶ probing ──answered──▶ closed
 *                                          ▲                            │
 *                                          └───failed, for longer───────┘
 *
 * - Closed: calls go; each answer forgets the failures before it.
 * - Open: nothing goes until a time. Also a provider that slows everything down (`throttled`) or does not let us in at all
 *   (`blocked`) opens it, at once and for as long as it says: that is no failure of the provider.
 * - Probing: one call goes, and what it meets decides. Another may go where that one has not answered in time.
 */
import { limits } from '../base/limits.ts';
import type { Outcome } from './outcome.ts';

export type Circuit =
  | { readonly kind: 'closed'; readonly failures: number }
  | { readonly kind: 'open'; readonly untilMs: number; readonly waits: number; readonly why: OpenReason }
  | { readonly kind: 'probing'; readonly untilMs: number; readonly waits: number };

export type OpenReason = 'failing' | 'throttled' | 'blocked';

export const closedCircuit: Circuit = { kind: 'closed', failures: 0 };

/** Asks to call. `go`: the circuit stands so once the call is made; else nothing goes before `untilMs`. */
export function admit(circuit: Circuit, nowMs: number): { go: Circuit } | { untilMs: number } {
  if (circuit.kind === 'closed') return { go: circuit };
  if (nowMs < circuit.untilMs) return { untilMs: circuit.untilMs };
  return { go: { kind: 'probing', untilMs: nowMs + limits.circuitProbeMs, waits: circuit.waits } };
}

/** A call that was asked for is not made: the next may be the one that probes. */
export function notCalled(circuit: Circuit, nowMs: number): Circuit {
  return circuit.kind === 'probing' ? { ...circuit, untilMs: nowMs } : circuit;
}

/** What a call has met. */
export function answered(circuit: Circuit, outcome: Outcome, nowMs: number): Circuit {
  switch (outcome.kind) {
    case 'throttled':
      if (outcome.scope === 'endpoint') return closedCircuit;
      return openFor(circuit, 'throttled', nowMs + (outcome.afterMs ?? limits.deliveryThrottledMs));
    case 'blocked':
      return openFor(circuit, 'blocked', nowMs + limits.deliveryBlockedMs);
    case 'retry':
      return failed(circuit, nowMs, outcome.afterMs);
    case 'unknown':
      return failed(circuit, nowMs, null);
    default:
      // A late answer to a call made before it was opened closes nothing that the provider itself asked for.
      return circuit.kind === 'open' && circuit.why !== 'failing' && nowMs < circuit.untilMs ? circuit : closedCircuit;
  }
}

function failed(circuit: Circuit, nowMs: number, afterMs: number | null): Circuit {
  if (circuit.kind === 'open') return circuit;
  const failures = circuit.kind === 'closed' ? circuit.failures + 1 : 0;
  if (circuit.kind === 'closed' && failures < limits.circuitFailures) return { kind: 'closed', failures };
  const waits = circuit.kind === 'probing' ? circuit.waits + 1 : 0;
  const { firstMs, mostMs } = limits.circuitOpen;
  const waitMs = Math.max(afterMs ?? 0, Math.min(mostMs, firstMs * 2 ** Math.min(waits, 20)));
  return { kind: 'open', untilMs: nowMs + Math.min(waitMs, limits.deliveryPauseMaxMs), waits, why: 'failing' };
}

function openFor(circuit: Circuit, why: OpenReason, untilMs: number): Circuit {
  const laterMs = circuit.kind === 'open' ? Math.max(circuit.untilMs, untilMs) : untilMs;
  return { kind: 'open', untilMs: laterMs, waits: 0, why };
}
