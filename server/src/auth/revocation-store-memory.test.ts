import { revocationStoreContract } from './revocation-store.contract.ts';
import { RevocationStoreMemory } from './revocation-store-memory.ts';

revocationStoreContract({ name: 'memory', open: async () => new RevocationStoreMemory(), reopen: null });
