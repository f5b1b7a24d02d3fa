/**
 * Who may call a provider just now: a circuit for each set of credentials, and room for so many calls at once. Shared by
 * all workers of a channel in this process.
 */
import type { Clock } from '../base/clock.ts';
import { admit, answered, type Circuit, closedCircuit, notCalled } from './circuit.ts';
import type { Outcome } from './outcome.ts';
import type { Route } from './outlet.ts';

/** `full`: as soon as a call ends. */
export type Admission =
  | { readonly kind: 'go' }
  | { readonly kind: 'full' }
  | { kind: 'wait'; readonly untilMs: number };

type Gated = Pick<Route, 'provider' | 'project' | 'sendsMax'>;

export class Gates {
  readonly #clock: Clock;
  readonly #circuits = new Map<string, Circuit>();
  readonly #underWay = new Map<string, number>();
  readonly #listeners = new Set<() => void>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Whoever is let go must call `ended`. */
  enter({ provider, project, sendsMax }: Gated): Admission {
    const circuit = this.#circuits.get(project) ?? closedCircuit;
    const answer = admit(circuit, this.#clock.now());
    if ('untilMs' in answer) return { kind: 'wait', untilMs: answer.untilMs };
    const underWay = this.#underWay.get(provider) ?? 0;
    if (underWay >= sendsMax) return { kind: 'full' };
    this.#underWay.set(provider, underWay + 1);
    this.#circuits.set(project, answer.go);
    return { kind: 'go' };
  }

  /** Null: the call was not made after all. */
  ended({ provider, project }: Gated, outcome: Outcome | null): void {
    this.#underWay.set(provider, (this.#underWay.get(provider) ?? 1) - 1);
    const circuit = this.#circuits.get(project) ?? closedCircuit;
    const nowMs = this.#clock.now();
    this.#circuits.set(project, outcome === null ? notCalled(circuit, nowMs) : answered(circuit, outcome, nowMs));
    for (const listener of this.#listeners) listener();
  }

  /** Until when all of these ways are closed for a pause; null: one is not. */
  pauseOf(routes: readonly Gated[]): number | null {
    const nowMs = this.#clock.now();
    const pauses = routes.map(({ project }) => {
      const answer = admit(this.#circuits.get(project) ?? closedCircuit, nowMs);
      return 'untilMs' in answer ? answer.untilMs : nowMs;
    });
    const firstMs = Math.min(...pauses);
    return firstMs <= nowMs ? null : firstMs;
  }

  /** Every way that was ever taken is closed for a pause: what comes next may as well wait where it is. */
  get isShut(): boolean {
    const nowMs = this.#clock.now();
    const circuits = [...this.#circuits.values()];
    return circuits.length > 0 && circuits.every((circuit) => circuit.kind !== 'closed' && nowMs < circuit.untilMs);
  }

  /** Calls `listener` whenever a call has ended. Answers how to stop. */
  onEnded(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}
