import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { openLevel } from '../inbox/open-level.ts';
import { broadcastStoreContract } from './broadcast-store.contract.ts';
import { BroadcastStoreLevel } from './broadcast-store-level.ts';
import { BroadcastStoreMemory } from './broadcast-store-memory.ts';

const folder = await mkdtemp(join(tmpdir(), 'carillon-broadcast-'));
const db = await openLevel(folder);
after(async () => {
  await db.close();
  await rm(folder, { recursive: true });
});

let stores = 0;
broadcastStoreContract('memory', async () => new BroadcastStoreMemory());
broadcastStoreContract('LevelDB', async () => new BroadcastStoreLevel(db, `test${stores++}/`));
