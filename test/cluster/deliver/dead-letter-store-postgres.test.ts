import { after } from 'node:test';
import { deadLetterStoreContract } from '../../../server/src/deliver/dead-letter-store.contract.ts';
import { DeadLetterStorePostgres } from '../../../server/src/deliver/dead-letter-store-postgres.ts';
import { TestSchema } from '../test-schema.ts';

const schema = new TestSchema();
const db = await schema.open();
after(() => schema.drop());

deadLetterStoreContract('PostgreSQL', async () => {
  await schema.empty();
  return new DeadLetterStorePostgres(db);
});
