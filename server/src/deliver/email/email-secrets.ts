/**
 * What follows from `email.secret`: opaque tokens in links and headers, and message ids. A token is sealed (AES-256-GCM),
 * so that it shows nothing of whom it is for and cannot be made or changed by anybody else; the same content gives the
 * same token, so that a mail that is tried again is the same. Links work as long as their secret is known: former
 * secrets open, only the present one seals.
 */
import { createCipheriv, createDecipheriv, createHmac, hkdfSync } from 'node:crypto';
import { limits } from '../../base/limits.ts';

/** What a token is for: one made for one thing opens nothing else. */
export type TokenUse = 'unsubscribe' | 'preferences' | 'reference';

interface Keys {
  /** Four bytes that tell which secret sealed a token. */
  readonly id: Buffer;
  readonly seal: Buffer;
  readonly nonce: Buffer;
  readonly ids: Buffer;
}

const idBytes = 4;
const nonceBytes = 12;
const tagBytes = 16;

export class EmailSecrets {
  readonly #keys: readonly [Keys, ...Keys[]];

  constructor(secret: string, former: readonly string[] = []) {
    this.#keys = [keysOf(secret), ...former.map(keysOf)];
  }

  seal(use: TokenUse, content: readonly string[]): string {
    const [{ id, seal, nonce }] = this.#keys;
    const plain = Buffer.from(JSON.stringify(content));
    // Follows from what is sealed, so that it is never used for anything else.
    const iv = createHmac('sha256', nonce).update(`${use}\n`).update(plain).digest().subarray(0, nonceBytes);
    const cipher = createCipheriv('aes-256-gcm', seal, iv).setAAD(Buffer.concat([id, Buffer.from(use)]));
    const text = Buffer.concat([cipher.update(plain), cipher.final()]);
    return Buffer.concat([id, iv, text, cipher.getAuthTag()]).toString('base64url');
  }

  /** Null for what is no token of ours, or for another use. */
  open(use: TokenUse, token: string): readonly string[] | null {
    if (token.length > limits.emailTokenCharsMax || !/^[A-Za-z0-9_-]+$/.test(token)) return null;
    const bytes = Buffer.from(token, 'base64url');
    // Another spelling of the same bytes is not what we gave out.
    if (bytes.length < idBytes + nonceBytes + tagBytes || bytes.toString('base64url') !== token) return null;
    const id = bytes.subarray(0, idBytes);
    const keys = this.#keys.find((each) => each.id.equals(id));
    return keys === undefined ? null : opened(keys, use, bytes);
  }

  /** An id that nobody can guess and that is the same each time: 22 letters, digits, - and _. */
  idOf(parts: readonly string[]): string {
    const [{ ids }] = this.#keys;
    return createHmac('sha256', ids).update(JSON.stringify(parts)).digest('base64url').slice(0, 22);
  }
}

function opened({ id, seal }: Keys, use: TokenUse, bytes: Buffer): readonly string[] | null {
  const iv = bytes.subarray(idBytes, idBytes + nonceBytes);
  const decipher = createDecipheriv('aes-256-gcm', seal, iv, { authTagLength: tagBytes });
  decipher.setAAD(Buffer.concat([id, Buffer.from(use)])).setAuthTag(bytes.subarray(-tagBytes));
  try {
    const plain = Buffer.concat([decipher.update(bytes.subarray(idBytes + nonceBytes, -tagBytes)), decipher.final()]);
    return JSON.parse(plain.toString()) as string[];
  } catch {
    return null;
  }
}

function keysOf(secret: string): Keys {
  const key = (use: string): Buffer => Buffer.from(hkdfSync('sha256', secret, '', `carillon email ${use}`, 32));
  return { id: key('id').subarray(0, idBytes), seal: key('seal'), nonce: key('nonce'), ids: key('ids') };
}
