import { after } from 'node:test';
import { broadcastStoreContract } from '../../../server/src/audience/broadcast-store.contract.ts';
import { BroadcastStorePostgres } from '../../../server/src/audience/broadcast-store-postgres.ts';
import { TestSchema } from '../test-schema.ts';

const schema = new TestSchema();
const database = await schema.open();
after(() => schema.drop());

broadcastStoreContract('PostgreSQL', async () => {
  await schema.empty();
  return new BroadcastStorePostgres(database);
});
