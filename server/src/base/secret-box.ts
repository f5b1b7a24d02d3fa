/**
 * Encryption at rest of what must not be read from a copy of the data: tokens of devices, email addresses (S4).
 *
 * Envelope: a text is encrypted with a data key, and that with a master key of the configuration; both by AES-256-GCM.
 * What comes out says which master key it was and carries the data key, encrypted, so that it can be read by itself. It
 * opens only in the place it was sealed for, so that nobody gains by swapping rows. Data keys live in this process only,
 * and each for a bounded number of texts, since their nonces are drawn.
 *
 * Blind index: a keyed hash by which a text is found again without being readable. Its key is one of its own, which
 * never changes: a new one would make everything unfindable.
 */
import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto';
import { joinParts } from './hash.ts';
import { limits } from './limits.ts';

export interface MasterKey {
  /** Letters, digits, `_` and `-`. */
  readonly id: string;
  /** 32 bytes. */
  readonly key: Uint8Array;
}

export interface EncryptionKeys {
  /** The first one seals, all open. */
  readonly masters: readonly MasterKey[];
  /** 32 bytes, of blind indexes. */
  readonly index: Uint8Array;
}

export type SecretPurpose = 'deviceAddress' | 'emailAddress' | 'suppressedAddress' | 'keyProof';

/** Where a secret belongs. */
export interface SecretPlace {
  readonly purpose: SecretPurpose;
  /** Whose it is: a person's key, or a tenant. */
  readonly owner: string;
}

/** Something sealed cannot be read. Says nothing of what it is. */
export class SecretUnreadable extends Error {
  override readonly name = 'SecretUnreadable';
  readonly code: 'SECRET_KEY_MISSING' | 'SECRET_DAMAGED';

  constructor(code: SecretUnreadable['code'], detail: string) {
    super(detail);
    this.code = code;
  }
}

const format = '1';
const cipher = 'aes-256-gcm';
const [keyBytes, nonceBytes, tagBytes] = [32, 12, 16];

interface DataKey {
  readonly key: Buffer;
  /** As it stands in what it sealed. */
  readonly wrapped: string;
  uses: number;
}

export class SecretBox {
  readonly #masters: ReadonlyMap<string, Uint8Array>;
  readonly #current: MasterKey;
  readonly #index: Uint8Array;
  #sealing: DataKey | null = null;
  /** Data keys met lately, by what stands for them. */
  readonly #opened = new Map<string, Buffer>();

  constructor({ masters, index }: EncryptionKeys) {
    const [current] = masters;
    if (current === undefined) throw new Error('there is no master key');
    this.#current = current;
    this.#masters = new Map(masters.map(({ id, key }) => [id, key]));
    this.#index = index;
  }

  /** The name of the master key that seals now. */
  get current(): string {
    return this.#current.id;
  }

  seal(text: string, place: SecretPlace): string {
    const dataKey = this.#sealingKey();
    const body = encrypt(dataKey.key, Buffer.from(text), placeName(place));
    return [format, this.#current.id, dataKey.wrapped, body.toString('base64url')].join('.');
  }

  /** Throws SecretUnreadable for what was sealed elsewhere, by another key, or is damaged. */
  open(sealed: string, place: SecretPlace): string {
    const [version, master = '', wrapped = '', body = ''] = sealed.split('.');
    if (version !== format) throw damaged();
    const key = this.#dataKey(master, wrapped);
    return decrypt(key, Buffer.from(body, 'base64url'), placeName(place)).toString();
  }

  /** Whether it was sealed by the master key that seals now. */
  isCurrent(sealed: string): boolean {
    return masterOf(sealed) === this.#current.id;
  }

  /** The same for the same parts, and nothing can be told from it; of one `purpose` apart from those of others. */
  indexOf(purpose: SecretPurpose, parts: readonly string[]): string {
    return createHmac('sha256', this.#index)
      .update(joinParts(['carillon index', purpose, ...parts]))
      .digest('base64url');
  }

  #sealingKey(): DataKey {
    if (this.#sealing === null || this.#sealing.uses >= limits.secretsPerDataKey) {
      const key = randomBytes(keyBytes);
      const wrapped = encrypt(this.#current.key, key, wrapName(this.#current.id)).toString('base64url');
      this.#sealing = { key, wrapped, uses: 0 };
    }
    this.#sealing.uses++;
    return this.#sealing;
  }

  #dataKey(master: string, wrapped: string): Buffer {
    // With the name: what it says must be what the key was wrapped under.
    const name = `${master}.${wrapped}`;
    const known = this.#opened.get(name);
    if (known !== undefined) return known;
    const masterKey = this.#masters.get(master);
    if (masterKey === undefined) throw keyMissing(master);
    const key = decrypt(masterKey, Buffer.from(wrapped, 'base64url'), wrapName(master));
    if (this.#opened.size >= limits.dataKeysKept) this.#opened.clear();
    this.#opened.set(name, key);
    return key;
  }
}

/** Id of the master key that something was sealed by. */
export function masterOf(sealed: string): string {
  return sealed.split('.', 2)[1] ?? '';
}

/** Keys drawn anew, for development and tests. */
export function drawKeys(id: string): EncryptionKeys {
  return { masters: [{ id, key: randomBytes(keyBytes) }], index: randomBytes(keyBytes) };
}

function placeName({ purpose, owner }: SecretPlace): string {
  return joinParts(['carillon secret', purpose, owner]);
}

function wrapName(master: string): string {
  return joinParts(['carillon data key', master]);
}

/** Nonce, what is encrypted, tag. */
function encrypt(key: Uint8Array, plain: Buffer, name: string): Buffer {
  const nonce = randomBytes(nonceBytes);
  const encryption = createCipheriv(cipher, key, nonce, { authTagLength: tagBytes });
  encryption.setAAD(Buffer.from(name));
  return Buffer.concat([nonce, encryption.update(plain), encryption.final(), encryption.getAuthTag()]);
}

function decrypt(key: Uint8Array, sealed: Buffer, name: string): Buffer {
  if (sealed.length < nonceBytes + tagBytes) throw damaged();
  const decryption = createDecipheriv(cipher, key, sealed.subarray(0, nonceBytes), { authTagLength: tagBytes });
  decryption.setAAD(Buffer.from(name));
  decryption.setAuthTag(sealed.subarray(-tagBytes));
  try {
    return Buffer.concat([decryption.update(sealed.subarray(nonceBytes, -tagBytes)), decryption.final()]);
  } catch {
    throw damaged();
  }
}

function damaged(): SecretUnreadable {
  return new SecretUnreadable('SECRET_DAMAGED', 'an encrypted value is damaged, or lies where it does not belong');
}

function keyMissing(master: string): SecretUnreadable {
  const detail = `a value is encrypted by the key ${JSON.stringify(master.slice(0, 64))}, which encryption.keys does not have`;
  return new SecretUnreadable('SECRET_KEY_MISSING', detail);
}
