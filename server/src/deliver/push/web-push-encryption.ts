/** What a browser alone can read (RFC 8291 over RFC 8188, aes128gcm): one record, a key pair and a salt of its own each time. */
import { createCipheriv, type ECDH, hkdfSync } from 'node:crypto';
import type { Random } from '../../base/random.ts';

/** Of the subscription, base64url. */
export interface BrowserKeys {
  readonly p256dh: string;
  readonly auth: string;
}

/** Never used twice. */
export interface OneTimeSecrets {
  readonly salt: Buffer;
  readonly pair: ECDH;
}

/** Header, delimiter and tag: what the body has beyond the text. */
export const encryptionBytes = 86 + 1 + 16;

const recordBytes = 4096;
const tagBytes = 16;

/** Gives `pair` new keys; what was made with it before must have been used. */
export function oneTimeSecrets(random: Random, pair: ECDH): OneTimeSecrets {
  pair.generateKeys();
  return { salt: Buffer.from(random.hex(16), 'hex'), pair };
}

/** Throws where `p256dh` is no point of the curve; `text` must leave room in one record. */
export function encryptForBrowser(text: Uint8Array, { p256dh, auth }: BrowserKeys, secrets: OneTimeSecrets): Buffer {
  if (text.length + encryptionBytes > recordBytes) throw new RangeError('the text needs more than one record');
  const { salt, pair } = secrets;
  const theirs = Buffer.from(p256dh, 'base64url');
  const ours = pair.getPublicKey();
  const about = Buffer.concat([Buffer.from('WebPush: info\0'), theirs, ours]);
  const secret = derived(pair.computeSecret(theirs), Buffer.from(auth, 'base64url'), about, 32);
  const key = derived(secret, salt, Buffer.from('Content-Encoding: aes128gcm\0'), 16);
  const nonce = derived(secret, salt, Buffer.from('Content-Encoding: nonce\0'), 12);
  const header = Buffer.alloc(21);
  header.set(salt);
  header.writeUInt32BE(recordBytes, 16);
  header.writeUInt8(ours.length, 20);
  const cipher = createCipheriv('aes-128-gcm', key, nonce, { authTagLength: tagBytes });
  // 2: the last record.
  return Buffer.concat([
    header,
    ours,
    cipher.update(text),
    cipher.update(Buffer.of(2)),
    cipher.final(),
    cipher.getAuthTag(),
  ]);
}

function derived(secret: Buffer, salt: Buffer, about: Buffer, bytes: number): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, salt, about, bytes));
}
