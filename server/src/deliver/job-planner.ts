/**
 * From a job to what may leave at once: looks at everything once more (`LastLook`), renders, and says of each endpoint
 * whether it is ready, waits for a time, or has ended. Of a job that cannot be made into a message only that job fails.
 */
import type { Clock } from '../base/clock.ts';
import type { PersonKey } from '../base/ids.ts';
import { type Delivery, deliveryId } from './delivery.ts';
import type { DeliveryListener } from './delivery-listener.ts';
import { newDelivery, putOff, stepped } from './delivery-steps.ts';
import type { JobRun } from './job-run.ts';
import type { LastLook, Look, Looked } from './last-look.ts';
import type { Endpoint, Outgoing, Outlet, Route } from './outlet.ts';

/** One delivery that may be dispatched. */
export interface Ready {
  readonly run: JobRun;
  readonly endpoint: Endpoint;
  readonly routes: readonly Route[];
  readonly plannedAtMs: number;
}

/** What is to be planned of a job: these endpoints, or whatever there are. */
export interface Task {
  readonly run: JobRun;
  readonly endpoints: readonly string[] | null;
}

export interface JobPlannerParts {
  readonly outlet: Outlet;
  readonly look: LastLook;
  /** Exact, as the inbox counts. */
  readonly unreadOf: (person: PersonKey) => Promise<number>;
  readonly clock: Clock;
  readonly listener: DeliveryListener;
}

export class JobPlanner {
  readonly #parts: JobPlannerParts;

  constructor(parts: JobPlannerParts) {
    this.#parts = parts;
  }

  /** Rejects when facts cannot be had just now; then nothing has changed. Calls must not overlap. */
  async plan(tasks: readonly Task[]): Promise<readonly Ready[]> {
    const { look, unreadOf } = this.#parts;
    const looks = await look.at(tasks.map(({ run }) => run.job));
    const unread = await Promise.all(
      looks.map(({ looked }, at) => (looked.kind === 'send' ? unreadOf((tasks[at] as Task).run.job.person) : 0)),
    );
    return tasks.flatMap((task, at) => this.#planSafely(task, looks[at] as Look, unread[at] as number));
  }

  #planSafely(task: Task, look: Look, unread: number): readonly Ready[] {
    const { outlet, listener } = this.#parts;
    try {
      return this.#planOne(task, look, unread);
    } catch (error) {
      listener.unplannable(outlet.channel, error);
      for (const endpoint of this.#endpointsOf(task, look)) {
        task.run.put(stepped(task.run.delivery(endpoint), 'exhausted', { code: 'cannotRender' }));
      }
      return [];
    }
  }

  #planOne(task: Task, look: Look, unread: number): readonly Ready[] {
    const { run } = task;
    const { looked, reached } = look;
    const endpoints = this.#endpointsOf(task, look);
    if (looked.kind !== 'send') {
      for (const endpoint of endpoints) run.put(this.#without(run, endpoint, looked));
      return [];
    }
    const { person, moment, expiresAtMs } = run.job;
    const { profile, items } = looked;
    const outgoing = { person, profile, items, unread, isDigest: moment === 'digest', expiresAtMs };
    return endpoints.flatMap((id) => {
      const endpoint = reached.endpoints.find((each) => each.id === id);
      return endpoint === undefined ? this.#skip(run, id, 'noEndpoint') : this.#prepare(run, endpoint, outgoing);
    });
  }

  #prepare(run: JobRun, endpoint: Endpoint, outgoing: Outgoing): readonly Ready[] {
    const { outlet, clock } = this.#parts;
    const routes = outlet.prepare(outgoing, endpoint, deliveryId(run.job, endpoint.id));
    if (routes.length === 0) return this.#skip(run, endpoint.id, 'cannotShow');
    const inTurn = elsewhereFirst(routes, run.delivery(endpoint.id));
    return [{ run, endpoint, routes: inTurn, plannedAtMs: clock.monotonic() }];
  }

  /** Of a job that is looked at for the first time a delivery is made for each endpoint; for nobody, one that says so. */
  #endpointsOf({ run, endpoints }: Task, { reached }: Look): readonly string[] {
    if (endpoints !== null) return endpoints;
    const ids = reached.endpoints.length === 0 ? [''] : reached.endpoints.map(({ id }) => id);
    for (const id of ids) {
      if (run.has(id)) continue;
      run.active.add(id);
      run.put(newDelivery(id));
    }
    return ids;
  }

  #without(run: JobRun, endpoint: string, looked: Exclude<Looked, { kind: 'send' }>) {
    const delivery = run.delivery(endpoint);
    if (looked.kind === 'hold')
      return putOff({ ...delivery, code: looked.reason }, 'wait', looked.untilMs, run.job.expiresAtMs);
    if (looked.kind === 'expire') return stepped(delivery, 'expire', { code: 'expired' });
    return stepped(delivery, 'skip', { code: looked.reason });
  }

  #skip(run: JobRun, endpoint: string, code: string): readonly Ready[] {
    run.put(stepped(run.delivery(endpoint), 'skip', { code }));
    return [];
  }
}

/** Whoever could not take it the last time is asked last (V4): that it was surely not taken is known, or it were not here. */
function elsewhereFirst(routes: readonly Route[], { attempts }: Delivery): readonly Route[] {
  const last = attempts.at(-1)?.provider;
  const others = routes.filter(({ provider }) => provider !== last);
  return others.length === 0 ? routes : [...others, ...routes.filter(({ provider }) => provider === last)];
}
