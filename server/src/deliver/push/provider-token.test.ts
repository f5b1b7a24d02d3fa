import assert from 'node:assert/strict';
import { verify } from 'node:crypto';
import { test } from 'node:test';
import { units } from '../../base/units.ts';
import { VirtualClock } from '../../base/virtual-clock.ts';
import { ProviderToken } from './provider-token.ts';
import { apnsKeys } from './test-push.ts';

const { minute, hour } = units;
const make = (clock: VirtualClock): ProviderToken =>
  new ProviderToken({ teamId: 'TEAM123456', keyId: 'KEY1234567', key: apnsKeys.privateKey, clock });
const part = (token: string, index: number): Record<string, unknown> =>
  JSON.parse(Buffer.from(token.split('.')[index] ?? '', 'base64url').toString());
const issuedMs = (token: string): number => Number(part(token, 1).iat) * 1000;

test('V10: header, claims and signature are what Apple asks for', () => {
  const token = make(new VirtualClock()).current();
  assert.deepEqual(part(token, 0), { alg: 'ES256', kid: 'KEY1234567' });
  assert.deepEqual(Object.keys(part(token, 1)), ['iss', 'iat']);
  const [head, claims, signature = ''] = token.split('.');
  const key = { key: apnsKeys.publicKey, dsaEncoding: 'ieee-p1363' } as const;
  assert.ok(verify('sha256', Buffer.from(`${head}.${claims}`), key, Buffer.from(signature, 'base64url')));
});

test('BC-51: at any moment of two days a token is 5 to 50 minutes old, and none is replaced within 20', () => {
  const clock = new VirtualClock(Date.UTC(2026, 2, 10, 11, 57));
  const token = make(clock);
  const issued: number[] = [];
  for (let i = 0; i < 2 * 24 * 60; i++, clock.advance(minute)) {
    const atMs = issuedMs(token.current());
    assert.ok(clock.now() - atMs >= 5 * minute && clock.now() - atMs <= 50 * minute);
    if (issued.at(-1) !== atMs) issued.push(atMs);
  }
  assert.ok(issued.every((atMs, i) => i === 0 || atMs - (issued[i - 1] ?? 0) >= 20 * minute));
});

test('BC-51: four processes, one of them 5 minutes slow: at most four times of issue in 130 minutes, for all starts', () => {
  for (let startMinute = 0; startMinute < 45; startMinute++) {
    const startMs = Date.UTC(2026, 2, 10, 12, startMinute);
    const clocks = [0, 0, -5 * minute, 0].map((off) => new VirtualClock(startMs + off));
    const tokens = clocks.map(make);
    const seen = new Set<number>();
    const lastChange = tokens.map((token) => ({ iat: issuedMs(token.current()), atMs: Number.NEGATIVE_INFINITY }));
    for (let i = 0; i <= 130; i++) {
      for (const [worker, token] of tokens.entries()) {
        const iat = issuedMs(token.current());
        const last = lastChange[worker] as { iat: number; atMs: number };
        seen.add(iat);
        // As Apple judges each connection.
        assert.ok(startMs + i * minute - iat <= hour, 'ExpiredProviderToken');
        if (last.iat !== iat) {
          assert.ok(i * minute - last.atMs >= 20 * minute, 'TooManyProviderTokenUpdates');
          lastChange[worker] = { iat, atMs: i * minute };
        }
      }
      for (const clock of clocks) clock.advance(minute);
    }
    assert.ok(seen.size <= 4, `${seen.size} tokens`);
  }
});

test('BC-51: a token that Apple calls expired is replaced once, for all who were told so', () => {
  const clock = new VirtualClock();
  const token = make(clock);
  const first = token.current();
  const second = token.renewed(first);
  assert.equal(issuedMs(second ?? ''), clock.now());
  assert.equal(token.renewed(first), second, 'whoever is told later gets the same');
  assert.equal(token.renewed(second ?? ''), null, 'not a third one at once');
  assert.equal(token.current(), second);
  for (let i = 0; i < 300; i++, clock.advance(minute)) {
    assert.ok(clock.now() - issuedMs(token.current()) <= 51 * minute);
  }
});

test('a clock that steps back leaves no token from the future', () => {
  const clock = new VirtualClock();
  const token = make(clock);
  token.current();
  clock.step(-2 * hour);
  assert.ok(issuedMs(token.current()) < clock.now());
});
