/**
 * A block: the records of one (shard, lane) within one commit, behind a header that lets readers of other lanes skip it.
 * Blocks lie one behind the other, each on a multiple of 8. The header names its own position, so bytes left over from
 * elsewhere are never taken for a block, and its commit, so that a torn last commit can be told from damage further up.
 *
 * Layout of the header, little endian (version 1):
 *
 *     0  u32  magic               12  u32  records              40  f64  number of the commit
 *     4  u8   version             16  f64  least accepted at    48  u16  place in the commit
 *     5  u8   lane                24  f64  latest accepted at   50  u16  blocks of the commit
 *     6  u16  shard               32  f64  own position         52  u32  CRC-32 of the records
 *     8  u32  bytes of records                                  60  u32  CRC-32 of the 60 bytes before
 */
import { crc32 } from 'node:zlib';

export const blockHeaderBytes = 64;
export const blockAlignment = 8;
const magic = 0x4b4c4243;
const version = 1;

export interface BlockHeader {
  readonly lane: number;
  readonly shard: number;
  readonly bytes: number;
  readonly count: number;
  readonly acceptedMinMs: number;
  readonly acceptedMaxMs: number;
  readonly position: number;
  readonly commit: number;
  readonly place: number;
  readonly blocks: number;
  readonly recordsCrc: number;
}

/** Bytes a block takes in the file. */
export function blockBytes(recordBytes: number): number {
  return blockHeaderBytes + Math.ceil(recordBytes / blockAlignment) * blockAlignment;
}

/** Where the first record of the block lies. */
export function recordsStart(header: BlockHeader): number {
  return header.position + blockHeaderBytes;
}

/** Behind the last record: the position a reader commits after the block. */
export function recordsEnd(header: BlockHeader): number {
  return header.position + blockHeaderBytes + header.bytes;
}

export function nextBlock(header: BlockHeader): number {
  return header.position + blockBytes(header.bytes);
}

export function writeBlockHeader(buffer: Buffer, at: number, header: BlockHeader): void {
  buffer.writeUInt32LE(magic, at);
  buffer[at + 4] = version;
  buffer[at + 5] = header.lane;
  buffer.writeUInt16LE(header.shard, at + 6);
  buffer.writeUInt32LE(header.bytes, at + 8);
  buffer.writeUInt32LE(header.count, at + 12);
  buffer.writeDoubleLE(header.acceptedMinMs, at + 16);
  buffer.writeDoubleLE(header.acceptedMaxMs, at + 24);
  buffer.writeDoubleLE(header.position, at + 32);
  buffer.writeDoubleLE(header.commit, at + 40);
  buffer.writeUInt16LE(header.place, at + 48);
  buffer.writeUInt16LE(header.blocks, at + 50);
  buffer.writeUInt32LE(header.recordsCrc, at + 52);
  buffer.writeUInt32LE(0, at + 56);
  buffer.writeUInt32LE(crc32(buffer.subarray(at, at + 60)), at + 60);
}

/** The header at `at`, or null when no header of a block at `position` lies there. */
export function readBlockHeader(buffer: Buffer, at: number, position: number): BlockHeader | null {
  if (buffer.readUInt32LE(at) !== magic || buffer[at + 4] !== version) return null;
  if (buffer.readDoubleLE(at + 32) !== position) return null;
  if (buffer.readUInt32LE(at + 60) !== crc32(buffer.subarray(at, at + 60))) return null;
  return {
    lane: buffer[at + 5] as number,
    shard: buffer.readUInt16LE(at + 6),
    bytes: buffer.readUInt32LE(at + 8),
    count: buffer.readUInt32LE(at + 12),
    acceptedMinMs: buffer.readDoubleLE(at + 16),
    acceptedMaxMs: buffer.readDoubleLE(at + 24),
    position,
    commit: buffer.readDoubleLE(at + 40),
    place: buffer.readUInt16LE(at + 48),
    blocks: buffer.readUInt16LE(at + 50),
    recordsCrc: buffer.readUInt32LE(at + 52),
  };
}
