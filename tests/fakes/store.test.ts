import { storeContract } from '../contracts/store.ts';
import { createMemoryStore } from './store.ts';

storeContract('the store in memory', async () => {
  const store = createMemoryStore();
  return { store, reopen: async () => store, dispose: async () => {} };
});
