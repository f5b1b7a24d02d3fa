/**
 * API keys of producers (`ck_<id>_<secret>`) and operators (`co_<id>_<secret>`) (S2, O3). Only the SHA-256 of the whole
 * key is stored: the secret is 32 random bytes, so a slow hash would add nothing.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { OperatorKey, ProducerKey } from '../base/config-schema.ts';
import { defaultTenant, type TenantId } from '../base/ids.ts';
import type { Random } from '../base/random.ts';
import type { OperatorPrincipal, ProducerPrincipal } from './principal.ts';

interface Entry {
  readonly hash: Buffer;
  readonly principal: ProducerPrincipal | OperatorPrincipal;
}

const form = /^(ck|co)_([A-Za-z0-9._-]{1,128})_([0-9a-f]{64})$/;
const never = Number.MAX_SAFE_INTEGER;
/** Compared with where there is no such key, so that it takes as long. */
const noHash = Buffer.alloc(32);

export class ApiKeys {
  #entries: ReadonlyMap<string, Entry> = new Map();

  constructor(producers: readonly ProducerKey[], operators: readonly OperatorKey[]) {
    this.replace(producers, operators);
  }

  /** Takes a new set: keys that are not in it end at once. */
  replace(producers: readonly ProducerKey[], operators: readonly OperatorKey[]): void {
    const entries = new Map<string, Entry>();
    for (const key of producers)
      entries.set(`ck_${key.id}`, { hash: Buffer.from(key.hash, 'hex'), principal: producer(key) });
    for (const key of operators)
      entries.set(`co_${key.id}`, { hash: Buffer.from(key.hash, 'hex'), principal: operator(key) });
    this.#entries = entries;
  }

  /** Whether the token is a key by its looks; then it is never tried as anything else. */
  static looksLike(token: string): boolean {
    return token.startsWith('ck_') || token.startsWith('co_');
  }

  find(token: string, nowMs: number): ProducerPrincipal | OperatorPrincipal | null {
    const parts = form.exec(token);
    if (parts === null) return null;
    const entry = this.#entries.get(`${parts[1]}_${parts[2]}`);
    const given = createHash('sha256').update(token).digest();
    const matches = timingSafeEqual(given, entry?.hash ?? noHash);
    return entry !== undefined && matches && nowMs < entry.principal.expiresAtMs ? entry.principal : null;
  }
}

/** A new key and what to store of it. The key itself is shown once and kept nowhere. */
export function makeApiKey(kind: 'producer' | 'operator', id: string, random: Random): { key: string; hash: string } {
  const key = `${kind === 'producer' ? 'ck' : 'co'}_${id}_${random.hex(32)}`;
  return { key, hash: createHash('sha256').update(key).digest('hex') };
}

function producer(key: ProducerKey): ProducerPrincipal {
  return { kind: 'producer', ...common(key), sources: key.sources };
}

function operator(key: OperatorKey): OperatorPrincipal {
  return { kind: 'operator', ...common(key), role: key.role as OperatorPrincipal['role'] };
}

function common(key: ProducerKey | OperatorKey): { tenant: TenantId; caller: string; expiresAtMs: number } {
  const expiresAtMs = key.expiresAt === undefined ? never : Date.parse(key.expiresAt);
  return { tenant: (key.tenant ?? defaultTenant) as TenantId, caller: `key:${key.id}`, expiresAtMs };
}
