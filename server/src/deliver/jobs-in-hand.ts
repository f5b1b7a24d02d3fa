/**
 * The jobs that a worker has in hand, by each telling, each once: what comes again while they are is theirs already. Says
 * what of what was handed over is still to be done, given what is on record of it.
 */
import { type Delivery, type Job, type OutwardName, tellingName, tellingNames } from './delivery.ts';
import { isSettled, transition } from './delivery-state.ts';
import { redriven, stepped } from './delivery-steps.ts';
import type { Redrive } from './dispatch-record.ts';
import type { Task } from './job-planner.ts';
import { JobRun, type Pulled } from './job-run.ts';
import type { Dispatch } from './outward-channel.ts';
import { type RetryTimer, timedTelling } from './retry-timers.ts';

type Found = readonly (Job | null)[];

export class JobsInHand {
  readonly #channel: OutwardName;
  readonly #changed: (run: JobRun) => void;
  readonly #runs = new Map<string, JobRun>();

  /** `changed`: something of it is to be written. */
  constructor(channel: OutwardName, changed: (run: JobRun) => void) {
    this.#channel = channel;
    this.#changed = changed;
  }

  get all(): Iterable<JobRun> {
    return this.#runs.values();
  }

  hold(run: JobRun): void {
    for (const name of tellingNames(run.job)) this.#runs.set(name, run);
  }

  /** Unless something of it has been taken up meanwhile. */
  letGo(run: JobRun): void {
    if (run.active.size === 0) for (const name of tellingNames(run.job)) this.#runs.delete(name);
  }

  put(run: JobRun, delivery: Delivery): void {
    run.put(delivery);
    this.#changed(run);
  }

  /**
   * Jobs of what was not taken before: each telling is sent once, whatever it comes together with. What is found half done
   * and in nobody's hands is gone on with. `known`: the job of each telling of each dispatch, in order.
   */
  notTaken(dispatches: readonly Dispatch[], known: Found, pulled: Pulled): Task[] {
    const channel = this.#channel;
    let next = 0;
    const tasks: Task[] = [];
    for (const dispatch of dispatches) {
      const tells = dispatch.tells.filter((telling) => {
        const job = known[next++] ?? null;
        if (this.#runs.has(tellingName({ ...telling, channel }))) return false;
        if (job !== null) tasks.push(...this.#resume(job, pulled));
        return job === null;
      });
      if (tells.length === 0) continue;
      const run = new JobRun({ ...dispatch, tells, channel, deliveries: [] }, pulled);
      this.hold(run);
      tasks.push({ run, endpoints: null });
    }
    pulled.left += tasks.length;
    return tasks;
  }

  /** What an operator sends again, unless it is no more as it was then. */
  sentAgain(redrives: readonly Redrive[], known: Found, pulled: Pulled): Task[] {
    return redrives.flatMap(({ telling, endpoint, version }, at) => {
      const job = known[at] ?? null;
      const run = this.#runs.get(tellingName({ ...telling, channel: this.#channel })) ?? (job && new JobRun(job, null));
      const delivery = run?.has(endpoint) ? run.delivery(endpoint) : null;
      if (run === null || delivery === null || delivery.version !== version) return [];
      if (transition(delivery.state, 'redrive') === null) return [];
      if (run.pulled === null) {
        run.pulled = pulled;
        pulled.left++;
      }
      run.active.add(endpoint);
      this.put(run, redriven(delivery));
      this.hold(run);
      return [{ run, endpoints: [endpoint] }];
    });
  }

  /** The job that a timer is about, whose delivery may just have ended; null: the timer means nothing any more. */
  retryOf({ data, dueMs }: RetryTimer, job: Job | null): JobRun | null {
    const known = this.#runs.get(data.slice(0, data.lastIndexOf(' ')));
    const run = known ?? (job === null ? null : new JobRun(job, null));
    if (run === null) return null;
    if (known === undefined) this.#loseDispatched(run);
    const { endpoint } = timedTelling(data);
    if (run.active.has(endpoint)) return run;
    const delivery = run.has(endpoint) ? run.delivery(endpoint) : null;
    // Its end is not on record yet: the timer stays until it is.
    if (delivery !== null && isSettled(delivery.state) && run.changed.has(endpoint)) return run;
    return delivery?.state === 'pending' && (delivery.dueAtMs ?? 0) <= dueMs ? run : null;
  }

  /** A job that somebody has left: what may have been sent is lost, what was never sent goes on. */
  #resume(job: Job, pulled: Pulled): readonly Task[] {
    const isLeft = job.deliveries.some(
      ({ state, dueAtMs }) => state === 'dispatched' || (state === 'pending' && dueAtMs === null),
    );
    if (!isLeft) return [];
    const run = new JobRun(job, pulled);
    this.#loseDispatched(run);
    for (const { endpoint, state, dueAtMs } of job.deliveries) {
      if (state === 'pending' && dueAtMs === null) run.active.add(endpoint);
    }
    this.hold(run);
    return [{ run, endpoints: [...run.active] }];
  }

  #loseDispatched(run: JobRun): void {
    for (const delivery of run.job.deliveries) {
      if (delivery.state === 'dispatched') this.put(run, stepped(delivery, 'lost', { code: 'crashed' }));
    }
  }
}
