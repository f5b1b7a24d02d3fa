import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Attempted, mailWeather, pushWeather, treat } from './weather.ts';

const attempted: Attempted = { seed: 1, id: 'd-0', nth: 1, nthOfEndpoint: 1, kind: 'live' };

test('the same attempt meets the same weather, another seed or attempt another', () => {
  const of = (change: Partial<Attempted>): string =>
    Array.from({ length: 500 }, (_, at) => treat({ ...attempted, ...change, id: `d-${at}` }, pushWeather).kind).join();
  assert.equal(of({}), of({}));
  assert.notEqual(of({}), of({ seed: 2 }));
  assert.notEqual(of({}), of({ nth: 2 }));
});

test('of many attempts as many fail as planned', () => {
  const counts = new Map<string, number>();
  for (let at = 0; at < 100_000; at++) {
    const treatment = treat({ ...attempted, id: `d-${at}` }, pushWeather);
    const name = treatment.kind === 'take' && !treatment.isAnswered ? 'drop' : treatment.kind;
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  for (const name of ['retry', 'throttle', 'drop'] as const) {
    const planned = pushWeather[name] * 10;
    assert.ok(Math.abs((counts.get(name) ?? 0) - planned) < 5 * Math.sqrt(planned), `${name}: ${counts.get(name)}`);
  }
});

test('weather alone never uses up the attempts of a delivery', () => {
  for (let at = 0; at < 20_000; at++) {
    const treatment = treat({ ...attempted, id: `d-${at}`, nth: 4 }, mailWeather);
    assert.deepEqual(treatment, { kind: 'take', delayMs: 0, isAnswered: true });
  }
});

test('endpoints take what they are sent as they are', () => {
  const of = (kind: Attempted['kind'], nthOfEndpoint = 1): string => {
    return treat({ ...attempted, kind, nthOfEndpoint, nth: 9 }, pushWeather).kind;
  };
  assert.deepEqual(
    [of('dead'), of('doubted'), of('returning'), of('failing'), of('refusing')],
    ['gone', 'doubt', 'gone', 'retry', 'refuse'],
  );
  assert.deepEqual([of('oldProof'), of('oldProof', 2)], ['gone', 'take']);
});
