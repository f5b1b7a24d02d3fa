import assert from 'node:assert/strict';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { exportJWK, exportSPKI, generateKeyPair, type JWTHeaderParameters, SignJWT } from 'jose';
import { CarillonError } from '../base/carillon-error.ts';
import type { ProducerKey, UserTokens } from '../base/config-schema.ts';
import type { TenantId } from '../base/ids.ts';
import { limits } from '../base/limits.ts';
import { seededRandom } from '../base/random.ts';
import { VirtualClock } from '../base/virtual-clock.ts';
import { ApiKeys, makeApiKey } from './api-keys.ts';
import { DevTokens, loadDevSecret } from './dev-tokens.ts';
import { RevocationStoreMemory } from './revocation-store-memory.ts';
import { Revocations } from './revocations.ts';
import { TokenAuthenticator } from './token-authenticator.ts';
import { createTokenIssuer, type IssuerOptions } from './token-issuer.ts';

const secret = 's'.repeat(32);
const invalid = (error: unknown) => error instanceof CarillonError && error.code === 'CARILLON_AUTH_INVALID';

function setUp(settings: Partial<UserTokens> = {}, options: Partial<IssuerOptions> = {}) {
  const clock = new VirtualClock();
  const issuer = createTokenIssuer(
    { issuer: 'app', audience: 'carillon', algorithm: 'HS256', secret, ...settings } as UserTokens,
    { clock, kinds: ['user', 'producer'], ...options },
  );
  const revocations = new Revocations(new RevocationStoreMemory(), clock);
  const authenticator = new TokenAuthenticator({ keys: new ApiKeys([], []), issuers: [issuer], revocations, clock });
  const seconds = clock.now() / 1000;
  const sign = (
    claims: Record<string, unknown>,
    header: Partial<JWTHeaderParameters> = {},
    key: CryptoKey | Buffer = Buffer.from(secret),
  ) =>
    new SignJWT({ iss: 'app', aud: 'carillon', sub: 'u1', exp: seconds + 600, ...claims })
      .setProtectedHeader({ alg: settings.algorithm ?? 'HS256', ...header })
      .sign(key);
  return { clock, revocations, authenticator, sign, seconds };
}

