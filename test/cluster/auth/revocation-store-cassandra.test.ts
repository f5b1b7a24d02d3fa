import { after } from 'node:test';
import { revocationStoreContract } from '../../../server/src/auth/revocation-store.contract.ts';
import { RevocationStoreCassandra } from '../../../server/src/auth/revocation-store-cassandra.ts';
import { VirtualClock } from '../../../server/src/base/virtual-clock.ts';
import { TestKeyspace } from '../test-keyspace.ts';

const keyspace = new TestKeyspace();
const client = await keyspace.open();
after(() => keyspace.drop());

revocationStoreContract({
  name: 'Cassandra',
  open: async () => {
    await keyspace.empty();
    return new RevocationStoreCassandra(client, new VirtualClock(0));
  },
  reopen: async () => new RevocationStoreCassandra(await keyspace.connect(), new VirtualClock(0)),
});
