/**
 * Walks JSON in a buffer byte by byte, without objects: the lexical half of the event scanner.
 * Every method answers false for what it does not take, and then the whole walk is given up: a slower reader looks closer.
 * The bytes must be valid UTF-8; between values the position is on the first byte that is no white space.
 */
const quote = 0x22;
const backslash = 0x5c;

/** Bytes in a string that are not simply passed over: quote, backslash, control characters. */
const special = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte < 0x20 || byte === 0x7f || byte === quote || byte === backslash ? 1 : 0,
);

export class ByteScanner {
  /** What is walked over, up to `end`. */
  buffer: Buffer = Buffer.alloc(0);
  end = 0;
  protected at = 0;
  /** Some string so far held an escape. */
  escaped = false;
  /** The string read last, inside its quotes. */
  protected textStart = 0;
  protected textEnd = 0;

  protected skipSpace(): void {
    const { buffer, end } = this;
    let at = this.at;
    while (at < end) {
      const byte = buffer[at] as number;
      if (byte > 0x20 || (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09)) break;
      at++;
    }
    this.at = at;
  }

  /** Takes one structural byte and the space behind it. */
  protected take(byte: number): boolean {
    if (this.at >= this.end || this.buffer[this.at] !== byte) return false;
    this.at++;
    if (this.at < this.end && (this.buffer[this.at] as number) <= 0x20) this.skipSpace();
    return true;
  }

  /** A string of any length; escapes must be proper and may not make a NUL or half a surrogate pair. */
  protected text(): boolean {
    const { buffer, end } = this;
    let at = this.at;
    if (at >= end || buffer[at] !== quote) return false;
    this.textStart = ++at;
    for (;;) {
      while (at < end && special[buffer[at] as number] === 0) at++;
      if (at >= end) return false;
      const byte = buffer[at] as number;
      if (byte === quote) return this.endText(at);
      if (byte < 0x20) return false;
      const length = byte === backslash ? this.escapeLength(at) : 1;
      if (length === 0) return false;
      if (byte === backslash) this.escaped = true;
      at += length;
    }
  }

  /** An id: not empty, no control characters, and no escapes but of quote and backslash. */
  protected id(): boolean {
    const { buffer, end } = this;
    let at = this.at;
    if (at >= end || buffer[at] !== quote) return false;
    this.textStart = ++at;
    for (;;) {
      while (at < end && special[buffer[at] as number] === 0) at++;
      if (at >= end) return false;
      const byte = buffer[at] as number;
      if (byte === quote) return this.endText(at) && at > this.textStart;
      const next = buffer[at + 1];
      if (byte !== backslash || (next !== quote && next !== backslash)) return false;
      this.escaped = true;
      at += 2;
    }
  }

  private endText(at: number): boolean {
    this.textEnd = at;
    this.at = at + 1;
    if (this.at < this.end && (this.buffer[this.at] as number) <= 0x20) this.skipSpace();
    return true;
  }

  /** At most `max` code points in the string read last. Escapes count as written: too much of them is for the slow path. */
  protected within(max: number): boolean {
    if (this.textEnd - this.textStart <= max) return true;
    let points = 0;
    for (let at = this.textStart; at < this.textEnd; at++) if (((this.buffer[at] as number) & 0xc0) !== 0x80) points++;
    return points <= max;
  }

  /** Bytes of the escape at `at`, 0 if it is not proper. */
  private escapeLength(at: number): number {
    switch (this.buffer[at + 1]) {
      case 0x22:
      case 0x5c:
      case 0x2f:
      case 0x62:
      case 0x66:
      case 0x6e:
      case 0x72:
      case 0x74:
        return 2;
      case 0x75:
        return this.unicodeEscapeLength(at);
      default:
        return 0;
    }
  }

  private unicodeEscapeLength(at: number): number {
    const unit = this.hex4(at + 2);
    if (!(unit > 0) || (unit >= 0xdc00 && unit <= 0xdfff)) return 0;
    if (unit < 0xd800 || unit > 0xdbff) return 6;
    if (this.buffer[at + 6] !== backslash || this.buffer[at + 7] !== 0x75) return 0;
    const low = this.hex4(at + 8);
    return low >= 0xdc00 && low <= 0xdfff ? 12 : 0;
  }

  private hex4(at: number): number {
    let value = 0;
    for (let digit = 0; digit < 4; digit++) {
      const byte = this.buffer[at + digit] as number;
      if (byte >= 0x30 && byte <= 0x39) value = value * 16 + byte - 0x30;
      else if (byte >= 0x61 && byte <= 0x66) value = value * 16 + byte - 0x57;
      else if (byte >= 0x41 && byte <= 0x46) value = value * 16 + byte - 0x37;
      else return Number.NaN;
    }
    return value;
  }

  /** A number by JSON's grammar, at most 2^53 − 1 in absolute value. */
  protected number(): boolean {
    const start = this.at;
    let at = start;
    if (this.buffer[at] === 0x2d) at++;
    const whole = this.digits(at);
    if (whole === at || (this.buffer[at] === 0x30 && whole > at + 1)) return false;
    let plain = whole - at <= 15;
    at = whole;
    if (at < this.end && this.buffer[at] === 0x2e) {
      const fraction = this.digits(at + 1);
      if (fraction === at + 1) return false;
      at = fraction;
    }
    if (at < this.end && ((this.buffer[at] as number) | 0x20) === 0x65) {
      at++;
      if (this.buffer[at] === 0x2b || this.buffer[at] === 0x2d) at++;
      const exponent = this.digits(at);
      if (exponent === at) return false;
      at = exponent;
      plain = false;
    }
    if (at > this.end) return false;
    this.at = at;
    if (!plain && !(Math.abs(this.numberValue(start, at)) <= Number.MAX_SAFE_INTEGER)) return false;
    this.skipSpace();
    return true;
  }

  protected numberValue(start: number, end: number): number {
    return Number(this.buffer.toString('latin1', start, end));
  }

  private digits(from: number): number {
    let at = from;
    while (at < this.end && (this.buffer[at] as number) >= 0x30 && (this.buffer[at] as number) <= 0x39) at++;
    return at;
  }

  protected literal(word: Uint8Array): boolean {
    if (this.at + word.length > this.end) return false;
    for (let at = 0; at < word.length; at++) if (this.buffer[this.at + at] !== word[at]) return false;
    this.at += word.length;
    this.skipSpace();
    return true;
  }
}

export const words = {
  true: Buffer.from('true'),
  false: Buffer.from('false'),
  null: Buffer.from('null'),
} as const;
