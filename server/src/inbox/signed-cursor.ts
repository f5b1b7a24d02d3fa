/**
 * Cursors that clients carry and cannot read anything into: a payload with a signature over it and its scope (person,
 * operation and filters), so that one made for another person, or other filters, is as invalid as a forged one.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { CarillonError } from '../base/carillon-error.ts';

const signatureBytes = 16;
const cursorCharsMax = 1024;

export type CursorValue = string | number;

export class CursorSigner {
  readonly #secret: Uint8Array;

  /** `secret`: at least 32 bytes, the same on all nodes, for cursors of this kind only. */
  constructor(secret: Uint8Array) {
    if (secret.length < 32) throw new RangeError('The cursor secret must have at least 32 bytes');
    this.#secret = secret;
  }

  sign(scope: readonly CursorValue[], values: readonly CursorValue[]): string {
    const payload = Buffer.from(JSON.stringify(values));
    return Buffer.concat([this.#signature(scope, payload), payload]).toString('base64url');
  }

  /** The values of a cursor signed for this scope. Throws CARILLON_CURSOR_INVALID. */
  open(scope: readonly CursorValue[], cursor: string): CursorValue[] {
    const bytes = cursor.length <= cursorCharsMax ? Buffer.from(cursor, 'base64url') : Buffer.alloc(0);
    const signature = bytes.subarray(0, signatureBytes);
    const payload = bytes.subarray(signatureBytes);
    if (signature.length < signatureBytes || !timingSafeEqual(signature, this.#signature(scope, payload))) {
      throw new CarillonError('CARILLON_CURSOR_INVALID', 'The cursor was not made for this list, or was changed');
    }
    return JSON.parse(payload.toString()) as CursorValue[];
  }

  #signature(scope: readonly CursorValue[], payload: Buffer): Buffer {
    const hmac = createHmac('sha256', this.#secret).update(JSON.stringify(scope)).update('\0').update(payload);
    return hmac.digest().subarray(0, signatureBytes);
  }
}
