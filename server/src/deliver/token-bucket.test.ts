/** No more than a rate allows, and no less (V6). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { restedBucket, type TokenRate, takeToken } from './token-bucket.ts';

const rates = fc.record({
  burst: fc.integer({ min: 1, max: 50 }),
  perMs: fc.double({ min: 0.001, max: 5, noNaN: true }),
  ramp: fc.option(
    fc.record({ from: fc.double({ min: 0.01, max: 0.9, noNaN: true }), overMs: fc.integer({ min: 1, max: 5000 }) }),
  ),
});

function rateOf({
  burst,
  perMs,
  ramp,
}: {
  burst: number;
  perMs: number;
  ramp: { from: number; overMs: number } | null;
}): TokenRate {
  return { burst, perMs, from: ramp?.from ?? 1, risePerMs: ramp === null ? 0 : (1 - ramp.from) / ramp.overMs };
}

/** Times at which calls went, of a crowd that asks again and again whenever it is told to, until so many have gone. */
function rush(rate: TokenRate, calls: number, pauses: readonly number[] = []): number[] {
  let nowMs = 1000;
  let bucket = restedBucket(rate, nowMs);
  const went: number[] = [];
  while (went.length < calls) {
    const answer = takeToken(bucket, rate, nowMs);
    if ('waitMs' in answer) {
      assert.ok(answer.waitMs >= 1, 'whoever is told to wait has something to wait for');
      const early = takeToken(bucket, rate, nowMs + answer.waitMs - 1);
      assert.ok('waitMs' in early, 'not idle: before that there was no room');
      nowMs += answer.waitMs;
      assert.ok('go' in takeToken(bucket, rate, nowMs), 'and then there is');
    } else {
      bucket = answer.go;
      went.push(nowMs);
      nowMs += pauses[went.length] ?? 0;
    }
  }
  return went;
}

test('in any window there go no more than the burst and what comes back meanwhile, and one goes as soon as it may', () => {
  fc.assert(
    fc.property(rates, fc.array(fc.integer({ min: 0, max: 3000 }), { maxLength: 100 }), (drawn, pauses) => {
      const rate = rateOf(drawn);
      const went = rush(rate, 150, pauses);
      for (const [from, beganMs] of went.entries()) {
        for (let to = from; to < went.length; to++) {
          const most = rate.burst + rate.perMs * ((went[to] as number) - beganMs);
          assert.ok(to - from + 1 <= most + 0.01, `${to - from + 1} where ${most} may`);
        }
      }
    }),
    { numRuns: 60 },
  );
});

test('given the whole rate, a rush is never slower than that rate', () => {
  fc.assert(
    fc.property(rates, (drawn) => {
      const rate = rateOf({ ...drawn, ramp: null });
      const went = rush(rate, 200);
      const tookMs = (went.at(-1) as number) - 1000;
      // Each wait is rounded up to a whole millisecond, and what comes back in it is not lost while there is room for it.
      assert.ok(tookMs <= (200 - rate.burst) / rate.perMs + 1 + (rate.burst < 6 ? 200 : 0), `${tookMs} ms`);
    }),
  );
});

const ramped: TokenRate = { burst: 10, perMs: 1, from: 0.05, risePerMs: 0.95 / 60_000 };

test('after a rest a rate grows over a minute to the whole, and after another rest it has to grow again', () => {
  const went = rush(ramped, 100_000);
  const inSecond = (second: number): number =>
    went.filter((atMs) => atMs >= 1000 + second * 1000 && atMs < 2000 + second * 1000).length;
  assert.ok(inSecond(0) <= 75, `${inSecond(0)} in the first second`);
  assert.ok(Math.abs(inSecond(30) - 530) < 30, `${inSecond(30)} halfway`);
  assert.ok(inSecond(58) < 1000);
  assert.equal(inSecond(65), 1000);
  const pauses = Array.from<number>({ length: 100_001 });
  pauses[99_000] = 120_000;
  const again = rush(ramped, 100_000, pauses);
  const tookMs = (again.at(-1) as number) - (again[99_000] as number);
  assert.ok(tookMs > 8000, `a thousand in ${tookMs} ms`);
});

test('what asks for little stays at the low rate, so that a rush after it finds no open door', () => {
  const pauses = Array.from({ length: 100 }, () => 5000);
  const went = rush(ramped, 200, pauses);
  const tookMs = (went.at(-1) as number) - (went[100] as number);
  assert.ok(tookMs > 1000, `the rush took ${tookMs} ms`);
});

test('a clock that does not move gives nothing for nothing', () => {
  let bucket = restedBucket(ramped, 5);
  for (let taken = 0; taken < 10; taken++) {
    const answer = takeToken(bucket, ramped, 5);
    assert.ok('go' in answer);
    bucket = answer.go;
  }
  assert.ok('waitMs' in takeToken(bucket, ramped, 5));
  assert.ok('waitMs' in takeToken(bucket, ramped, 4));
});
