/**
 * The stopped service's deliveries, read in a process of its own: what its databases map into memory would stay with the
 * soak's process, look after look, until the system let it start no other.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { foundDeliveries, type Naming, type StoredDelivery } from './found-deliveries.ts';

export async function readStores(dataDir: string, { users, tokens, addresses }: Naming): Promise<StoredDelivery[]> {
  const file = `${dataDir}-look.json`;
  writeFileSync(file, JSON.stringify({ users, tokens: [...tokens], addresses: [...addresses] }));
  const child = fork(fileURLToPath(import.meta.url), [dataDir, file]);
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error('the stores of the stopped service cannot be read');
  return JSON.parse(readFileSync(file, 'utf8')) as StoredDelivery[];
}

if (import.meta.main) {
  const [dataDir = '', file = ''] = process.argv.slice(2);
  const { users, tokens, addresses } = JSON.parse(readFileSync(file, 'utf8'));
  const naming: Naming = { users, tokens: new Map(tokens), addresses: new Map(addresses) };
  writeFileSync(file, JSON.stringify(await foundDeliveries(dataDir, naming)));
}
