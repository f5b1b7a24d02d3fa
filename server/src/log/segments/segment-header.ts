/**
 * The head of a segment file. A segment `00000000000000012345.log` holds the positions from 12345 on. Where its data ends
 * is said by the head of the next one, so that bytes behind that (a commit that failed) are never read.
 * The head carries, for each (shard, lane), where its records ended and how many bytes they were before this segment:
 * so after older segments are dropped it is still known exactly which positions are gone, and lag stays exact.
 *
 *     0  u32  magic        8  f64  base                  24  f64  first commit     36  u32  CRC-32 of all the rest
 *     4  u32  version     16  f64  previous base, or -1  32  u32  entries          64  entries: u16 shard, u16 lane, u32 0,
 *     40  f64  previous end                                                            f64 end, f64 bytes
 */
import { crc32 } from 'node:zlib';
import { type LaneKey, laneKey, splitLaneKey } from './lane-key.ts';
import type { LogFile } from './log-files.ts';
import { readAll } from './log-files.ts';

const magic = 0x47455343;
const version = 1;
const fixedBytes = 64;
const entryBytes = 24;

export interface LaneEnd {
  /** Position behind the lane's last record. */
  readonly end: number;
  /** Bytes of all records the lane ever had up to there. */
  readonly bytes: number;
}

export interface SegmentHeader {
  readonly base: number;
  readonly previousBase: number;
  /** Where the data of the previous segment ends. */
  readonly previousEnd: number;
  readonly firstCommit: number;
  readonly before: ReadonlyMap<LaneKey, LaneEnd>;
}

export function segmentName(base: number): string {
  return `${String(base).padStart(20, '0')}.log`;
}

export function indexName(base: number): string {
  return `${String(base).padStart(20, '0')}.index`;
}

export function headerBytes(header: SegmentHeader): number {
  return fixedBytes + header.before.size * entryBytes;
}

export function encodeSegmentHeader(header: SegmentHeader): Buffer {
  const buffer = Buffer.alloc(headerBytes(header));
  buffer.writeUInt32LE(magic, 0);
  buffer.writeUInt32LE(version, 4);
  buffer.writeDoubleLE(header.base, 8);
  buffer.writeDoubleLE(header.previousBase, 16);
  buffer.writeDoubleLE(header.firstCommit, 24);
  buffer.writeUInt32LE(header.before.size, 32);
  buffer.writeDoubleLE(header.previousEnd, 40);
  let at = fixedBytes;
  for (const [key, lane] of header.before) {
    const { shard, lane: number } = splitLaneKey(key);
    buffer.writeUInt16LE(shard, at);
    buffer.writeUInt16LE(number, at + 2);
    buffer.writeDoubleLE(lane.end, at + 8);
    buffer.writeDoubleLE(lane.bytes, at + 16);
    at += entryBytes;
  }
  buffer.writeUInt32LE(crc32(buffer), 36);
  return buffer;
}

/** The header of the segment named `base`, or null when it is not whole. */
export function readSegmentHeader(file: LogFile, base: number): SegmentHeader | null {
  const fixed = Buffer.alloc(fixedBytes);
  if (readAll(file, fixed, 0) < fixedBytes) return null;
  if (fixed.readUInt32LE(0) !== magic || fixed.readUInt32LE(4) !== version || fixed.readDoubleLE(8) !== base) {
    return null;
  }
  const entries = fixed.readUInt32LE(32);
  const sizeBytes = fixedBytes + entries * entryBytes;
  if (sizeBytes > file.sizeBytes()) return null;
  const whole = Buffer.alloc(sizeBytes);
  if (readAll(file, whole, 0) < sizeBytes) return null;
  const stored = whole.readUInt32LE(36);
  whole.writeUInt32LE(0, 36);
  if (stored !== crc32(whole)) return null;
  const before = new Map<LaneKey, LaneEnd>();
  for (let at = fixedBytes; at < sizeBytes; at += entryBytes) {
    const key = laneKey(whole.readUInt16LE(at), whole.readUInt16LE(at + 2));
    before.set(key, { end: whole.readDoubleLE(at + 8), bytes: whole.readDoubleLE(at + 16) });
  }
  return {
    base,
    previousBase: whole.readDoubleLE(16),
    previousEnd: whole.readDoubleLE(40),
    firstCommit: whole.readDoubleLE(24),
    before,
  };
}
