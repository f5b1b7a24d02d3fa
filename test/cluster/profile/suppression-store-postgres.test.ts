import { after } from 'node:test';
import { drawKeys, SecretBox } from '../../../server/src/base/secret-box.ts';
import { VirtualClock } from '../../../server/src/base/virtual-clock.ts';
import { suppressionStoreContract } from '../../../server/src/profile/suppression-store.contract.ts';
import { SuppressionStorePostgres } from '../../../server/src/profile/suppression-store-postgres.ts';
import { TestSchema } from '../test-schema.ts';

const schema = new TestSchema();
const db = await schema.open();
after(() => schema.drop());

suppressionStoreContract({
  name: 'PostgreSQL',
  async open() {
    await schema.empty();
    const clock = new VirtualClock();
    const box = new SecretBox(drawKeys('k1'));
    return { store: new SuppressionStorePostgres({ db, clock, box, softBouncesMax: 5 }), clock };
  },
  stored: async () => JSON.stringify(await db.query(`SELECT * FROM ${db.schema}.suppressions`)),
});
