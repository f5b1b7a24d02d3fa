/**
 * What failures of Cassandra mean for callers: one that passes (no node answers, or too few) is CARILLON_STORE_UNAVAILABLE,
 * which says when to come again. Any other is a fault of ours and stays as it is.
 */
import { type Client, errors, types } from 'cassandra-driver';
import { CarillonError } from '../base/carillon-error.ts';
import { limits } from '../base/limits.ts';

const { unavailableException, overloaded, isBootstrapping, writeTimeout, readTimeout } = types.responseErrorCodes;
const passing: ReadonlySet<number> = new Set([
  unavailableException,
  overloaded,
  isBootstrapping,
  writeTimeout,
  readTimeout,
]);

/** Makes every statement of this client fail in these terms. */
export function tellWhenUnavailable(client: Client): void {
  const execute = client.execute.bind(client) as (...args: unknown[]) => Promise<types.ResultSet>;
  const batch = client.batch.bind(client) as (...args: unknown[]) => Promise<types.ResultSet>;
  Object.assign(client, {
    execute: (...args: unknown[]) => execute(...args).catch(retell),
    batch: (...args: unknown[]) => batch(...args).catch(retell),
  });
}

export function storeFailure(error: unknown): unknown {
  const isPassing =
    error instanceof errors.NoHostAvailableError ||
    error instanceof errors.OperationTimedOutError ||
    error instanceof errors.BusyConnectionError ||
    (error instanceof errors.ResponseError && passing.has(error.code));
  if (!isPassing) return error;
  return new CarillonError('CARILLON_STORE_UNAVAILABLE', 'The inbox store does not answer.', {
    retryAfterSeconds: limits.storeRetrySeconds,
    cause: error,
  });
}

function retell(error: unknown): never {
  throw storeFailure(error);
}
