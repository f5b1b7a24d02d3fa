/**
 * Opens the one LevelDB of the embedded engine, shared by all its stores under key prefixes, as measured best for
 * millions of rows: a large write buffer, since overwritten rows then die in memory, and compressed 64 MiB files.
 */
import { GuardedLevel } from './guarded-level.ts';

const MiB = 1024 * 1024;

export type LevelDb = GuardedLevel;

/** Rejects if the folder is in use by another process. `writeBufferSize`: bytes, less where little is written. */
export async function openLevel(folder: string, writeBufferSize: number = 128 * MiB): Promise<LevelDb> {
  const db = new GuardedLevel(folder, {
    keyEncoding: 'utf8',
    valueEncoding: 'utf8',
    writeBufferSize,
    maxFileSize: 64 * MiB,
    compression: true,
  });
  await db.open();
  return db;
}
