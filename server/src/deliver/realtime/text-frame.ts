/**
 * Complete WebSocket frames (RFC 6455 §5.2), built once and written to any number of sockets.
 * Servers do not mask, so the bytes of a frame are the same for every client.
 */

const text = 0x81;
const ping = 0x89;

/** One unfragmented text frame: header and payload in one buffer, so that it costs one write. */
export function textFrame(payload: Uint8Array): Buffer {
  return frame(text, payload);
}

export function pingFrame(): Buffer {
  return frame(ping, new Uint8Array(0));
}

function frame(firstByte: number, payload: Uint8Array): Buffer {
  const length = payload.length;
  const headerBytes = length < 126 ? 2 : length < 65_536 ? 4 : 10;
  // Every byte is set below, so the buffer need not be cleared first.
  const out = Buffer.allocUnsafe(headerBytes + length);
  out[0] = firstByte;
  if (headerBytes === 2) {
    out[1] = length;
  } else if (headerBytes === 4) {
    out[1] = 126;
    out.writeUInt16BE(length, 2);
  } else {
    out[1] = 127;
    out.writeUInt32BE(Math.floor(length / 0x1_0000_0000), 2);
    out.writeUInt32BE(length >>> 0, 6);
  }
  out.set(payload, headerBytes);
  return out;
}
