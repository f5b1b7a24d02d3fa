/**
 * Who may call a provider just now: a circuit for each set of credentials, room for so many calls at once, and what
 * each provider allows. Shared by all workers of a channel in this process.
 */
import type { Clock } from '../base/clock.ts';
import { admit, answered, type Circuit, closedCircuit, notCalled } from './circuit.ts';
import type { Outcome } from './outcome.ts';
import type { Route } from './outlet.ts';
import { Quotas } from './quotas.ts';

/** `full`: as soon as a call ends. `overQuota`: nothing is wrong, and it is its turn soon. */
export type Admission =
  | { readonly kind: 'go' }
  | { readonly kind: 'full' }
  | { kind: 'wait'; readonly untilMs: number }
  | { readonly kind: 'overQuota'; readonly untilMs: number };

type Gated = Pick<Route, 'provider' | 'project' | 'sendsMax' | 'quotas'>;

export class Gates {
  readonly #clock: Clock;
  readonly #quotas: Quotas;
  readonly #circuits = new Map<string, Circuit>();
  /** Whose projects they are. */
  readonly #providers = new Map<string, string>();
  readonly #underWay = new Map<string, number>();
  readonly #listeners = new Set<() => void>();

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#quotas = new Quotas(clock);
  }

  /** Whoever is let go must call `ended`. */
  enter({ provider, project, sendsMax, quotas = [] }: Gated): Admission {
    const circuit = this.#circuits.get(project) ?? closedCircuit;
    const answer = admit(circuit, this.#clock.now());
    if ('untilMs' in answer) return { kind: 'wait', untilMs: answer.untilMs };
    const underWay = this.#underWay.get(provider) ?? 0;
    if (underWay >= sendsMax) return { kind: 'full' };
    const waitMs = this.#quotas.take(quotas);
    if (waitMs > 0) return { kind: 'overQuota', untilMs: this.#clock.now() + waitMs };
    this.#underWay.set(provider, underWay + 1);
    this.#circuits.set(project, answer.go);
    this.#providers.set(project, provider);
    return { kind: 'go' };
  }

  /** Null: the call was not made after all. */
  ended({ provider, project, quotas = [] }: Gated, outcome: Outcome | null): void {
    this.#underWay.set(provider, (this.#underWay.get(provider) ?? 1) - 1);
    const circuit = this.#circuits.get(project) ?? closedCircuit;
    const nowMs = this.#clock.now();
    if (outcome === null) this.#quotas.giveBack(quotas);
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

  /** How long until one of these ways has room in its quotas, also after `ahead` others, by the quota's name. */
  quotaWaitOf(routes: readonly Gated[], ahead: ReadonlyMap<string, number>): number {
    return Math.min(...routes.map(({ quotas = [] }) => this.#quotas.waitOf(quotas, ahead)));
  }

  /** Until when to put off what is over the quotas of this way: see `Quotas`. */
  promise({ quotas = [] }: Gated, lane: number): number {
    return this.#clock.now() + this.#quotas.promise(quotas, lane);
  }

  /** Every way that was ever taken is closed for a pause: what comes next may as well wait where it is. */
  get isShut(): boolean {
    const nowMs = this.#clock.now();
    const circuits = [...this.#circuits.values()];
    return circuits.length > 0 && circuits.every((circuit) => circuit.kind !== 'closed' && nowMs < circuit.untilMs);
  }

  /** By provider, for how many of its projects the circuit stands how. */
  get circuits(): ReadonlyMap<string, Readonly<Record<Circuit['kind'], number>>> {
    const counts = new Map<string, Record<Circuit['kind'], number>>();
    for (const [project, { kind }] of this.#circuits) {
      const provider = this.#providers.get(project) as string;
      const count = counts.get(provider) ?? { closed: 0, open: 0, probing: 0 };
      count[kind]++;
      counts.set(provider, count);
    }
    return counts;
  }

  /** Calls `listener` whenever a call has ended. Answers how to stop. */
  onEnded(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}
