/** Raw limit of the log: write and fdatasync of one commit after another into a preallocated file. */
import { closeSync, fdatasyncSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

const fileBytes = 128 * 1024 * 1024;

/** Bytes per second made durable, in commits of `commitBytes`. Blocks its thread for `ms`. */
export function logAppendRate(commitBytes: number, ms: number): number {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'carillon-probe-'));
  const file = openSync(path.join(folder, 'log'), 'w+');
  try {
    const commit = Buffer.alloc(commitBytes, 120);
    for (let at = 0; at < fileBytes; at += commitBytes) writeSync(file, commit, 0, commitBytes, at);
    fdatasyncSync(file);
    let bytes = 0;
    const began = performance.now();
    while (performance.now() - began < ms) {
      writeSync(file, commit, 0, commitBytes, bytes % (fileBytes - commitBytes));
      fdatasyncSync(file);
      bytes += commitBytes;
    }
    return (bytes * 1000) / (performance.now() - began);
  } finally {
    closeSync(file);
    rmSync(folder, { recursive: true, force: true });
  }
}
