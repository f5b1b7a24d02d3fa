import assert from 'node:assert/strict';
import { test } from 'node:test';
import { errors, types } from 'cassandra-driver';
import { CarillonError } from '../base/carillon-error.ts';
import { storeFailure } from './store-unavailable.ts';

const { unavailableException, writeTimeout, syntaxError, invalid } = types.responseErrorCodes;

test('a failure that passes says when to come again, and keeps its cause', () => {
  for (const error of [
    new errors.NoHostAvailableError({}),
    new errors.OperationTimedOutError('too slow'),
    new errors.BusyConnectionError('127.0.0.1', 2048, 1),
    new errors.ResponseError(unavailableException, 'one of two replicas'),
    new errors.ResponseError(writeTimeout, 'no answer in time'),
  ]) {
    const told = storeFailure(error);
    assert.ok(told instanceof CarillonError);
    assert.deepEqual([told.code, told.status, told.retryAfterSeconds], ['CARILLON_STORE_UNAVAILABLE', 503, 2]);
    assert.equal(told.cause, error);
  }
});

test('a fault of ours stays what it is', () => {
  for (const error of [
    new errors.ResponseError(syntaxError, 'no such statement'),
    new errors.ResponseError(invalid, 'no such table'),
    new TypeError('a bug'),
  ]) {
    assert.equal(storeFailure(error), error);
  }
});
