import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { notBegun } from '../../../server/src/audience/fanout-job.ts';
import { fanoutStoreContract } from '../../../server/src/audience/fanout-store.contract.ts';
import { FanoutStorePostgres } from '../../../server/src/audience/fanout-store-postgres.ts';
import { audienceKey } from '../../../server/src/base/ids.ts';
import { TestSchema } from '../test-schema.ts';

const schema = new TestSchema();
const database = await schema.open();
after(() => schema.drop());

fanoutStoreContract('PostgreSQL', async () => {
  await schema.empty();
  return new FanoutStorePostgres(database);
});

test('an owner who is one no more takes no progress back', async () => {
  await schema.empty();
  const store = new FanoutStorePostgres(database);
  const audience = audienceKey('t', 'followers:u1');
  const job = { id: 'f_1', shard: 3, audience, source: 's', event: 'e', acceptedMs: 1, record: Buffer.from('x') };
  await store.begin([job]);
  await store.advance(job, { after: 'm', chunks: 5, recipients: 5000, kept: false });
  await store.advance(job, { ...notBegun, after: 'b', chunks: 1, recipients: 1000 });
  assert.equal((await store.load('f_1'))?.progress.after, 'm');
  await store.finish(job, { after: null, chunks: 9, recipients: 8500, kept: false }, 10);
  await store.advance(job, { after: 'n', chunks: 10, recipients: 9000, kept: false });
  assert.equal(await store.load('f_1'), null);
});
