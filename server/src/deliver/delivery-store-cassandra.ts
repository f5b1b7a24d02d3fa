/**
 * Deliveries in Cassandra, or ScyllaDB, for the cluster engine. Tables: `cluster/cassandra-schema.ts`.
 *
 * A person's deliveries are one partition, a job's part of a write is one mutation. Each delivery is a row of its own, whose
 * write carries as its time how much it knows (`weight`): so a late write of an outdated owner loses whenever it arrives. A
 * row of the job itself, under an endpoint that none has, says what it tells of; for what it tells of beside the first, a
 * row says where it lies. Rows go by themselves.
 * Positions come last, with the time at which their writer took the shard over, counted up: of several writers the one that
 * asked last wins.
 */
import type { Client, types } from 'cassandra-driver';
import type { Clock } from '../base/clock.ts';
import { type NotificationId, type PersonKey, personKey, type Revision, splitPersonKey } from '../base/ids.ts';
import { InFlight } from '../base/in-flight.ts';
import { limits } from '../base/limits.ts';
import { nextRevision } from '../base/revision.ts';
import { ttlSeconds } from '../base/ttl-seconds.ts';
import type { Position } from '../log/event-log.ts';
import { type Job, jobKey, type OutwardName, type TellingKey, tellingName } from './delivery.ts';
import { decodeDelivery, decodeJob, encodeDelivery, encodeJob } from './delivery-codec.ts';
import type { DeliveryStore, DeliveryWrite } from './delivery-store.ts';
import { weight } from './merge-deliveries.ts';

interface Statement {
  readonly query: string;
  readonly params: readonly unknown[];
}

const putRow = `INSERT INTO deliveries (tenant, user, notification, channel, number, endpoint, data)
  VALUES (?, ?, ?, ?, ?, ?, ?) USING TIMESTAMP ? AND TTL ?`;
const ofTelling = `SELECT endpoint, data FROM deliveries
  WHERE tenant = ? AND user = ? AND notification = ? AND channel = ? AND number = ?`;
const ofNotification =
  'SELECT channel, number, endpoint FROM deliveries WHERE tenant = ? AND user = ? AND notification = ?';
const putId = `INSERT INTO delivery_ids (provider, provider_id, tenant, user, telling)
  VALUES (?, ?, ?, ?, ?) USING TTL ?`;
const getId = 'SELECT tenant, user, telling FROM delivery_ids WHERE provider = ? AND provider_id = ?';
const getPositions = `SELECT positions, writetime(positions) AS written FROM delivery_positions
  WHERE channel = ? AND shard = ?`;
const putPositions = 'UPDATE delivery_positions USING TIMESTAMP ? SET positions = ? WHERE channel = ? AND shard = ?';

/** The row of the job itself. Endpoints are ids of ours, none of which begins so. */
const jobRow = '~';
const elsewhere = '>';
/** By how much a new owner's positions are ahead of the last ones seen: what was on its way loses. */
const takeOverStep: Revision = 4096 * 1000;

export class DeliveryStoreCassandra implements DeliveryStore {
  readonly #client: Client;
  readonly #clock: Clock;
  readonly #writes = new InFlight(limits.storeWritesInFlightMax);
  readonly #reads = new InFlight(limits.storeReadsInFlightMax);
  readonly #positionTimes = new Map<string, Revision>();

  /** The client is connected to the keyspace and stays the caller's to close. */
  constructor(client: Client, clock: Clock) {
    this.#client = client;
    this.#clock = clock;
  }

  async positions(channel: OutwardName, shard: number): Promise<readonly Position[] | null> {
    const [row] = await this.#select(getPositions, [channel, shard]);
    const written = (row?.written as types.Long | null | undefined)?.toNumber() ?? 0;
    this.#positionTimes.set(`${channel} ${shard}`, nextRevision(written + takeOverStep, this.#clock.now()));
    return row === undefined ? null : (JSON.parse(row.positions as string) as Position[]);
  }

