/**
 * Ready fails while a full disk keeps intake from storing (M4). Nothing tells us when there is space again but an append
 * that succeeds, and without traffic there is none: so some time after the last refusal it is ready again, and the next
 * events try.
 */
import type { Clock } from '../base/clock.ts';
import { limits } from '../base/limits.ts';
import type { ReadinessCheck } from './readiness.ts';

export class StorageCheck implements ReadinessCheck {
  readonly name = 'storage';
  readonly #clock: Clock;
  #refusedMs = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Events could not be stored. */
  refused(): void {
    this.#refusedMs = this.#clock.monotonic();
  }

  /** Events were stored. */
  stored(): void {
    this.#refusedMs = Number.NEGATIVE_INFINITY;
  }

  check(): string | null {
    if (this.#clock.monotonic() - this.#refusedMs >= limits.storageFullMs) return null;
    return 'The disk is full: events cannot be stored.';
  }
}
