/**
 * The segment files as one long run of positions: an active segment that takes commits, and sealed ones before it.
 *
 * After a failed write or sync nobody knows what of the commit is on the disk, and the page cache may show bytes that
 * are not. So the active segment is given up at the last good end: the next one is created there, and since its head
 * says where the segment before it ends, nothing of the failed commit is ever read. Only when the new file and
 * its name are durable is a commit accepted again; until then every append is refused, and each tries anew.
 * Once a new segment was begun at a position, the log goes on in no other way, whatever became of the attempt: else a
 * file left over from it could one day cut off what was acknowledged.
 */
import type { Identity } from './identity.ts';
import type { LaneStates } from './lane-state.ts';
import type { LogFile, LogFiles, ReadableFile } from './log-files.ts';
import { writeAll } from './log-files.ts';
import type { OpenFiles } from './open-files.ts';
import { encodeSegmentHeader, headerBytes, indexName, type SegmentHeader, segmentName } from './segment-header.ts';

const zeros = Buffer.alloc(256 * 1024);

export interface Segment {
  header: SegmentHeader;
  /** Position behind the last whole commit. */
  end: number;
  acceptedMaxMs: number;
  /** Places that could not be read at the last scan. */
  holes: number;
}

export interface StoreParts {
  readonly files: LogFiles;
  readonly openFiles: OpenFiles;
  readonly identity: Identity;
  readonly lanes: LaneStates;
  readonly segmentBytes: number;
  readonly preallocateBytes: number;
}

export class SegmentStore {
  readonly #parts: StoreParts;
  /** Oldest first; the last one is active. Empty only before the first `prepare`. */
  readonly segments: Segment[];
  #file: LogFile | null = null;
  /** Size of the active file, all of it written once. */
  #allocated = 0;
  #nextCommit: number;
  /** The active segment takes no more: the next commit goes to a new one. */
  #givenUp = false;

  constructor(parts: StoreParts, segments: Segment[], nextCommit: number) {
    this.#parts = parts;
    this.segments = segments;
    this.#nextCommit = nextCommit;
    const active = segments.at(-1);
    if (active !== undefined) {
      this.#file = parts.files.open(segmentName(active.header.base), 'write');
      this.#allocated = this.#file.sizeBytes();
    }
  }

  /** Position where the next block will lie. */
  get end(): number {
    return this.segments.at(-1)?.end ?? 0;
  }

  get nextCommit(): number {
    return this.#nextCommit;
  }

  /** Cuts off what a crash left behind the last whole commit, so that no old block is ever met again. Answers the bytes. */
  cutTail(): number {
    const active = this.segments.at(-1);
    const file = this.#file;
    if (active === undefined || file === null) return 0;
    const keep = active.end - active.header.base;
    const used = lastUsedByte(file, keep);
    file.truncate(keep);
    file.sync();
    this.#allocated = keep;
    return used - keep;
  }

