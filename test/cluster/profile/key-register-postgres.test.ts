import { after } from 'node:test';
import { keyRegisterContract } from '../../../server/src/profile/key-register.contract.ts';
import { KeyRegisterPostgres } from '../../../server/src/profile/key-register-postgres.ts';
import { TestSchema } from '../test-schema.ts';

const schema = new TestSchema();
const database = await schema.open();
after(() => schema.drop());

keyRegisterContract('PostgreSQL', async () => {
  await schema.empty();
  return { register: new KeyRegisterPostgres(database), again: new KeyRegisterPostgres(schema.connect()) };
});
