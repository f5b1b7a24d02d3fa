/**
 * Reads server frames of RFC 6455 from the bytes of one socket without copying: whole frames are handed on where they
 * lie; only a frame cut by the end of a read is kept. The callee must not keep the bytes.
 */
export type FrameSink = (opcode: number, payload: Buffer) => void;

export class FrameReader {
  readonly #sink: FrameSink;
  #rest: Buffer | null = null;

  constructor(sink: FrameSink) {
    this.#sink = sink;
  }

  push(chunk: Buffer): void {
    const bytes = this.#rest === null ? chunk : Buffer.concat([this.#rest, chunk]);
    let at = 0;
    for (;;) {
      const end = this.#frame(bytes, at);
      if (end < 0) break;
      at = end;
    }
    // The chunk's memory is reused by the next read, so what is left must be copied.
    this.#rest = at === bytes.length ? null : Buffer.from(bytes.subarray(at));
  }

  /** Hands on the frame at `at`; answers where it ends, or −1 when it is not whole yet. */
  #frame(bytes: Buffer, at: number): number {
    if (bytes.length < at + 2) return -1;
    const first = bytes[at] ?? 0;
    const length7 = bytes[at + 1] ?? 0;
    if ((first & 0x80) === 0 || (first & 0x0f) === 0) throw new Error('the server fragments its messages');
    if (length7 > 127) throw new Error('the server masks its frames');
    const start = at + (length7 < 126 ? 2 : length7 === 126 ? 4 : 10);
    if (bytes.length < start) return -1;
    const end = start + payloadLength(bytes, at, length7);
    if (bytes.length < end) return -1;
    this.#sink(first & 0x0f, bytes.subarray(start, end));
    return end;
  }
}

function payloadLength(bytes: Buffer, at: number, length7: number): number {
  if (length7 < 126) return length7;
  if (length7 === 126) return bytes.readUInt16BE(at + 2);
  return bytes.readUInt32BE(at + 2) * 2 ** 32 + bytes.readUInt32BE(at + 6);
}

/** A server's frame (not masked), as the probes send it. */
export function serverFrame(payload: Buffer): Buffer {
  const short = payload.length < 126;
  const middle = !short && payload.length < 65536;
  const head = Buffer.alloc(short ? 2 : middle ? 4 : 10);
  head[0] = 0x81;
  head[1] = short ? payload.length : middle ? 126 : 127;
  if (middle) head.writeUInt16BE(payload.length, 2);
  else if (!short) head.writeBigUInt64BE(BigInt(payload.length), 2);
  return Buffer.concat([head, payload]);
}

/** A client's frame, masked with zeros as RFC 6455 allows: the mask hides nothing on loopback. */
export function clientFrame(opcode: number, payload: Buffer): Buffer {
  if (payload.length > 65535) throw new Error('client frames of the bench are short');
  const short = payload.length < 126;
  const head = Buffer.alloc(short ? 6 : 8);
  head[0] = 0x80 | opcode;
  head[1] = 0x80 | (short ? payload.length : 126);
  if (!short) head.writeUInt16BE(payload.length, 2);
  return Buffer.concat([head, payload]);
}
