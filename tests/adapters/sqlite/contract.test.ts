import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqliteStore } from '../../../src/adapters/sqlite/index.ts';
import { storeContract } from '../../contracts/store.ts';

storeContract('SQLite', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'flowbot-'));
  const file = join(folder, 'flowbot.db');
  let store = openSqliteStore({ file });
  return {
    store,
    reopen: async () => {
      await store.close();
      store = openSqliteStore({ file });
      return store;
    },
    dispose: async () => {
      await store.close();
      rmSync(folder, { recursive: true });
    },
  };
});
