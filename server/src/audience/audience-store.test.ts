import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { openLevel } from '../inbox/open-level.ts';
import { audienceStoreContract } from './audience-store.contract.ts';
import { AudienceStoreLevel } from './audience-store-level.ts';
import { AudienceStoreMemory } from './audience-store-memory.ts';

const folder = await mkdtemp(join(tmpdir(), 'carillon-audience-'));
const db = await openLevel(folder);
after(async () => {
  await db.close();
  await rm(folder, { recursive: true });
});

let stores = 0;
audienceStoreContract('memory', async () => new AudienceStoreMemory());
audienceStoreContract('LevelDB', async () => new AudienceStoreLevel(db, `test${stores++}/`));
