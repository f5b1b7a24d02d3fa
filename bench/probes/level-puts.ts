/** Raw limit of the inbox: unsynced LevelDB batches of rows as large as ours, scattered over many people. */
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { ClassicLevel } from 'classic-level';

const people = 20_000;
const rowsPerBatch = 500;

/** Rows per second. */
export async function levelPutRate(rowBytes: number, ms: number): Promise<number> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'carillon-probe-'));
  const db = new ClassicLevel<string, Buffer>(folder, {
    valueEncoding: 'buffer',
    writeBufferSize: 128 * 1024 * 1024,
    maxFileSize: 64 * 1024 * 1024,
    compression: true,
  });
  await db.open();
  try {
    const value = Buffer.from(sampleText(rowBytes));
    let rows = 0;
    const began = performance.now();
    while (performance.now() - began < ms) {
      const batch = db.batch();
      for (let i = 0; i < rowsPerBatch; i++) {
        const person = Math.imul(rows + 1, 0x9e3779b1) >>> 0;
        batch.put(`i:${person % people}:${String(rows).padStart(12, '0')}`, value);
        rows++;
      }
      await batch.write();
    }
    return (rows * 1000) / (performance.now() - began);
  } finally {
    await db.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Text that compresses about as well as a row does. */
function sampleText(bytes: number): string {
  let text = '';
  for (let i = 0; text.length < bytes; i++)
    text += `{"id":"${(Math.imul(i + 7, 0x85ebca6b) >>> 0).toString(36)}","name":"Ana"},`;
  return text.slice(0, bytes);
}
