/**
 * One issuer of JWTs that we trust (S2): algorithm, issuer and audience are pinned by configuration, never taken from the
 * token; keys named inside a token (`jwk`, `jku`, `x5u`) are never looked at.
 */
import { createSecretKey } from 'node:crypto';
import { importJWK, importSPKI, type JWTPayload, jwtVerify } from 'jose';
import type { Clock } from '../base/clock.ts';
import type { UserTokens } from '../base/config-schema.ts';
import { defaultTenant, type TenantId } from '../base/ids.ts';
import { limits } from '../base/limits.ts';
import { type FetchKeys, KeySet, type VerifyKey } from './key-set.ts';
import type { Principal } from './principal.ts';

type Kind = Principal['kind'];
/** The key for a token, by the `kid` of its header. */
type FindKey = (kid: string | undefined) => Promise<Parameters<typeof jwtVerify>[1] | null>;

export interface TokenIssuer {
  readonly issuer: string;
  readonly algorithm: string;
  readonly tenant: TenantId;
  /** Kinds of callers it may speak for. */
  readonly kinds: readonly Kind[];
  /** The verified claims. Rejects for anything that is not in order. */
  verify(token: string): Promise<JWTPayload>;
}

export interface IssuerOptions {
  readonly clock: Clock;
  readonly kinds: readonly Kind[];
  readonly fetch?: FetchKeys;
  /** Hears the issuer whose published keys could not be fetched. */
  readonly keysFailed?: (issuer: string) => void;
}

export function createTokenIssuer(settings: UserTokens, options: IssuerOptions): TokenIssuer {
  const { issuer, audience, algorithm } = settings;
  const findKey = keyFinder(settings, options);
  return {
    issuer,
    algorithm,
    tenant: (settings.tenant ?? defaultTenant) as TenantId,
    kinds: options.kinds,
    async verify(token) {
      const resolve = async (header: { kid?: string; typ?: string }) => {
        checkType(header.typ);
        const key = await findKey(header.kid);
        if (key === null) throw new Error('There is no key for this token.');
        return key as VerifyKey;
      };
      const { payload } = await jwtVerify(token, resolve, {
        algorithms: [algorithm],
        issuer,
        audience,
        clockTolerance: limits.tokenSkewMs / 1000,
        currentDate: new Date(options.clock.now()),
        requiredClaims: ['exp', 'sub'],
      });
      return payload;
    },
  };
}

function keyFinder(settings: UserTokens, options: IssuerOptions): FindKey {
  const { algorithm, secret, publicKey, jwksUrl } = settings;
  if (algorithm === 'HS256') {
    if (secret === undefined) throw new Error(`Issuer ${settings.issuer}: HS256 needs a secret.`);
    const key = createSecretKey(Buffer.from(secret));
    return async () => key;
  }
  if (jwksUrl !== undefined) {
    const set = new KeySet({
      url: jwksUrl,
      algorithm,
      clock: options.clock,
      failed: () => options.keysFailed?.(settings.issuer),
      ...(options.fetch && { fetch: options.fetch }),
    });
    return (kid) => set.find(kid);
  }
  if (publicKey === undefined) throw new Error(`Issuer ${settings.issuer}: there is no key.`);
  const imported = publicKey.trimStart().startsWith('{')
    ? importJWK(JSON.parse(publicKey), algorithm)
    : importSPKI(publicKey, algorithm);
  // Reported when a token is verified; a rejection nobody waits for must not end the process.
  imported.catch(() => {});
  return () => imported;
}

/** A JWT made for another purpose (a logout or proof token, say) is no access token. */
function checkType(typ: string | undefined): void {
  const name = typ?.toLowerCase().replace(/^application\//, '');
  if (name !== undefined && name !== 'jwt' && name !== 'at+jwt') throw new Error('This is not an access token.');
}
