/** The log's files in a real folder. Only synchronous calls: they cost less CPU than the pool, and the log has its own thread. */
import fs from 'node:fs';
import path from 'node:path';
import { lockFolder } from './folder-lock.ts';
import type { LogFile, LogFiles, OpenMode } from './log-files.ts';

const flags = { read: 'r', write: 'r+', create: 'w+' } as const;

export class LogFilesDisk implements LogFiles {
  readonly #folder: string;

  constructor(folder: string) {
    fs.mkdirSync(folder, { recursive: true });
    this.#folder = folder;
  }

  list(): string[] {
    return fs.readdirSync(this.#folder).sort();
  }

  open(name: string, mode: OpenMode): LogFile {
    return new DiskFile(fs.openSync(path.join(this.#folder, name), flags[mode], 0o600));
  }

  unlink(name: string): void {
    fs.unlinkSync(path.join(this.#folder, name));
  }

  syncFolder(): void {
    // Windows can neither open nor sync a folder; its names are durable with the file.
    if (process.platform === 'win32') return;
    const folder = fs.openSync(this.#folder, 'r');
    try {
      fs.fsyncSync(folder);
    } finally {
      fs.closeSync(folder);
    }
  }

  lock(): () => void {
    return lockFolder(this.#folder);
  }
}

class DiskFile implements LogFile {
  readonly #descriptor: number;

  constructor(descriptor: number) {
    this.#descriptor = descriptor;
  }

  sizeBytes(): number {
    return fs.fstatSync(this.#descriptor).size;
  }

  read(into: Uint8Array, offset: number): number {
    return fs.readSync(this.#descriptor, into, 0, into.length, offset);
  }

  write(bytes: Uint8Array, offset: number): number {
    return fs.writeSync(this.#descriptor, bytes, 0, bytes.length, offset);
  }

  sync(): void {
    fs.fdatasyncSync(this.#descriptor);
  }

  truncate(sizeBytes: number): void {
    fs.ftruncateSync(this.#descriptor, sizeBytes);
  }

  close(): void {
    fs.closeSync(this.#descriptor);
  }
}
