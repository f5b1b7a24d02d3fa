import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { openLevel } from '../inbox/open-level.ts';
import { announcementStoreContract } from './announcement-store.contract.ts';
import { AnnouncementStoreLevel } from './announcement-store-level.ts';
import { AnnouncementStoreMemory } from './announcement-store-memory.ts';

const folder = await mkdtemp(join(tmpdir(), 'carillon-announcement-'));
const db = await openLevel(folder);
after(async () => {
  await db.close();
  await rm(folder, { recursive: true });
});

let stores = 0;
announcementStoreContract('memory', async () => new AnnouncementStoreMemory());
announcementStoreContract('LevelDB', async () => new AnnouncementStoreLevel(db, `test${stores++}/`));
