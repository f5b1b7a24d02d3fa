/**
 * Faults at every await of the pipeline: each call to a port may crash the process before it takes effect or after,
 * fail, or merely take its time. Which, the seed says.
 */
import type { Clock } from '../../server/src/base/clock.ts';
import type { Random } from '../../server/src/base/random.ts';
import type { VirtualClock } from '../../server/src/base/virtual-clock.ts';
import type { LogReader } from '../../server/src/log/event-log.ts';

export interface FaultRates {
  /** One in so many calls crashes before, and one in so many after its effect. 0 is never. */
  readonly crashOneIn: number;
  readonly failOneIn: number;
  readonly slowOneIn: number;
}

export class Faults {
  readonly #random: Random;
  readonly #rates: FaultRates;
  isQuiet = false;
  crashes = 0;

  constructor(random: Random, rates: FaultRates) {
    this.#random = random;
    this.#rates = rates;
  }

  happens(kind: keyof FaultRates): boolean {
    const oneIn = this.#rates[kind];
    return oneIn > 0 && !this.isQuiet && this.#random.below(oneIn) === 0;
  }
}

/** One life of the process. After its crash nothing it awaits ever comes, so none of its code runs on. */
export class ProcessLife {
  readonly crashed: Promise<void>;
  /** Its timers end with it. */
  readonly clock: Clock;
  readonly #faults: Faults;
  #isDead = false;
  #die = (): void => {};
  /** It stands still until this resolves. */
  #asleep: Promise<void> | null = null;
  #wake = (): void => {};

  constructor(faults: Faults, clock: Clock) {
    this.#faults = faults;
    const whileAlive = (callback: () => void) => (): void => void (this.#isDead || callback());
    this.clock = {
      now: () => clock.now(),
      monotonic: () => clock.monotonic(),
      after: (delayMs, callback) => clock.after(delayMs, whileAlive(callback)),
      every: (periodMs, callback) => clock.every(periodMs, whileAlive(callback)),
    };
    this.crashed = new Promise((resolve) => {
      this.#die = resolve;
    });
  }

  get isDead(): boolean {
    return this.#isDead;
  }

  /** The port, with faults around each of its methods; `mayFail` names those that callers expect to fail. */
  around<Port extends object>(port: Port, mayFail: readonly string[] = []): Port {
    return new Proxy(port, {
      get: (target, name) => {
        const member = Reflect.get(target, name) as unknown;
        if (typeof member !== 'function') return member;
        const call = member.bind(target) as (...args: unknown[]) => unknown;
        if (!isAsync(name)) return call;
        return (...args: unknown[]) => this.#run(() => call(...args), mayFail.includes(String(name)));
      },
    });
  }

  async #run(call: () => unknown, mayFail: boolean): Promise<unknown> {
    if (this.#faults.happens('slowOneIn')) await turn();
    await this.#point();
    if (mayFail && this.#faults.happens('failOneIn')) throw new Error('told to fail');
    const result = await call();
    await this.#point();
    // Readers of the log are ports of their own.
    return isReader(result) ? this.around(result) : result;
  }

  /** Stands still, as if the machine had stopped it: whatever it calls waits. */
  sleep(): void {
    this.#asleep ??= new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  /** As by SIGKILL. */
  end(): void {
    this.#isDead = true;
    this.#die();
  }

  wake(): void {
    this.#asleep = null;
    this.#wake();
  }

  /** A place where the process may end, or stand still. */
  async #point(): Promise<void> {
    if (this.#asleep !== null) await this.#asleep;
    if (!this.#isDead && this.#faults.happens('crashOneIn')) {
      this.#isDead = true;
      this.#faults.crashes++;
      this.#die();
    }
    if (this.#isDead) await new Promise(() => {});
  }
}

/** Nothing in these small worlds takes longer. */
const turnsMax = 20_000;

/**
 * What comes of a call to a process: it may also be dead before it answers. Virtual time passes meanwhile, so that what
 * is to be tried again comes due.
 */
export async function outcomeOf(
  call: Promise<unknown>,
  life: Pick<ProcessLife, 'crashed'>,
  clock: Pick<VirtualClock, 'advance'>,
): Promise<'done' | 'refused' | 'crashed'> {
  let outcome: 'done' | 'refused' | 'crashed' | null = null;
  const end = (how: typeof outcome) => (): void => {
    outcome ??= how;
  };
  call.then(end('done'), end('refused'));
  life.crashed.then(end('crashed'));
  for (let turns = 0; outcome === null; turns++) {
    if (turns > turnsMax) throw new Error('the pipeline is stuck');
    await turn();
    clock.advance(1);
  }
  return outcome;
}

function isReader(value: unknown): value is LogReader {
  return typeof value === 'object' && value !== null && 'pull' in value;
}

/** Methods that answer at once and so hold no await. */
function isAsync(name: string | symbol): boolean {
  return !['onAppend', 'behindBytes'].includes(String(name));
}

export function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
