/** A bounded set of files open for reading: a log of a week has thousands of segments, a process few descriptors. */
import type { LogFile, LogFiles, ReadableFile } from './log-files.ts';

export class OpenFiles {
  readonly #files: LogFiles;
  readonly #openMax: number;
  /** In the order of last use. */
  readonly #open = new Map<string, LogFile>();

  constructor(files: LogFiles, openMax: number) {
    this.#files = files;
    this.#openMax = openMax;
  }

  /** A file that may be kept as long as one likes: it is opened when read and closed when others push it out. */
  reading(name: string): ReadableFile {
    return { read: (into, offset) => this.#use(name).read(into, offset) };
  }

  /** Forgets a file that is about to be removed or replaced. */
  drop(name: string): void {
    this.#open.get(name)?.close();
    this.#open.delete(name);
  }

  close(): void {
    for (const file of this.#open.values()) file.close();
    this.#open.clear();
  }

  #use(name: string): LogFile {
    const file = this.#open.get(name) ?? this.#files.open(name, 'read');
    this.#open.delete(name);
    this.#open.set(name, file);
    if (this.#open.size > this.#openMax) this.drop(this.#open.keys().next().value as string);
    return file;
  }
}
