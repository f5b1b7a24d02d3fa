import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { ClassicLevel } from 'classic-level';
import { drawKeys, SecretBox } from '../base/secret-box.ts';
import { VirtualClock } from '../base/virtual-clock.ts';
import { suppressionStoreContract } from './suppression-store.contract.ts';
import { SuppressionStoreLevel } from './suppression-store-level.ts';
import { SuppressionStoreMemory } from './suppression-store-memory.ts';

const folder = await mkdtemp(join(tmpdir(), 'carillon-suppressions-'));
const db = new ClassicLevel<string, string>(folder);
await db.open();
after(async () => {
  await db.close();
  await rm(folder, { recursive: true });
});

suppressionStoreContract({
  name: 'memory',
  async open() {
    const clock = new VirtualClock();
    return { store: new SuppressionStoreMemory(clock, 5), clock };
  },
  stored: null,
});

let stores = 0;
suppressionStoreContract({
  name: 'LevelDB',
  async open() {
    const clock = new VirtualClock();
    const box = new SecretBox(drawKeys('k1'));
    const prefix = `${++stores}/`;
    return { store: new SuppressionStoreLevel({ db, prefix, clock, box, softBouncesMax: 5 }), clock };
  },
  stored: async () => JSON.stringify(await db.iterator({ gte: `${stores}/`, lt: `${stores}0` }).all()),
});
