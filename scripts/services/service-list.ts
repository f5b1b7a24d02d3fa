/** The services of this clone: where they lie and listen, by the environment, and each by its name. */
import { join, resolve } from 'node:path';
import { root } from '../setup.mjs';
import { cassandra } from './cassandra.ts';
import { kafka } from './kafka.ts';
import { postgres } from './postgres.ts';
import { redis } from './redis.ts';
import { type Placement, type Service, ServiceError, type ServiceName, serviceNames } from './service.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

const defaultPorts = { kafka: 19092, cassandra: 19042, redis: 16379, postgres: 15432 } as const;

/** Throws ServiceError when a variable makes no sense. */
export function placementFrom(env: Environment): Placement {
  const folder = resolve(root, env.SERVICES_DIR || join('var', 'services'));
  const ports = Object.fromEntries(
    serviceNames.map((name) => [name, numberOf(env, `${name.toUpperCase()}_PORT`, defaultPorts[name])]),
  ) as Record<ServiceName, number>;
  const brokers = numberOf(env, 'KAFKA_BROKER_COUNT', 1);
  if (brokers !== 1 && brokers !== 3) throw new ServiceError('KAFKA_BROKER_COUNT must be 1 or 3.');
  return { dataDir: folder, cacheDir: resolve(root, 'var', 'cache'), ports, brokers };
}

export function createServices(placement: Placement): Record<ServiceName, Service> {
  return {
    kafka: kafka(placement),
    cassandra: cassandra(placement),
    redis: redis(placement),
    postgres: postgres(placement),
  };
}

function numberOf(env: Environment, variable: string, otherwise: number): number {
  const text = env[variable];
  if (!text) return otherwise;
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1 || value > 65_535) throw new ServiceError(`${variable} must be a number.`);
  return value;
}
