/** What a delivery becomes by what happens to it: the state machine, with what goes with it (V1–V3). Pure. */
import { limits } from '../base/limits.ts';
import type { Attempt, Delivery } from './delivery.ts';
import { type DeliveryStep, transition } from './delivery-state.ts';
import type { Outcome } from './outcome.ts';

export interface Met {
  readonly provider: string;
  readonly atMs: number;
  readonly tookMs: number;
  readonly expiresAtMs: number;
  /** In [0, 1): how much of the longest wait before a retry. */
  readonly chance: number;
}

/** Attempts shown of one that had to wait often; those that count are always kept. */
const attemptsShown = 16;

export function newDelivery(endpoint: string): Delivery {
  const nothing = { provider: null, code: null, providerId: null, dueAtMs: null };
  return { endpoint, ...nothing, state: 'pending', version: 1, attempts: [], forgiven: 0, redrives: 0 };
}

/** Throws where the step means nothing: whoever takes it must know the state. */
export function stepped(delivery: Delivery, step: DeliveryStep, change: Partial<Delivery> = {}): Delivery {
  const state = transition(delivery.state, step);
  if (state === null) throw new Error(`a delivery that is ${delivery.state} cannot take the step ${step}`);
  return { ...delivery, dueAtMs: null, ...change, state, version: delivery.version + 1 };
}

/** After an attempt that it was dispatched for. */
export function afterAttempt(delivery: Delivery, outcome: Outcome, met: Met): Delivery {
  const { provider, atMs, tookMs } = met;
  const code = 'code' in outcome ? outcome.code : null;
  const attempt: Attempt = { atMs, provider, outcome: outcome.kind, code, tookMs };
  const tried = { ...delivery, attempts: shown([...delivery.attempts, attempt]), provider, code };
  switch (outcome.kind) {
    case 'accepted':
      return stepped(tried, 'accepted', { providerId: outcome.providerId });
    case 'gone':
    case 'refused':
      return stepped(tried, outcome.kind);
    case 'unknown':
      return stepped(tried, 'lost');
    case 'retry':
      return afterFailure(tried, outcome.afterMs, met);
    case 'throttled':
      return putOff(tried, 'wait', atMs + pause(outcome.afterMs ?? limits.deliveryThrottledMs), met.expiresAtMs);
    case 'blocked':
      return putOff(tried, 'wait', atMs + limits.deliveryBlockedMs, met.expiresAtMs);
  }
}

/** Looked at again then, unless that is too late. */
export function putOff(delivery: Delivery, step: 'wait' | 'retry', dueAtMs: number, expiresAtMs: number): Delivery {
  if (dueAtMs >= expiresAtMs) return stepped(delivery, 'expire', { code: delivery.code ?? 'expired' });
  return stepped(delivery, step, { dueAtMs });
}

/** Attempts that count: those that a provider could not take just then. */
export function attemptsOf({ attempts, forgiven }: Pick<Delivery, 'attempts' | 'forgiven'>): number {
  return attempts.filter(({ outcome }) => outcome === 'retry').length - forgiven;
}

/** As an operator sends it again: with as many attempts as in the beginning. */
export function redriven(delivery: Delivery): Delivery {
  const forgiven = delivery.forgiven + attemptsOf(delivery);
  return stepped(delivery, 'redrive', { forgiven, redrives: delivery.redrives + 1 });
}

/** Exponential, with full jitter, and never before the provider asked for. */
function afterFailure(delivery: Delivery, afterMs: number | null, { atMs, expiresAtMs, chance }: Met): Delivery {
  const failures = attemptsOf(delivery);
  if (failures >= limits.deliveryAttemptsMax) return stepped(delivery, 'exhausted');
  const { firstMs, mostMs } = limits.deliveryRetry;
  const jitterMs = Math.ceil(Math.min(mostMs, firstMs * 2 ** (failures - 1)) * chance);
  return putOff(delivery, 'retry', atMs + Math.max(jitterMs, pause(afterMs ?? 0)), expiresAtMs);
}

function pause(ms: number): number {
  return Math.min(Math.max(0, ms), limits.deliveryPauseMaxMs);
}

function shown(attempts: readonly Attempt[]): readonly Attempt[] {
  if (attempts.length <= attemptsShown) return attempts;
  const dropped = attempts.findIndex(({ outcome }) => outcome === 'throttled' || outcome === 'blocked');
  return attempts.filter((_, at) => at !== dropped);
}
