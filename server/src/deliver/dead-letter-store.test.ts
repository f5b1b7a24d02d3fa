import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { openLevel } from '../inbox/open-level.ts';
import { deadLetterStoreContract } from './dead-letter-store.contract.ts';
import { DeadLetterStoreLevel } from './dead-letter-store-level.ts';
import { DeadLetterStoreMemory } from './dead-letter-store-memory.ts';

const folder = await mkdtemp(join(tmpdir(), 'carillon-dead-letters-'));
const db = await openLevel(folder);
after(async () => {
  await db.close();
  await rm(folder, { recursive: true });
});

deadLetterStoreContract('memory', async () => new DeadLetterStoreMemory());
deadLetterStoreContract('LevelDB', async () => {
  await db.clear();
  return new DeadLetterStoreLevel(db);
});
