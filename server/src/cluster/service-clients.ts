/**
 * The connections of one process of a cluster: what its roles need, each checked before anything starts. What cannot be
 * reached is said in words, all at once: which service, at which address, and how to start it.
 */
import { readFileSync } from 'node:fs';
import type { Client } from 'cassandra-driver';
import type { Redis } from 'ioredis';
import type { Clock } from '../base/clock.ts';
import type { Config } from '../base/config-schema.ts';
import { limits } from '../base/limits.ts';
import { KafkaClients, type KafkaOptions } from '../log/kafka/kafka-clients.ts';
import { type CassandraOptions, connectCassandra } from './cassandra-client.ts';
import { PostgresDatabase } from './postgres-database.ts';
import { redisClient } from './redis-client.ts';

export interface ServiceClients {
  readonly kafka: KafkaClients;
  readonly cassandra: Client;
  readonly publisher: Redis;
  readonly subscriber: Redis;
  readonly database: PostgresDatabase;
  close(): Promise<void>;
}

/** One service that does not answer. */
export interface Unreachable {
  readonly service: 'kafka' | 'cassandra' | 'redis' | 'postgres';
  readonly address: string;
  readonly reason: string;
}

export class ServicesUnreachable extends Error {
  readonly services: readonly Unreachable[];

  constructor(services: readonly Unreachable[]) {
    const lines = services.map(
      ({ service, address, reason }) =>
        `  ${titles[service]} does not answer at ${address} (${reason}). To run one on this machine: npm run services -- start ${service}`,
    );
    super(`what the cluster engine stands on is not there:\n${lines.join('\n')}`);
    this.name = 'ServicesUnreachable';
    this.services = services;
  }
}

const titles = { kafka: 'Kafka', cassandra: 'Cassandra', redis: 'Redis', postgres: 'PostgreSQL' } as const;

export interface ConnectOptions {
  readonly config: Config;
  readonly clock: Clock;
  /** As the services show it among their clients. */
  readonly name: string;
  /** Null before it was made. */
  readonly keyspace: string | null;
}

/** Rejects with ServicesUnreachable. */
export async function connectServices({ config, clock, name, keyspace }: ConnectOptions): Promise<ServiceClients> {
  const kafka = new KafkaClients(kafkaOptions(config, name));
  const [publisher, subscriber] = [redisOf(config, `${name}-publish`), redisOf(config, `${name}-subscribe`)];
  const database = databaseOf(config, name);
  const closeThese = async (): Promise<void> => {
    publisher.disconnect();
    subscriber.disconnect();
    await Promise.all([kafka.close(), database.close()]);
  };
  const unreachable: Unreachable[] = [];
  let notPrepared: string | null = null;
  const tell =
    (service: Unreachable['service'], address: string) =>
    (error: unknown): void => {
      unreachable.push({ service, address, reason: reasonOf(error) });
    };
  const { contactPoints } = config.cassandra;
  const [cassandra] = await Promise.all([
    connectCassandra(cassandraOptions(config, keyspace)).catch((error: unknown) => {
      if (isWithoutKeyspace(error))
        notPrepared = `Cassandra is not prepared: it has no keyspace ${keyspace}. Run \`carillon migrate\`.`;
      else tell('cassandra', contactPoints.join(', '))(error);
      return null;
    }),
    kafka.check().catch(tell('kafka', config.kafka.brokers.join(', '))),
    database.check().catch(tell('postgres', withoutSecrets(config.postgres.url))),
    Promise.all([notReady(publisher, clock), notReady(subscriber, clock)]).then((reasons) => {
      const reason = reasons.find((each) => each !== null);
      if (reason !== undefined) tell('redis', withoutSecrets(config.redis.url))(reason);
    }),
  ]);
  if (unreachable.length === 0 && cassandra !== null) {
    const close = async (): Promise<void> => {
      await closeThese();
      await cassandra.shutdown();
    };
    return { kafka, cassandra, publisher, subscriber, database, close };
  }
  await closeThese().catch(() => {});
  await cassandra?.shutdown();
  throw unreachable.length === 0
    ? new Error(notPrepared ?? 'Cassandra cannot be used')
    : new ServicesUnreachable(unreachable);
}

export function kafkaOptions({ kafka }: Config, clientId: string): KafkaOptions {
  const { brokers, sasl, username, password, tlsCaFile } = kafka;
  const login = sasl === undefined ? {} : { sasl: { mechanism: sasl, username, password } };
  return { brokers, clientId, ...login, ...(kafka.tls ? { tls: authorities(tlsCaFile) } : {}) } as KafkaOptions;
}

function cassandraOptions({ cassandra }: Config, keyspace: string | null): CassandraOptions {
  const { contactPoints, localDataCenter, username, password, tls, tlsCaFile } = cassandra;
  const credentials = username === undefined || password === undefined ? {} : { credentials: { username, password } };
  return { contactPoints, localDataCenter, keyspace, ...credentials, ...(tls ? { tls: authorities(tlsCaFile) } : {}) };
}

function redisOf({ redis }: Config, name: string): Redis {
  return redisClient(redis.url, name);
}

function databaseOf({ postgres }: Config, name: string): PostgresDatabase {
  const { url, schema, poolSize, tls, tlsCaFile } = postgres;
  return new PostgresDatabase({ url, schema, poolSize, name, ...(tls ? { tls: authorities(tlsCaFile) } : {}) });
}

function authorities(file: string | undefined): { ca?: Buffer; rejectUnauthorized: true } {
  return { ...(file === undefined ? {} : { ca: readFileSync(file) }), rejectUnauthorized: true };
}

/** Null once it is ready; why not, when nothing listens there, or it takes longer than `connectWaitMs`. */
function notReady(redis: Redis, clock: Clock): Promise<unknown> {
  if (redis.status === 'ready') return Promise.resolve(null);
  return new Promise((resolve) => {
    const cancel = clock.after(limits.connectWaitMs, () => end('no answer in time'));
    const refused = (error: Error & { code?: string }): void => {
      if (/^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN)$/.test(error.code ?? '')) end(error);
    };
    const ready = (): void => end(null);
    const end = (how: unknown): void => {
      cancel();
      redis.off('error', refused).off('ready', ready);
      resolve(how);
    };
    redis.on('error', refused).on('ready', ready);
  });
}

function withoutSecrets(url: string): string {
  const { protocol, host } = new URL(url);
  return `${protocol}//${host}`;
}

/** A code where there is one: messages of these clients may hold names and addresses of their own. */
function reasonOf(error: unknown): string {
  if (typeof error === 'string') return error;
  const { code, name, innerErrors } = (error ?? {}) as { code?: unknown; name?: string; innerErrors?: object };
  const inner = Object.values(innerErrors ?? {})[0] as { code?: unknown } | undefined;
  if (typeof inner?.code === 'string') return inner.code;
  return typeof code === 'string' ? code : (name ?? 'no answer in time');
}

function isWithoutKeyspace(error: unknown): boolean {
  return error instanceof Error && /keyspace .*does not exist/i.test(error.message);
}
