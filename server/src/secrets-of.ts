/** What a process signs and encrypts with: each use has a secret of its own, so that none can stand for another. */
import { loadDevSecret } from './auth/dev-tokens.ts';
import type { Config } from './base/config-schema.ts';
import { encryptionKeys } from './base/encryption-keys.ts';
import { digest } from './base/hash.ts';
import type { Random } from './base/random.ts';
import type { EncryptionKeys } from './base/secret-box.ts';

export interface Secrets {
  readonly tokens: string;
  readonly cursors: Uint8Array;
  readonly email: string;
  readonly encryption: EncryptionKeys;
}

/** Production gives all (config-rules.ts). Development keeps its own in the data folder, for all processes that share it. */
export async function secretsOf(config: Config, random: Random): Promise<Secrets> {
  const { tokenSecret, cursorSecret } = config.auth;
  const tokens = tokenSecret ?? (await loadDevSecret(config.dataDir, random));
  const cursors = Buffer.from(cursorSecret ?? digest(['cursors', tokens], 43));
  const email = config.email.secret ?? digest(['email', tokens], 43);
  return { tokens, cursors, email, encryption: await encryptionKeys(config) };
}