  /** Makes sure that a commit of `bytes` can be written to the active segment, taking a new one where it must. */
  prepare(bytes: number): void {
    const active = this.segments.at(-1);
    if (active === undefined || this.#givenUp) {
      this.#startSegment();
      return;
    }
    const used = active.end - active.header.base;
    const isEmpty = active.end === firstBlock(active);
    if (!isEmpty && used + bytes > this.#parts.segmentBytes) this.#startSegment();
  }

  /** Writes and syncs one commit at `end`. When it throws, the commit is not part of the log and never will be read. */
  write(commit: Uint8Array, acceptedMaxMs: number): void {
    const active = this.segments.at(-1) as Segment;
    const file = this.#file as LogFile;
    const offset = active.end - active.header.base;
    try {
      if (offset + commit.length > this.#allocated) this.#preallocate(file, offset + commit.length);
      writeAll(file, commit, offset);
      file.sync();
    } catch (error) {
      this.#givenUp = true;
      throw error;
    }
    active.end += commit.length;
    active.acceptedMaxMs = Math.max(active.acceptedMaxMs, acceptedMaxMs);
    this.#nextCommit++;
  }

  /** The segment that holds a position, or the first one behind it. */
  segmentAt(position: number): Segment | undefined {
    let low = 0;
    let high = this.segments.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.segments[middle] as Segment).end <= position) low = middle + 1;
      else high = middle;
    }
    return this.segments[low];
  }

  /** A segment's file, to be kept as long as one likes: each read finds out anew whether it is still the active one. */
  fileOf(segment: Segment): ReadableFile {
    const sealed = this.#parts.openFiles.reading(segmentName(segment.header.base));
    return {
      read: (into, offset) => {
        const active = segment === this.segments.at(-1) ? this.#file : null;
        return (active ?? sealed).read(into, offset);
      },
    };
  }

  /** Removes the oldest segment, which must be sealed. Answers the bytes it held. */
  dropOldest(): number {
    const { files, openFiles, identity } = this.#parts;
    const { header, end } = this.segments[0] as Segment;
    // Each removal is durable before the next: a gap between the files that are left would be taken for a lost one.
    files.syncFolder();
    openFiles.drop(segmentName(header.base));
    openFiles.drop(indexName(header.base));
    files.unlink(segmentName(header.base));
    this.segments.shift();
    identity.forget(header.base);
    attempt(() => files.unlink(indexName(header.base)));
    return end - header.base;
  }

  close(): void {
    this.#file?.close();
    this.#file = null;
  }

  #startSegment(): void {
    const { files, lanes, identity } = this.#parts;
    const old = this.segments.at(-1);
    const oldIsEmpty = old !== undefined && old.end === firstBlock(old);
    const header: SegmentHeader = {
      base: this.end,
      previousBase: oldIsEmpty ? old.header.previousBase : (old?.header.base ?? -1),
      previousEnd: oldIsEmpty ? old.header.previousEnd : this.end,
      firstCommit: this.#nextCommit,
      before: lanes.ends(),
    };
    this.#givenUp = true;
    const { file, sizeBytes } = createSegment(files, header, this.#parts.preallocateBytes);
    this.#file?.close();
    this.#file = file;
    this.#allocated = sizeBytes;
    this.#givenUp = false;
    const fresh = { header, end: header.base + headerBytes(header), acceptedMaxMs: 0, holes: 0 };
    if (old !== undefined && !oldIsEmpty) this.#seal(old);
    identity.begin(header.base);
    if (oldIsEmpty) {
      identity.forget(old.header.base);
      this.segments.splice(-1, 1, fresh);
      attempt(() => files.unlink(segmentName(old.header.base)));
    } else {
      this.segments.push(fresh);
    }
  }

  /** Saves the index and gives back what was preallocated. Neither is needed for safety, so neither may fail a commit. */
  #seal(old: Segment): void {
    const { files, identity } = this.#parts;
    const base = old.header.base;
    identity.seal({ base, end: old.end, acceptedMaxMs: old.acceptedMaxMs, holes: old.holes });
    for (const index of identity.unsaved()) {
      attempt(() => saveIndex(files, index));
    }
    attempt(() => {
      const file = files.open(segmentName(base), 'write');
      try {
        file.truncate(old.end - base);
      } finally {
        file.close();
      }
    });
  }

  /** Writes zeros ahead: a sync of bytes that are in the file already need not journal its size. */
  #preallocate(file: LogFile, needed: number): void {
    const target = Math.max(needed, Math.min(this.#allocated + this.#parts.preallocateBytes, this.#parts.segmentBytes));
    fillZeros(file, this.#allocated, target);
    this.#allocated = target;
  }
}

export function firstBlock(segment: Segment): number {
  return segment.header.base + headerBytes(segment.header);
}

export function saveIndex(files: LogFiles, index: { summary: { base: number }; save(file: LogFile): void }): void {
  const file = files.open(indexName(index.summary.base), 'create');
  try {
    index.save(file);
  } finally {
    file.close();
  }
}

/** Runs what may fail without harm. */
function attempt(action: () => void): void {
  try {
    action();
  } catch {
    // What was not done is done at the next seal or start.
  }
}

function createSegment(files: LogFiles, header: SegmentHeader, preallocateBytes: number) {
  const name = segmentName(header.base);
  const file = files.open(name, 'create');
  try {
    const head = encodeSegmentHeader(header);
    writeAll(file, head, 0);
    const sizeBytes = Math.max(head.length, preallocateBytes);
    fillZeros(file, head.length, sizeBytes);
    file.sync();
    files.syncFolder();
    return { file, sizeBytes };
  } catch (error) {
    attempt(() => file.close());
    attempt(() => files.unlink(name));
    throw error;
  }
}

function fillZeros(file: LogFile, from: number, to: number): void {
  for (let at = from; at < to; at += zeros.length) {
    writeAll(file, zeros.subarray(0, Math.min(zeros.length, to - at)), at);
  }
}

/** Behind the last byte that is not zero; at least `from`. */
function lastUsedByte(file: LogFile, from: number): number {
  const chunk = Buffer.allocUnsafe(64 * 1024);
  let used = from;
  for (let at = from; ; ) {
    const read = file.read(chunk, at);
    if (read <= 0) return used;
    for (let byte = read - 1; byte >= 0; byte--) {
      if (chunk[byte] === 0) continue;
      used = at + byte + 1;
      break;
    }
    at += read;
  }
}
