/** The patterns of contract/event.ts over bytes; a property test holds both to the same. */

/** `[A-Za-z][A-Za-z0-9_-]*`, at most 64. */
export function isKind(buffer: Uint8Array, start: number, end: number): boolean {
  if (end === start || end - start > 64 || !isLetter(buffer[start] as number)) return false;
  for (let at = start + 1; at < end; at++) {
    const byte = buffer[at] as number;
    if (!isLetter(byte) && !isDigit(byte) && byte !== 0x5f && byte !== 0x2d) return false;
  }
  return true;
}

/** Words of letters and digits joined by dots, two at least, then perhaps `@` and a version; at most 128. */
export function isType(buffer: Uint8Array, start: number, end: number): boolean {
  let dots = 0;
  let atWordStart = true;
  if (end - start > 128) return false;
  for (let at = start; at < end; at++) {
    const byte = buffer[at] as number;
    if (atWordStart) {
      if (byte < 0x61 || byte > 0x7a) return false;
      atWordStart = false;
    } else if (byte === 0x2e) {
      dots++;
      atWordStart = true;
    } else if (byte === 0x40) return dots > 0 && isVersion(buffer, at + 1, end);
    else if (!isLetter(byte) && !isDigit(byte)) return false;
  }
  return dots > 0 && !atWordStart;
}

/** `[1-9][0-9]{0,3}` */
function isVersion(buffer: Uint8Array, start: number, end: number): boolean {
  if (end - start < 1 || end - start > 4 || buffer[start] === 0x30) return false;
  for (let at = start; at < end; at++) if (!isDigit(buffer[at] as number)) return false;
  return true;
}

/** `00-<32 hex>-<16 hex>-00`, lower case. */
export function isTraceparent(buffer: Uint8Array, start: number, end: number): boolean {
  if (end - start !== 55) return false;
  for (let at = 0; at < 55; at++) {
    const byte = buffer[start + at] as number;
    const wantsDash = at === 2 || at === 35 || at === 52;
    if (wantsDash ? byte !== 0x2d : !isDigit(byte) && (byte < 0x61 || byte > 0x66)) return false;
  }
  return true;
}

function isLetter(byte: number): boolean {
  const lower = byte | 0x20;
  return lower >= 0x61 && lower <= 0x7a;
}

function isDigit(byte: number): boolean {
  return byte >= 0x30 && byte <= 0x39;
}
