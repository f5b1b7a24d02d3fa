/**
 * Deliveries in LevelDB, for the embedded engine, in a database of their own:
 *
 *     j<notification> <channel> <number>   a job, under what it tells of first
 *                                          or, for what it tells of beside that: `>` and the name it lies under
 *     i<provider> <provider's id>          the name a job lies under
 *     p<channel> <shard>                   positions of the channel's lanes
 *
 * Ids of notifications begin with their time: so what is old lies in front.
 */
import type { NotificationId, PersonKey } from '../base/ids.ts';
import { limits } from '../base/limits.ts';
import { idTimeMs } from '../inbox/notification-id.ts';
import type { LevelDb } from '../inbox/open-level.ts';
import type { Position } from '../log/event-log.ts';
import { type Job, jobName, type OutwardName, type TellingKey, tellingName } from './delivery.ts';
import { decodeJob, encodeJob } from './delivery-codec.ts';
import type { DeliveryStore, DeliveryWrite } from './delivery-store.ts';
import { mergeDeliveries } from './merge-deliveries.ts';

type Batch = ReturnType<LevelDb['batch']>;

const elsewhere = '>';

export class DeliveryStoreLevel implements DeliveryStore {
  readonly #db: LevelDb;

  /** Takes an open database, which stays the caller's to close. */
  constructor(db: LevelDb) {
    this.#db = db;
  }

  async positions(channel: OutwardName, shard: number): Promise<readonly Position[] | null> {
    const text = this.#db.getSync(`p${channel} ${shard}`);
    return text === undefined ? null : (JSON.parse(text) as Position[]);
  }

  async write({ channel, shard, jobs, positions }: DeliveryWrite): Promise<void> {
    if (this.#db.isBroken) await this.#db.mend();
    const batch = this.#db.batch();
    for (const job of jobs) this.#put(batch, job);
    if (positions !== null) batch.put(`p${channel} ${shard}`, JSON.stringify(positions));
    // Before a provider is called, what it is called for must outlive the machine.
    const isDispatching = jobs.some(({ deliveries }) => deliveries.some(({ state }) => state === 'dispatched'));
    if (batch.length > 0) await batch.write({ sync: isDispatching });
    else await batch.close();
  }

  async find(tellings: readonly TellingKey[]): Promise<readonly (Job | null)[]> {
    return tellings.map((telling) => {
      const job = this.#job(tellingName(telling));
      return job?.person === telling.person ? job : null;
    });
  }

  async ofNotification(person: PersonKey, notification: NotificationId): Promise<readonly Job[]> {
    const names = await this.#db.keys({ gte: `j${notification} `, lt: `j${notification}!` }).all();
    const jobs = names.flatMap((name) => this.#job(name.slice(1)) ?? []).filter((job) => job.person === person);
    const numberIn = ({ tells }: Job): number => tells.find((each) => each.notification === notification)?.number ?? 0;
    return jobs.sort(
      (a, b) => (a.channel < b.channel ? -1 : Number(a.channel > b.channel)) || numberIn(a) - numberIn(b),
    );
  }

  async byProviderId(provider: string, providerId: string): Promise<Job | null> {
    const name = this.#db.getSync(`i${provider} ${providerId}`);
    return name === undefined ? null : this.#job(name);
  }

  async expire(beforeMs: number): Promise<number> {
    const keys: string[] = [];
    const batch = this.#db.batch();
    for await (const [key, text] of this.#db.iterator({ gte: 'j', lt: 'k', limit: limits.deliveriesExpireStep })) {
      if (idTimeMs(key.slice(1, key.indexOf(' '))) >= beforeMs) break;
      keys.push(key);
      batch.del(key);
      if (text.startsWith(elsewhere)) continue;
      for (const { provider, providerId } of decodeJob(text).deliveries) {
        if (providerId !== null) batch.del(`i${provider} ${providerId}`);
      }
    }
    if (keys.length > 0) await batch.write();
    else await batch.close();
    return keys.length;
  }

  #job(name: string): Job | null {
    const text = this.#db.getSync(`j${name}`);
    if (text === undefined) return null;
    return text.startsWith(elsewhere) ? this.#job(text.slice(1)) : decodeJob(text);
  }

  #put(batch: Batch, job: Job): void {
    const name = jobName(job);
    const known = this.#job(name);
    const deliveries = known === null ? job.deliveries : mergeDeliveries(known.deliveries, job.deliveries);
    batch.put(`j${name}`, encodeJob({ ...job, deliveries }));
    if (known === null) {
      for (const telling of job.tells.slice(1)) {
        batch.put(`j${tellingName({ ...telling, channel: job.channel })}`, elsewhere + name);
      }
    }
    for (const { provider, providerId } of job.deliveries) {
      if (providerId !== null) batch.put(`i${provider} ${providerId}`, name);
    }
  }
}
