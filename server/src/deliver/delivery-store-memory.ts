/** Deliveries in memory, for tests and the simulation: what is written survives whoever wrote it. */
import type { NotificationId, PersonKey } from '../base/ids.ts';
import { idTimeMs } from '../inbox/notification-id.ts';
import type { Position } from '../log/event-log.ts';
import { type Job, jobName, type OutwardName, type TellingKey, tellingName } from './delivery.ts';
import type { DeliveryStore, DeliveryWrite } from './delivery-store.ts';
import { mergeDeliveries } from './merge-deliveries.ts';

export class DeliveryStoreMemory implements DeliveryStore {
  /** By the name of what each tells of first. */
  readonly jobs = new Map<string, Job>();
  /** The name of the job that took a telling. */
  readonly #tellings = new Map<string, string>();
  readonly #providerIds = new Map<string, string>();
  readonly #positions = new Map<string, readonly Position[]>();

  async positions(channel: OutwardName, shard: number): Promise<readonly Position[] | null> {
    return this.#positions.get(`${channel} ${shard}`) ?? null;
  }

  async write({ channel, shard, jobs, positions }: DeliveryWrite): Promise<void> {
    for (const job of jobs) this.#put(job);
    if (positions !== null) this.#positions.set(`${channel} ${shard}`, positions);
  }

  async find(tellings: readonly TellingKey[]): Promise<readonly (Job | null)[]> {
    return tellings.map((telling) => {
      const job = this.jobs.get(this.#tellings.get(tellingName(telling)) ?? '');
      return job?.person === telling.person ? job : null;
    });
  }

  async ofNotification(person: PersonKey, notification: NotificationId): Promise<readonly Job[]> {
    const found = [...this.jobs.values()].flatMap((job) => {
      const telling = job.tells.find((each) => each.notification === notification);
      return telling === undefined || job.person !== person ? [] : [{ job, number: telling.number }];
    });
    const order = (a: Job, b: Job): number => (a.channel < b.channel ? -1 : Number(a.channel > b.channel));
    return found.sort((a, b) => order(a.job, b.job) || a.number - b.number).map(({ job }) => job);
  }

  async byProviderId(provider: string, providerId: string): Promise<Job | null> {
    return this.jobs.get(this.#providerIds.get(`${provider} ${providerId}`) ?? '') ?? null;
  }

  async expire(beforeMs: number): Promise<number> {
    let removed = 0;
    for (const [name, job] of this.jobs) {
      if (idTimeMs(job.tells[0]?.notification ?? '') >= beforeMs) continue;
      this.jobs.delete(name);
      removed++;
    }
    return removed;
  }

  #put(job: Job): void {
    const name = jobName(job);
    const known = this.jobs.get(name);
    this.jobs.set(name, { ...job, deliveries: mergeDeliveries(known?.deliveries ?? [], job.deliveries) });
    for (const telling of job.tells) this.#tellings.set(tellingName({ ...telling, channel: job.channel }), name);
    for (const { provider, providerId } of job.deliveries) {
      if (providerId !== null) this.#providerIds.set(`${provider} ${providerId}`, name);
    }
  }
}
