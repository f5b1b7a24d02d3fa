/**
 * Many people's frames in one buffer, so that a micro-batch crosses to the sockets' thread as one transferred message.
 * Each: u8 kind, u16 person bytes, u32 JSON bytes, f64 revision, after and marks version, person, JSON; little endian.
 */
import type { MarksFrame } from '@carillon/contract/stream.ts';
import type { PersonKey } from '../../base/ids.ts';
import type { FeedFrame } from './live-feed.ts';

const kinds = ['changes', 'marks'] as const;
const headBytes = 31;

/** A frame before it is bytes. */
export interface TextFrame extends Omit<FeedFrame, 'json' | 'kind'> {
  readonly kind: (typeof kinds)[number];
  readonly json: string;
}

export function marksFrame(frame: MarksFrame): TextFrame {
  const { revision, marksVersion } = frame.counts;
  return { kind: 'marks', revision, after: revision, marksVersion, json: JSON.stringify(frame) };
}

export class FrameBatchWriter {
  #buffer = Buffer.allocUnsafeSlow(64 * 1024);
  #used = 0;

  get isEmpty(): boolean {
    return this.#used === 0;
  }

  add(person: PersonKey, { kind, revision, after, marksVersion, json }: TextFrame): void {
    this.#reserve(headBytes + (person.length + json.length) * 3);
    const buffer = this.#buffer;
    const at = this.#used;
    const personBytes = buffer.write(person, at + headBytes);
    const jsonBytes = buffer.write(json, at + headBytes + personBytes);
    buffer[at] = kinds.indexOf(kind);
    buffer.writeUInt16LE(personBytes, at + 1);
    buffer.writeUInt32LE(jsonBytes, at + 3);
    buffer.writeDoubleLE(revision, at + 7);
    buffer.writeDoubleLE(after, at + 15);
    buffer.writeDoubleLE(marksVersion, at + 23);
    this.#used = at + headBytes + personBytes + jsonBytes;
  }

  /** The frames so far, in a buffer of their own that may be transferred. */
  take(): Uint8Array<ArrayBuffer> {
    const bytes = this.#buffer.subarray(0, this.#used);
    this.#buffer = Buffer.allocUnsafeSlow(64 * 1024);
    this.#used = 0;
    return bytes;
  }

  #reserve(bytes: number): void {
    if (this.#used + bytes <= this.#buffer.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(this.#buffer.length * 2, this.#used + bytes));
    larger.set(this.#buffer.subarray(0, this.#used));
    this.#buffer = larger;
  }
}

/** Calls `deliver` for each frame, in order. The frames share `bytes`: it must not be written to afterwards. */
export function readFrameBatch(bytes: Uint8Array, deliver: (person: PersonKey, frame: FeedFrame) => void): void {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = 0; at < buffer.length; ) {
    const personBytes = buffer.readUInt16LE(at + 1);
    const jsonBytes = buffer.readUInt32LE(at + 3);
    const personStart = at + headBytes;
    const jsonStart = personStart + personBytes;
    const person = buffer.toString('utf8', personStart, jsonStart) as PersonKey;
    deliver(person, {
      kind: kinds[buffer[at] as number] as FeedFrame['kind'],
      revision: buffer.readDoubleLE(at + 7),
      after: buffer.readDoubleLE(at + 15),
      marksVersion: buffer.readDoubleLE(at + 23),
      json: buffer.subarray(jsonStart, jsonStart + jsonBytes),
    });
    at = jsonStart + jsonBytes;
  }
}
