/**
 * The keys of encryption at rest (S4): those of the configuration, or, in development mode, some that are made at the
 * first start and kept in the data folder, in the form in which the configuration takes them.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from './config-schema.ts';
import { drawKeys, type EncryptionKeys } from './secret-box.ts';

type Settings = Config['encryption'];

export async function encryptionKeys({
  encryption,
  dataDir,
}: Pick<Config, 'encryption' | 'dataDir'>): Promise<EncryptionKeys> {
  return toKeys(encryption) ?? developmentKeys(dataDir);
}

/** Null: there are none. The configuration has been checked. */
function toKeys({ keys, indexKey }: Settings): EncryptionKeys | null {
  if (keys.length === 0 || indexKey === undefined) return null;
  const masters = keys.map(({ id, key }) => ({ id, key: Buffer.from(key, 'base64') }));
  return { masters, index: Buffer.from(indexKey, 'base64') };
}

async function developmentKeys(folder: string): Promise<EncryptionKeys> {
  const file = join(folder, 'development-encryption-keys.json');
  const { masters, index } = drawKeys('development');
  const keys = masters.map(({ id, key }) => ({ id, key: textOf(key) }));
  await mkdir(folder, { recursive: true });
  try {
    await writeFile(file, `${JSON.stringify({ keys, indexKey: textOf(index) })}\n`, { flag: 'wx', mode: 0o600 });
  } catch (error) {
    if ((error as { code?: string }).code !== 'EEXIST') throw error;
  }
  const stored = toKeys(JSON.parse(await readFile(file, 'utf8')) as Settings);
  if (stored === null) throw new Error(`${file} is damaged. Without it, what it encrypted cannot be read.`);
  return stored;
}

function textOf(key: Uint8Array): string {
  return Buffer.from(key).toString('base64');
}
