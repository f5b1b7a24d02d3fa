/**
 * A production configuration of its own for each world: two tenants with their own issuers, secrets and producer keys,
 * so that what the tests see is what is shipped, and nothing is let through by development mode.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SignJWT } from 'jose';
import { makeApiKey } from '../../server/src/auth/api-keys.ts';
import { systemClock } from '../../server/src/base/clock.ts';
import { seededRandom } from '../../server/src/base/random.ts';

export const tenants = ['t1', 't2'] as const;
export type Tenant = (typeof tenants)[number];

export const appOrigin = 'https://app.test';
const random = seededRandom(7);
const producerKeys = Object.fromEntries(
  tenants.map((tenant) => [tenant, makeApiKey('producer', `posts-${tenant}`, random)]),
) as Record<Tenant, { key: string; hash: string }>;
const operatorKey = makeApiKey('operator', 'op', random);

export const producerKey = (tenant: Tenant): string => producerKeys[tenant].key;
const otherOperatorKey = makeApiKey('operator', 'op2', random);
const supportKey = makeApiKey('operator', 'help', random);

export const operatorsKey = operatorKey.key;
export const otherOperatorsKey = otherOperatorKey.key;
export const supportersKey = supportKey.key;

const secretOf = (tenant: Tenant): string => `secret of ${tenant}, long enough to sign tokens`;

/** A token as the tenant's app would issue it. */
export function userToken(tenant: Tenant, user: string, claims: Record<string, unknown> = {}): Promise<string> {
  const nowSeconds = Math.floor(systemClock.now() / 1000);
  return new SignJWT({ sub: user, ...claims })
    .setProtectedHeader({ alg: 'HS256' })
    .setIssuer(`app-${tenant}`)
    .setAudience('carillon')
    .setIssuedAt(nowSeconds)
    .setExpirationTime(nowSeconds + 3600)
    .sign(Buffer.from(secretOf(tenant)));
}

/** Writes the configuration into `folder`; answers its path. `changed` replaces top-level keys. */
export function writeConfig(folder: string, dataDir: string, changed: object): string {
  const path = join(folder, 'carillon.yaml');
  const config = {
    mode: 'production',
    port: 0,
    dataDir,
    logLevel: 'info',
    stream: { allowedOrigins: [appOrigin] },
    auth: {
      cursorSecret: 'cursors are signed with this secret',
      tokenSecret: 'tickets are signed with another secret',
      producerKeys: tenants.map((tenant) => ({
        id: `posts-${tenant}`,
        hash: producerKeys[tenant].hash,
        sources: ['posts'],
        tenant,
      })),
      userTokens: tenants.map((tenant) => ({
        issuer: `app-${tenant}`,
        audience: 'carillon',
        algorithm: 'HS256',
        secret: secretOf(tenant),
        tenant,
      })),
      operators: [
        { id: 'op', hash: operatorKey.hash, role: 'admin', tenant: 't1' },
        { id: 'op2', hash: otherOperatorKey.hash, role: 'operator', tenant: 't1' },
        { id: 'help', hash: supportKey.hash, role: 'support', tenant: 't1' },
      ],
    },
    encryption: {
      keys: [{ id: 'flow', key: Buffer.alloc(32, 'encrypts').toString('base64') }],
      indexKey: Buffer.alloc(32, 'finds').toString('base64'),
    },
    ...changed,
  };
  // JSON is YAML.
  writeFileSync(path, JSON.stringify(config));
  return path;
}
