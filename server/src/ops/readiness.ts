/**
 * Whether this process should be given traffic (M4): a list of named checks, each cheap enough for a probe.
 * A check answers why it is not ready, in words fit for anyone, or null.
 */
import type { Clock } from '../base/clock.ts';
import { limits } from '../base/limits.ts';

export interface ReadinessCheck {
  readonly name: string;
  check(): string | null;
}

export interface Readiness {
  readonly checks: readonly ReadinessCheck[];
}

/** How far the shards have come, as far as this thread has heard. */
export interface Consumption {
  /** Durable and not yet applied. */
  readonly behindBytes: number;
  /** Anything that grows with each applied batch: records, bytes, batches. */
  readonly applied: number;
}

/**
 * Fails when there was work all along between two probes, none of it got done, and that has lasted `stalledAfterMs`.
 * An idle service is ready, and so is a slow one. Judged from what the probes themselves saw, so that work which has
 * only just arrived after a long rest does not look stuck.
 */
export function consumptionCheck(consumption: () => Consumption, clock: Clock): ReadinessCheck {
  let stuckSince: number | null = null;
  let appliedThen = 0;
  return {
    name: 'consumption',
    check() {
      const { behindBytes, applied } = consumption();
      const now = clock.monotonic();
      if (behindBytes === 0) stuckSince = null;
      else if (stuckSince === null || applied !== appliedThen) stuckSince = now;
      appliedThen = applied;
      if (stuckSince === null || now - stuckSince < limits.stalledAfterMs) return null;
      return 'Events wait and none has been applied for a while.';
    },
  };
}
