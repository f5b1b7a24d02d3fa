/**
 * Strings for bytes that come again and again (types, sources): comparing the bytes is cheaper than making the string.
 * One place per hash of length and three bytes; whoever comes later takes it over.
 */
const places = 64;

export class TextCache {
  private readonly bytes: Uint8Array[] = Array.from({ length: places }, () => new Uint8Array(0));
  private readonly texts: string[] = new Array(places).fill('');

  /** The UTF-8 text at [start, end). */
  read(buffer: Buffer, start: number, end: number): string {
    const length = end - start;
    if (length === 0) return '';
    const middle = buffer[start + (length >> 1)] as number;
    const place =
      (7 * length + (buffer[end - 1] as number) + 3 * middle + 5 * (buffer[start] as number)) & (places - 1);
    const known = this.bytes[place] as Uint8Array;
    if (known.length === length && startsAt(buffer, start, known)) return this.texts[place] as string;
    const text = buffer.toString('utf8', start, end);
    this.bytes[place] = Uint8Array.prototype.slice.call(buffer, start, end);
    this.texts[place] = text;
    return text;
  }
}

function startsAt(buffer: Buffer, start: number, known: Uint8Array): boolean {
  for (let at = 0; at < known.length; at++) if (known[at] !== buffer[start + at]) return false;
  return true;
}
