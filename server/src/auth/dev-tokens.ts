/** Tokens for anyone, in development mode only (S1): signed like an app's own, so that nothing else is different. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SignJWT } from 'jose';
import type { Clock } from '../base/clock.ts';
import type { UserTokens } from '../base/config-schema.ts';
import { limits } from '../base/limits.ts';
import type { Random } from '../base/random.ts';
import type { OperatorPrincipal } from './principal.ts';
import { createTokenIssuer, type TokenIssuer } from './token-issuer.ts';

export type DevTokenRequest =
  | { readonly user: string }
  | { readonly source: string }
  | { readonly role: OperatorPrincipal['role'] };

export class DevTokens {
  /** For the authenticator. */
  readonly issuer: TokenIssuer;
  readonly #settings: UserTokens & { secret: string };
  readonly #clock: Clock;
  readonly #random: Random;

  constructor(secret: string, clock: Clock, random: Random) {
    this.#settings = { issuer: 'carillon-development', audience: 'carillon', algorithm: 'HS256', secret };
    this.#clock = clock;
    this.#random = random;
    this.issuer = createTokenIssuer(this.#settings, { clock, kinds: ['user', 'producer', 'operator'] });
  }

  async issue(request: DevTokenRequest): Promise<{ token: string; expiresAt: string }> {
    const issuedSeconds = Math.floor(this.#clock.now() / 1000);
    const expiresSeconds = issuedSeconds + limits.devTokenMs / 1000;
    const token = await new SignJWT(claimsOf(request))
      .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
      .setIssuer(this.#settings.issuer)
      .setAudience(this.#settings.audience)
      .setIssuedAt(issuedSeconds)
      .setExpirationTime(expiresSeconds)
      .setJti(this.#random.hex(12))
      .sign(Buffer.from(this.#settings.secret));
    return { token, expiresAt: new Date(expiresSeconds * 1000).toISOString() };
  }
}

function claimsOf(request: DevTokenRequest): Record<string, unknown> & { sub: string } {
  if ('user' in request) return { sub: request.user };
  if ('source' in request) return { sub: request.source, sources: [request.source] };
  return { sub: request.role, role: request.role };
}

/** The secret of this data folder, made at the first start, so that tokens survive a restart. */
export async function loadDevSecret(folder: string, random: Random): Promise<string> {
  const file = join(folder, 'development-token-secret');
  await mkdir(folder, { recursive: true });
  try {
    await writeFile(file, random.hex(32), { flag: 'wx', mode: 0o600 });
  } catch (error) {
    if ((error as { code?: string }).code !== 'EEXIST') throw error;
  }
  const secret = (await readFile(file, 'utf8')).trim();
  if (secret.length < 32) throw new Error(`${file} is damaged: remove it, and a new one is made.`);
  return secret;
}
