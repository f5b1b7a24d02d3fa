import { after } from 'node:test';
import { announcementStoreContract } from '../../../server/src/announce/announcement-store.contract.ts';
import { AnnouncementStorePostgres } from '../../../server/src/announce/announcement-store-postgres.ts';
import { TestSchema } from '../test-schema.ts';

const schema = new TestSchema();
const database = await schema.open();
after(() => schema.drop());

announcementStoreContract('PostgreSQL', async () => {
  await schema.empty();
  return new AnnouncementStorePostgres(database);
});
