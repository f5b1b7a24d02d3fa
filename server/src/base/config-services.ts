/**
 * Where the services of the cluster engine are and how to speak with them (G2). The defaults are those that
 * `npm run services -- start` gives, so that a cluster on one machine needs no configuration.
 */
import { type Static, Type } from 'typebox';

const closed = { additionalProperties: false } as const;
const address = Type.String({ pattern: '^[^\\s:,/]+:\\d{1,5}$|^\\[[0-9a-fA-F:]+\\]:\\d{1,5}$' });

const tls = Type.Boolean({ default: false, description: 'Encrypt connections, and check the certificate.' });
const tlsCaFile = Type.Optional(
  Type.String({ minLength: 1, description: 'PEM file of the authorities to trust instead of the usual ones.' }),
);
const username = (env: string) => Type.Optional(Type.String({ minLength: 1, env, description: 'User to log in as.' }));
const password = (env: string) => Type.Optional(Type.String({ minLength: 1, env, description: 'Its password.' }));
const replicationFactor = (what: string) =>
  Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 9,
      description: `Copies of ${what}. If absent 3 in production, which bears the loss of one machine, and 1 in development.`,
    }),
  );

/** Whoever may write to the topic may write as any of its sources. */
const EventTopic = Type.Object(
  {
    topic: Type.String({
      pattern: '^[A-Za-z0-9._-]{1,200}$',
      description: 'Name of the topic. What cannot be taken lands in `<topic>.dead`.',
    }),
    sources: Type.Array(Type.String({ minLength: 1, maxLength: 256 }), {
      minItems: 1,
      description: 'Sources that events of the topic may have; `*` is any.',
    }),
    tenant: Type.Optional(Type.String({ minLength: 1, maxLength: 128, description: 'Tenant; `default` if absent.' })),
  },
  closed,
);

const Kafka = Type.Object(
  {
    brokers: Type.Array(address, {
      minItems: 1,
      default: ['127.0.0.1:19092'],
      env: 'KAFKA_BROKERS',
      description: 'Brokers to ask first, as `host:port`; one that answers is enough.',
    }),
    topicPrefix: Type.String({
      pattern: '^[a-z0-9][a-z0-9._-]{0,99}$',
      default: 'carillon',
      description: "First part of the names of Carillon's topics and consumer groups.",
    }),
    replicationFactor: replicationFactor('the log'),
    eventTopics: Type.Array(EventTopic, {
      default: [],
      description: 'Topics that processes of role `intake` take events from, beside HTTP (docs/EVENTS-TOPIC.md).',
    }),
    lostPosition: Type.Enum(['stop', 'earliest'], {
      default: 'stop',
      description:
        'What a shard does when records it has not read are no longer kept: `stop`, or go on at the `earliest`. Never in silence.',
    }),
    tls,
    tlsCaFile,
    sasl: Type.Optional(
      Type.Enum(['PLAIN', 'SCRAM-SHA-256', 'SCRAM-SHA-512'], {
        description: 'How to log in, with `username` and `password`; absent for no log-in.',
      }),
    ),
    username: username('KAFKA_USERNAME'),
    password: password('KAFKA_PASSWORD'),
  },
  closed,
);

const Cassandra = Type.Object(
  {
    contactPoints: Type.Array(address, {
      minItems: 1,
      default: ['127.0.0.1:19042'],
      env: 'CASSANDRA_CONTACT_POINTS',
      description: 'Nodes to ask first, as `host:port`; the port is that of all nodes.',
    }),
    localDataCenter: Type.String({
      minLength: 1,
      default: 'datacenter1',
      description: 'Data centre whose nodes this process speaks with.',
    }),
    keyspace: Type.String({
      pattern: '^[a-z][a-z0-9_]{0,47}$',
      default: 'carillon',
      description: 'Keyspace of all tables; `carillon migrate` makes it.',
    }),
    replicationFactor: replicationFactor(
      'all rows in the local data centre, where `carillon migrate` makes the keyspace',
    ),
    tls,
    tlsCaFile,
    username: username('CASSANDRA_USERNAME'),
    password: password('CASSANDRA_PASSWORD'),
  },
  closed,
);

const Redis = Type.Object(
  {
    url: Type.String({
      pattern: '^rediss?://',
      default: 'redis://127.0.0.1:16379',
      env: 'REDIS_URL',
      description: 'Redis or Valkey: `redis://`, or `rediss://` for TLS, with user and password if it needs them.',
    }),
    keyPrefix: Type.String({
      pattern: '^[A-Za-z0-9._:-]{0,64}$',
      default: 'carillon:',
      description: 'First part of all keys and channels.',
    }),
  },
  closed,
);

const Postgres = Type.Object(
  {
    url: Type.String({
      pattern: '^postgres(ql)?://[^?#]+$',
      default: 'postgres://postgres@127.0.0.1:15432/postgres',
      env: 'POSTGRES_URL',
      description: 'PostgreSQL 13 or later: `postgres://user:password@host:port/database`, without parameters.',
    }),
    schema: Type.String({
      pattern: '^[a-z][a-z0-9_]{0,47}$',
      default: 'carillon',
      description: 'Schema of all tables; `carillon migrate` makes it.',
    }),
    poolSize: Type.Integer({
      minimum: 2,
      maximum: 200,
      default: 10,
      description: 'Connections of one process at most.',
    }),
    tls,
    tlsCaFile,
  },
  closed,
);

export const serviceSettings = { kafka: Kafka, cassandra: Cassandra, redis: Redis, postgres: Postgres } as const;

export type KafkaSettings = Static<typeof Kafka>;
export type CassandraSettings = Static<typeof Cassandra>;
export type RedisSettings = Static<typeof Redis>;
export type PostgresSettings = Static<typeof Postgres>;