describe('user tokens', () => {
  test('a token in order proves its user, session and expiry', async () => {
    const { authenticator, sign, seconds } = setUp({ tenant: 't1' });
    assert.deepEqual(await authenticator.authenticate(await sign({ sid: 's1', jti: 'j1' }, { typ: 'at+jwt' })), {
      kind: 'user',
      tenant: 't1',
      user: 'u1',
      session: 's1',
      expiresAtMs: (seconds + 600) * 1000,
    });
  });

  test('a token with sources proves a producer', async () => {
    const { authenticator, sign } = setUp();
    const principal = await authenticator.authenticate(await sign({ sources: ['posts'] }));
    assert.equal(principal.kind, 'producer');
    assert.deepEqual(principal.kind === 'producer' && principal.sources, ['posts']);
  });

  const refused: [string, Record<string, unknown>, Partial<JWTHeaderParameters>?][] = [
    ['another issuer', { iss: 'other' }],
    ['another audience', { aud: 'other' }],
    ['no audience', { aud: undefined }],
    ['no expiry', { exp: undefined }],
    ['no subject', { sub: undefined }],
    ['a control character in the subject', { sub: 'u1\u0001u2' }],
    ['a subject too long', { sub: 'u'.repeat(257) }],
    ['a start in the future', { nbf: Date.UTC(2026, 2, 10, 12, 2) / 1000 }],
    ['scopes without ours [BC-67 e]', { scope: 'profile email' }],
    ['a list of scopes without ours', { scp: ['profile'] }],
    ['a role, which only operators have', { role: 'admin' }],
    ['no sources in its list', { sources: [] }],
    ['another type', {}, { typ: 'logout+jwt' }],
  ];
  for (const [what, claims, header] of refused) {
    test(`a token with ${what} proves nothing`, async () => {
      const { authenticator, sign } = setUp();
      await assert.rejects(authenticator.authenticate(await sign(claims, header)), invalid);
    });
  }

  test('a token whose scopes include ours is taken', async () => {
    const { authenticator, sign } = setUp();
    assert.equal((await authenticator.authenticate(await sign({ scope: 'a notifications' }))).kind, 'user');
  });

  test('expiry allows clocks to differ by 60 s, and no more, also for a token seen before', async () => {
    const { authenticator, sign, clock, seconds } = setUp();
    const token = await sign({ exp: seconds + 10 });
    await authenticator.authenticate(token);
    clock.advance(69_000);
    await authenticator.authenticate(token);
    clock.advance(2_000);
    await assert.rejects(authenticator.authenticate(token), invalid);
  });

  test('a key inside the token, an unsigned token and another algorithm prove nothing', async () => {
    const { authenticator, sign } = setUp();
    const pair = await generateKeyPair('ES256', { extractable: true });
    const jwk = await exportJWK(pair.publicKey);
    await assert.rejects(authenticator.authenticate(await sign({}, { alg: 'ES256', jwk }, pair.privateKey)), invalid);
    const [, payload] = (await sign({})).split('.');
    const none = Buffer.from('{"alg":"none"}').toString('base64url');
    await assert.rejects(authenticator.authenticate(`${none}.${payload}.`), invalid);
    for (const rubbish of ['', 'a', 'a.b.c', '...', 'x'.repeat(10_000)]) {
      await assert.rejects(authenticator.authenticate(rubbish), invalid);
    }
  });

  test('the public key of an asymmetric issuer is no HMAC secret', async () => {
    const pair = await generateKeyPair('RS256', { extractable: true });
    const publicKey = await exportSPKI(pair.publicKey);
    const { authenticator, sign } = setUp({ algorithm: 'RS256', publicKey });
    assert.equal((await authenticator.authenticate(await sign({}, {}, pair.privateKey))).kind, 'user');
    await assert.rejects(authenticator.authenticate(await sign({}, { alg: 'HS256' }, Buffer.from(publicKey))), invalid);
  });

  for (const algorithm of ['ES256', 'EdDSA'] as const) {
    test(`${algorithm} with a public key as JWK`, async () => {
      const pair = await generateKeyPair(algorithm, { extractable: true });
      const publicKey = JSON.stringify(await exportJWK(pair.publicKey));
      const { authenticator, sign } = setUp({ algorithm, publicKey });
      assert.equal((await authenticator.authenticate(await sign({}, {}, pair.privateKey))).kind, 'user');
    });
  }

  test('BC-70: a revoked session counts no more at once, and listeners hear of it', async () => {
    const { authenticator, revocations, sign } = setUp();
    const token = await sign({ sid: 's1' });
    const other = await sign({ sid: 's2' });
    await authenticator.authenticate(token);
    const heard: string[] = [];
    revocations.onRevoked((session) => heard.push(session));
    await revocations.revoke('default' as TenantId, 's1');
    assert.deepEqual(heard, ['default\u0001s1']);
    await assert.rejects(authenticator.authenticate(token), invalid);
    assert.equal((await authenticator.authenticate(other)).kind, 'user');
  });
});

describe('published keys', () => {
  async function published() {
    const first = await generateKeyPair('ES256', { extractable: true });
    const second = await generateKeyPair('ES256', { extractable: true });
    const jwk = async (pair: typeof first, kid: string) => ({ ...(await exportJWK(pair.publicKey)), kid });
    let keys: object[] = [
      await jwk(first, 'k1'),
      { kty: 'oct', kid: 'sym', k: 'c2VjcmV0' },
      { kty: 'odd', kid: 'odd' },
    ];
    let asked = 0;
    let down = false;
    const fetch = async () => {
      asked++;
      if (down) throw new Error('down');
      return new Response(JSON.stringify({ keys }));
    };
    const failed: string[] = [];
    const keysFailed = (issuer: string) => failed.push(issuer);
    const parts = setUp({ algorithm: 'ES256', jwksUrl: 'https://app.example/keys' }, { fetch, keysFailed });
    const state = {
      asked: () => asked,
      goDown: () => {
        down = true;
      },
      rotate: async () => {
        keys = [await jwk(second, 'k2')];
      },
    };
    return { ...parts, first, second, failed, ...state };
  }

  test('are fetched once and used by kid', async () => {
    const { authenticator, sign, first, asked } = await published();
    await authenticator.authenticate(await sign({}, { kid: 'k1' }, first.privateKey));
    await authenticator.authenticate(await sign({ jti: '2' }, { kid: 'k1' }, first.privateKey));
    assert.equal(asked(), 1);
  });

  test('a rotated key is fetched when first seen; unknown ids ask at most once in 30 s', async () => {
    const { authenticator, sign, first, second, asked, rotate, clock } = await published();
    await authenticator.authenticate(await sign({}, { kid: 'k1' }, first.privateKey));
    await rotate();
    const token = await sign({}, { kid: 'k2' }, second.privateKey);
    await assert.rejects(authenticator.authenticate(token), invalid);
    assert.equal(asked(), 1);
    clock.advance(limits.keySetRetryMs);
    assert.equal((await authenticator.authenticate(token)).kind, 'user');
    assert.equal(asked(), 2);
  });

  test('an issuer that is down locks nobody out whose key is known, and lets nobody in without', async () => {
    const { authenticator, sign, first, failed, goDown, clock, seconds } = await published();
    const exp = seconds + 90_000;
    await authenticator.authenticate(await sign({ exp }, { kid: 'k1' }, first.privateKey));
    goDown();
    clock.advance(3_600_000);
    assert.deepEqual(failed, []);
    await authenticator.authenticate(await sign({ exp, jti: '2' }, { kid: 'k1' }, first.privateKey));
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal(failed.length, 1, 'and it is told of');
    const empty = await published();
    empty.goDown();
    await assert.rejects(empty.authenticator.authenticate(await sign({}, { kid: 'k1' }, first.privateKey)), invalid);
  });
});