  async write({ channel, shard, jobs, positions }: DeliveryWrite): Promise<void> {
    await this.#all(jobs.map((job) => this.#statementsOf(job)));
    await this.#all(jobs.flatMap((job) => this.#idsOf(job)).map((statement) => [statement]));
    if (positions === null) return;
    const name = `${channel} ${shard}`;
    if (!this.#positionTimes.has(name)) await this.positions(channel, shard);
    const time = (this.#positionTimes.get(name) as Revision) + 1;
    this.#positionTimes.set(name, time);
    await this.#apply([{ query: putPositions, params: [time, JSON.stringify(positions), channel, shard] }]);
  }

  find(tellings: readonly TellingKey[]): Promise<readonly (Job | null)[]> {
    return Promise.all(tellings.map(({ person, ...telling }) => this.#job(person, tellingName(telling))));
  }

  async ofNotification(person: PersonKey, notification: NotificationId): Promise<readonly Job[]> {
    const rows = await this.#select(ofNotification, [...partition(person), notification]);
    const heads = rows.filter(({ endpoint }) => endpoint === jobRow);
    const names = heads.map(({ channel, number }) => tellingName({ notification, channel, number }));
    const jobs = await Promise.all(names.map((name) => this.#job(person, name)));
    return jobs.filter((job) => job !== null);
  }

  async byProviderId(provider: string, providerId: string): Promise<Job | null> {
    const [row] = await this.#select(getId, [provider, providerId]);
    return row === undefined ? null : this.#job(personKey(row.tenant, row.user), row.telling as string);
  }

  /** Rows go by themselves. */
  async expire(): Promise<number> {
    return 0;
  }

  async #job(person: PersonKey, name: string): Promise<Job | null> {
    const rows = await this.#select(ofTelling, [...partition(person), ...placeOf(name)]);
    const head = rows.find(({ endpoint }) => endpoint === jobRow)?.data as string | undefined;
    if (head === undefined) return null;
    if (head.startsWith(elsewhere)) return this.#job(person, head.slice(1));
    const deliveries = rows
      .filter(({ endpoint }) => endpoint !== jobRow)
      .map(({ data }) => decodeDelivery(data as string));
    return { ...decodeJob(head), deliveries };
  }

  /** Of one partition: one mutation. */
  #statementsOf(job: Job): readonly Statement[] {
    const { person, tells, channel, deliveries } = job;
    const name = tellingName(jobKey(job));
    const put = (telling: string, endpoint: string, data: string, time: number): Statement => {
      const params = [...partition(person), ...placeOf(telling), endpoint, data, time, this.#ttl(job)];
      return { query: putRow, params };
    };
    return [
      put(name, jobRow, encodeJob({ ...job, deliveries: [] }), 1),
      ...tells.slice(1).map((telling) => put(tellingName({ ...telling, channel }), jobRow, elsewhere + name, 1)),
      ...deliveries.map((each) => put(name, each.endpoint, encodeDelivery(each), weight(each))),
    ];
  }

  #idsOf(job: Job): Statement[] {
    const name = tellingName(jobKey(job));
    return job.deliveries.flatMap(({ provider, providerId }) => {
      if (providerId === null) return [];
      return [{ query: putId, params: [provider, providerId, ...partition(job.person), name, this.#ttl(job)] }];
    });
  }

  #ttl({ decidedAtMs }: Job): number {
    return ttlSeconds(decidedAtMs + limits.deliveriesKeptMs, this.#clock.now(), limits.storeExpirySpareMs);
  }

  /** All have ended before a failure is told, so that none overtakes its own repetition. */
  async #all(mutations: readonly (readonly Statement[])[]): Promise<void> {
    const ended = await Promise.allSettled(mutations.map((each) => this.#apply(each)));
    for (const result of ended) if (result.status === 'rejected') throw result.reason;
  }

  #apply(statements: readonly Statement[]): Promise<unknown> {
    const options = { prepare: true, isIdempotent: true, logged: false };
    const queries = statements.map(({ query, params }) => ({ query, params: [...params] }));
    const [first] = queries;
    if (first === undefined) return Promise.resolve();
    return this.#writes.run(() => {
      if (queries.length > 1) return this.#client.batch(queries, options);
      return this.#client.execute(first.query, first.params, options);
    });
  }

  async #select(query: string, params: readonly unknown[]): Promise<types.Row[]> {
    const options = { prepare: true, isIdempotent: true, fetchSize: limits.storePageRows };
    return (await this.#reads.run(() => this.#client.execute(query, [...params], options))).rows;
  }
}

function partition(person: PersonKey): [tenant: string, user: string] {
  const { tenant, user } = splitPersonKey(person);
  return [tenant, user];
}

/** A telling's name as columns. */
function placeOf(name: string): [notification: string, channel: string, number: number] {
  const [notification = '', channel = '', number = ''] = name.split(' ');
  return [notification, channel, Number(number)];
}
