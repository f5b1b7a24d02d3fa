import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { openLevel } from '../inbox/open-level.ts';
import { fanoutStoreContract } from './fanout-store.contract.ts';
import { FanoutStoreLevel } from './fanout-store-level.ts';
import { FanoutStoreMemory } from './fanout-store-memory.ts';

const folder = await mkdtemp(join(tmpdir(), 'carillon-fanout-'));
const db = await openLevel(folder);
after(async () => {
  await db.close();
  await rm(folder, { recursive: true });
});

let stores = 0;
fanoutStoreContract('memory', async () => new FanoutStoreMemory());
fanoutStoreContract('LevelDB', async () => new FanoutStoreLevel(db, `test${stores++}/`));