describe('API keys', () => {
  const random = seededRandom(5);
  const { key, hash } = makeApiKey('producer', 'post_s', random);
  const operator = makeApiKey('operator', 'me', random);

  function authenticator(change: Partial<ProducerKey> = {}) {
    const clock = new VirtualClock();
    const producers = [{ id: 'post_s', hash, sources: ['posts'], ...change }];
    const keys = new ApiKeys(producers, [{ id: 'me', hash: operator.hash, role: 'support', tenant: 't2' }]);
    return {
      clock,
      keys,
      it: new TokenAuthenticator({
        keys,
        issuers: [],
        revocations: new Revocations(new RevocationStoreMemory(), clock),
        clock,
      }),
    };
  }

  test('prove producers with their sources and operators with their role', async () => {
    const { it } = authenticator();
    assert.deepEqual(await it.authenticate(key), {
      kind: 'producer',
      tenant: 'default',
      caller: 'key:post_s',
      sources: ['posts'],
      expiresAtMs: Number.MAX_SAFE_INTEGER,
    });
    const principal = await it.authenticate(operator.key);
    assert.deepEqual([principal.kind, principal.tenant], ['operator', 't2']);
  });

  test('prove nothing when wrong in any part, of the other kind, expired or withdrawn', async () => {
    const { it, keys, clock } = authenticator({ expiresAt: '2026-03-10T12:00:01Z' });
    const flipped = key.slice(0, -1) + (key.endsWith('0') ? '1' : '0');
    for (const wrong of [
      flipped,
      key.replace('ck_', 'co_'),
      key.replace('post_s', 'posts'),
      `${key}0`,
      key.slice(0, -1),
      'ck_',
    ]) {
      await assert.rejects(it.authenticate(wrong), invalid);
    }
    await it.authenticate(key);
    clock.advance(1000);
    await assert.rejects(it.authenticate(key), invalid);
    await it.authenticate(operator.key);
    keys.replace([], []);
    await assert.rejects(it.authenticate(operator.key), invalid);
  });
});

describe('development tokens', () => {
  test('stand for users, sources and roles, for 12 hours, over a restart with the same folder', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'carillon-dev-'));
    try {
      const clock = new VirtualClock();
      const open = async () => new DevTokens(await loadDevSecret(folder, seededRandom(1)), clock, seededRandom(2));
      const tokens = await open();
      const { issuer } = await open();
      const it = new TokenAuthenticator({
        keys: new ApiKeys([], []),
        issuers: [issuer],
        revocations: new Revocations(new RevocationStoreMemory(), clock),
        clock,
      });
      const { token, expiresAt } = await tokens.issue({ user: '88' });
      assert.equal(Date.parse(expiresAt), clock.now() + 12 * 3_600_000);
      const user = await it.authenticate(token);
      assert.equal(user.kind === 'user' && user.user, '88');
      const producer = await it.authenticate((await tokens.issue({ source: 'posts' })).token);
      assert.deepEqual(producer.kind === 'producer' && producer.sources, ['posts']);
      const admin = await it.authenticate((await tokens.issue({ role: 'admin' })).token);
      assert.equal(admin.kind === 'operator' && admin.role, 'admin');
      assert.equal((await stat(join(folder, 'development-token-secret'))).mode & 0o077, 0);
      const stranger = new DevTokens('x'.repeat(64), clock, seededRandom(2));
      await assert.rejects(it.authenticate((await stranger.issue({ user: '88' })).token), invalid);
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});
