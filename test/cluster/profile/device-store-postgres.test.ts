import { after } from 'node:test';
import { drawKeys, type EncryptionKeys, SecretBox } from '../../../server/src/base/secret-box.ts';
import { VirtualClock } from '../../../server/src/base/virtual-clock.ts';
import { deviceStoreContract } from '../../../server/src/profile/device-store.contract.ts';
import { DeviceStorePostgres } from '../../../server/src/profile/device-store-postgres.ts';
import { ProfileStorePostgres } from '../../../server/src/profile/profile-store-postgres.ts';
import { TestSchema } from '../test-schema.ts';

const schema = new TestSchema();
const database = await schema.open();
after(() => schema.drop());

const keys = drawKeys('old-key');
let newest: ProfileStorePostgres;

function stores(db = database, used: EncryptionKeys = keys) {
  const clock = new VirtualClock();
  const box = new SecretBox(used);
  newest = new ProfileStorePostgres(db, { clock, box });
  return { devices: new DeviceStorePostgres({ db, profiles: newest, clock, box }), profiles: newest, clock };
}

deviceStoreContract({
  name: 'PostgreSQL',
  async open() {
    await schema.empty();
    return stores();
  },
  reopen: async () => stores(schema.connect()),
  heard: () => newest.feed.read(),
  async rotate() {
    const rotated = stores(database, { ...keys, masters: [...drawKeys('new-key').masters, ...keys.masters] });
    const stored = async () => JSON.stringify(await database.query(`SELECT * FROM ${database.schema}.devices`));
    return { stores: rotated, stored, oldKey: 'old-key' };
  },
});
