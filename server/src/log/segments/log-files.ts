/**
 * Port: the few file calls the segment log makes, all synchronous, so that tests can fail, shorten or tear every one.
 * A `write` may write less than asked; what was written is durable only after `sync`, a name only after `syncFolder`.
 * Errors are the operating system's, with its `code` (`ENOSPC`, `EIO`, …).
 */
export interface ReadableFile {
  /** Fills `into` from `offset` of the file; answers how many bytes there were. */
  read(into: Uint8Array, offset: number): number;
}

export interface LogFile extends ReadableFile {
  sizeBytes(): number;
  /** Answers how many of the bytes were written. */
  write(bytes: Uint8Array, offset: number): number;
  sync(): void;
  truncate(sizeBytes: number): void;
  close(): void;
}

/** `create` replaces a file of that name. */
export type OpenMode = 'read' | 'write' | 'create';

export interface LogFiles {
  list(): string[];
  open(name: string, mode: OpenMode): LogFile;
  unlink(name: string): void;
  /** Makes created and unlinked names durable. */
  syncFolder(): void;
  /** Keeps every other process (and thread) out until the answer is called. Throws when somebody else is in. */
  lock(): () => void;
}

export function writeAll(file: LogFile, bytes: Uint8Array, offset: number): void {
  let done = 0;
  while (done < bytes.length) {
    const written = file.write(done === 0 ? bytes : bytes.subarray(done), offset + done);
    if (written <= 0) throw Object.assign(new Error('EIO: a write wrote nothing'), { code: 'EIO' });
    done += written;
  }
}

/** Reads until `into` is full or the file ends; answers the bytes read. */
export function readAll(file: ReadableFile, into: Uint8Array, offset: number): number {
  let done = 0;
  while (done < into.length) {
    const read = file.read(done === 0 ? into : into.subarray(done), offset + done);
    if (read <= 0) break;
    done += read;
  }
  return done;
}
