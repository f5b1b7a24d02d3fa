import { inboxStoreContract } from './inbox-store.contract.ts';
import { InboxStoreMemory } from './inbox-store-memory.ts';

inboxStoreContract({
  name: 'memory',
  open: async () => new InboxStoreMemory(),
  reopen: null,
  refusesLateWrites: false,
  close: async () => {},
});
