/**
 * A LevelDB that writes nothing more after a failed write until it has been opened anew.
 *
 * What fails to be written, on a full disk above all, leaves LevelDB's own log cut in the middle. It would go on behind
 * the cut as if nothing were wrong, and the next start would read what lies behind it while what the cut spoilt is lost:
 * rows gone, and a log position beyond them. Opening anew begins a fresh file behind the last whole write.
 *
 *   sound ──write fails──▶ broken (reads go on, writes are refused) ──mend, once there is room──▶ sound
 *
 * Writes go one after another: one that ran beside a failing one could lie behind the cut.
 */
import { readdir, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { ClassicLevel } from 'classic-level';
import { CarillonError } from '../base/carillon-error.ts';
import { limits } from '../base/limits.ts';

type Batch = ReturnType<ClassicLevel<string, string>['batch']>;
type Options = ConstructorParameters<typeof ClassicLevel<string, string>>[1];

export class GuardedLevel extends ClassicLevel<string, string> {
  #writing: Promise<unknown> = Promise.resolve();
  #mending: Promise<void> | null = null;
  /** A write has failed; none is tried until `mend`. */
  isBroken = false;

  constructor(folder: string, options: Options) {
    super(folder, options);
    const begin = this.batch.bind(this) as () => Batch;
    // Nothing here writes but by chained batches.
    this.batch = (() => this.#guarded(begin())) as typeof this.batch;
  }

  /**
   * Opens a broken database anew. No write may be under way, and reads under way fail. Throws CARILLON_STORAGE_FULL
   * while the disk has too little room: then it is left as it is, so that what is stored stays readable.
   */
  mend(): Promise<void> {
    this.#mending ??= this.#mend().finally(() => {
      this.#mending = null;
    });
    return this.#mending;
  }

  async #mend(): Promise<void> {
    await this.#writing;
    if (!this.isBroken) return;
    await this.#needRoom();
    try {
      await this.close();
      await this.open();
    } catch (error) {
      throw storeError(error);
    }
    this.isBroken = false;
  }

  /** On opening, all of LevelDB's own log becomes a table. */
  async #needRoom(): Promise<void> {
    const { bavail, bsize } = await statfs(this.location);
    let logBytes = 0;
    for (const name of await readdir(this.location)) {
      if (name.endsWith('.log')) logBytes += (await stat(join(this.location, name))).size;
    }
    if (bavail * bsize < logBytes + limits.storeSpareBytes) throw storageFull();
  }

  #guarded(batch: Batch): Batch {
    const write = batch.write.bind(batch);
    batch.write = (...options: unknown[]) => this.#inTurn(() => write(...(options as [])));
    return batch;
  }

  #inTurn(write: () => Promise<void>): Promise<void> {
    const turn = this.#writing.then(async () => {
      if (this.isBroken) throw storageFull();
      try {
        await write();
      } catch (error) {
        if (!isNotOpen(error)) this.isBroken = true;
        throw storeError(error);
      }
    });
    this.#writing = turn.catch(() => {});
    return turn;
  }
}

/** The batch or the database was closed before: nothing of it has touched the disk. */
function isNotOpen(error: unknown): boolean {
  return String((error as { code?: unknown }).code).endsWith('_NOT_OPEN');
}

function storeError(error: unknown): unknown {
  const { message, cause } = error as Error;
  const text = `${message} ${cause instanceof Error ? cause.message : ''}`;
  return /No space left on device|Disk quota exceeded/i.test(text) ? storageFull(error) : error;
}

function storageFull(cause?: unknown): CarillonError {
  return new CarillonError('CARILLON_STORAGE_FULL', 'The disk of the inboxes is full: nothing was stored.', { cause });
}
