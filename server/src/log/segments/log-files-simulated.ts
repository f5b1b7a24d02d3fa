/**
 * The log's files on a disk that lives in memory and fails when told to: for fault tests and the simulation.
 * It is as unkind as a real one may be. A write is durable only after a sync; a crash keeps any part of what was not
 * synced, sector by sector and in no order; a name is durable only after `syncFolder`; and after a failed sync the
 * page cache still shows what the disk has lost, and a later sync reports success without bringing it back.
 */
import type { Random } from '../../base/random.ts';
import type { LogFile, LogFiles, OpenMode } from './log-files.ts';

const sectorBytes = 512;

export interface DiskCall {
  readonly kind: 'list' | 'open' | 'read' | 'write' | 'sync' | 'truncate' | 'unlink' | 'syncFolder';
  readonly name: string;
  /** Bytes asked for, of reads and writes. */
  readonly bytes: number;
}

/** `short` writes half, `torn` writes half and then fails. */
export type DiskFault = 'ENOSPC' | 'EIO' | 'short' | 'torn';

interface Content {
  /** What reads see. */
  cached: Buffer;
  /** What a crash leaves for certain. */
  durable: Buffer;
  /** Parts of `cached` that the next sync makes durable. */
  dirty: { from: number; to: number }[];
}

export class LogFilesSimulated implements LogFiles {
  /** Asked before each call; an answer makes it fail. */
  fault: (call: DiskCall) => DiskFault | undefined = () => undefined;
  readonly #contents = new Map<string, Content>();
  #durableNames = new Map<string, Content>();
  #locked = false;

  list(): string[] {
    this.#meet('list', '');
    return [...this.#contents.keys()].sort();
  }

  open(name: string, mode: OpenMode): LogFile {
    this.#meet('open', name);
    let content = this.#contents.get(name);
    if (mode === 'create') {
      content = { cached: Buffer.alloc(0), durable: Buffer.alloc(0), dirty: [] };
      this.#contents.set(name, content);
    }
    if (content === undefined) throw failure('ENOENT');
    return new SimulatedFile(name, content, (kind, bytes) => this.#meet(kind, name, bytes));
  }

  unlink(name: string): void {
    this.#meet('unlink', name);
    if (!this.#contents.delete(name)) throw failure('ENOENT');
  }

  syncFolder(): void {
    this.#meet('syncFolder', '');
    this.#durableNames = new Map(this.#contents);
  }

  lock(): () => void {
    if (this.#locked) throw failure('EBUSY');
    this.#locked = true;
    return () => {
      this.#locked = false;
    };
  }

  /** Loses what need not have survived; which part of it does is up to `random`. Clears the fault and the lock. */
  crash(random: Random): void {
    this.fault = () => undefined;
    this.#locked = false;
    for (const [name, content] of this.#durableNames) {
      if (!this.#contents.has(name) && random.below(2) === 0) this.#contents.set(name, content);
    }
    for (const [name, content] of this.#contents) {
      if (!this.#durableNames.has(name) && random.below(2) === 0) this.#contents.delete(name);
      loseSectors(content, random);
    }
    this.#durableNames = new Map(this.#contents);
  }

  /** The bytes of a file as reads see them; changing them is how a test damages the medium. */
  bytesOf(name: string): Buffer {
    return (this.#contents.get(name) as Content).cached;
  }

  replace(name: string, bytes: Uint8Array): void {
    const content = { cached: Buffer.from(bytes), durable: Buffer.from(bytes), dirty: [] };
    this.#contents.set(name, content);
    this.#durableNames.set(name, content);
  }

  /** A disk of its own with the same durable content, as after a crash that kept nothing more. */
  copy(): LogFilesSimulated {
    const copy = new LogFilesSimulated();
    for (const [name, content] of this.#durableNames) copy.replace(name, content.durable);
    return copy;
  }

  #meet(kind: DiskCall['kind'], name: string, bytes = 0): DiskFault | undefined {
    const fault = this.fault({ kind, name, bytes });
    if (fault === undefined || (kind === 'write' && (fault === 'short' || fault === 'torn'))) return fault;
    throw failure(fault === 'ENOSPC' ? 'ENOSPC' : 'EIO');
  }
}

class SimulatedFile implements LogFile {
  readonly #content: Content;
  readonly #meet: (kind: DiskCall['kind'], bytes: number) => DiskFault | undefined;
  readonly #name: string;
  #closed = false;

  constructor(name: string, content: Content, meet: (kind: DiskCall['kind'], bytes: number) => DiskFault | undefined) {
    this.#name = name;
    this.#content = content;
    this.#meet = meet;
  }

  sizeBytes(): number {
    return this.#content.cached.length;
  }

  read(into: Uint8Array, offset: number): number {
    this.#refuseClosed();
    this.#meet('read', into.length);
    const { cached } = this.#content;
    return offset >= cached.length ? 0 : cached.copy(into, 0, offset);
  }

  write(bytes: Uint8Array, offset: number): number {
    this.#refuseClosed();
    const fault = this.#meet('write', bytes.length);
    const length = fault === undefined ? bytes.length : Math.ceil(bytes.length / 2);
    const content = this.#content;
    content.cached = resized(content.cached, Math.max(content.cached.length, offset + length));
    content.cached.set(bytes.subarray(0, length), offset);
    content.dirty.push({ from: offset, to: offset + length });
    if (fault === 'torn') throw failure('EIO');
    return length;
  }

  sync(): void {
    this.#refuseClosed();
    const content = this.#content;
    const dirty = content.dirty;
    content.dirty = [];
    // From here on the cache calls the pages clean, whether or not they reach the disk.
    this.#meet('sync', 0);
    content.durable = resized(content.durable, content.cached.length);
    for (const { from, to } of dirty) content.cached.copy(content.durable, from, from, to);
  }

  truncate(sizeBytes: number): void {
    this.#refuseClosed();
    this.#meet('truncate', 0);
    this.#content.cached = resized(this.#content.cached, sizeBytes);
    // Kept simple: a cut is durable at once. The log relies on cuts at start only, where it syncs them.
    this.#content.durable = resized(this.#content.durable, Math.min(sizeBytes, this.#content.durable.length));
    this.#content.dirty = this.#content.dirty
      .map(({ from, to }) => ({ from, to: Math.min(to, sizeBytes) }))
      .filter(({ from, to }) => from < to);
  }

  close(): void {
    this.#refuseClosed();
    this.#closed = true;
  }

  #refuseClosed(): void {
    if (this.#closed) throw Object.assign(new Error(`EBADF: ${this.#name} is closed`), { code: 'EBADF' });
  }
}

function resized(bytes: Buffer, length: number): Buffer {
  if (bytes.length === length) return bytes;
  const other = Buffer.alloc(length);
  bytes.copy(other);
  return other;
}

function loseSectors(content: Content, random: Random): void {
  const survived = Buffer.from(resized(content.durable, content.cached.length));
  for (const { from, to } of content.dirty) {
    for (let at = from; at < to; at = sectorEnd(at)) {
      if (random.below(2) === 0) content.cached.copy(survived, at, at, Math.min(to, sectorEnd(at)));
    }
  }
  content.cached = survived;
  content.durable = Buffer.from(survived);
  content.dirty = [];
}

function sectorEnd(at: number): number {
  return (Math.floor(at / sectorBytes) + 1) * sectorBytes;
}

function failure(code: string): Error {
  return Object.assign(new Error(`${code}: the simulated disk was told to fail`), { code });
}
