import { VirtualClock } from '../../../server/src/base/virtual-clock.ts';
import { inboxStoreContract } from '../../../server/src/inbox/inbox-store.contract.ts';
import { InboxStoreCassandra } from '../../../server/src/inbox/inbox-store-cassandra.ts';
import { TestKeyspace } from '../test-keyspace.ts';

const keyspace = new TestKeyspace();
const client = await keyspace.open();

inboxStoreContract({
  name: 'Cassandra',
  open: async () => {
    await keyspace.empty();
    return new InboxStoreCassandra({ client, clock: new VirtualClock() });
  },
  // What another process finds: nothing of a store is in the process.
  reopen: async () => new InboxStoreCassandra({ client: await keyspace.connect(), clock: new VirtualClock() }),
  refusesLateWrites: true,
  close: () => keyspace.drop(),
});
