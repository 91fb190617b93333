// Opens the store and keeps it until its input ends. Prints `open`, or why it could not.
import { openSqliteStore } from '../../../../src/adapters/sqlite/index.ts';

const [, , file = ''] = process.argv;
try {
  const store = openSqliteStore({ file });
  console.log('open');
  process.stdin.on('end', () => store.close()).resume();
} catch (error) {
  console.log(error instanceof Error ? error.message : error);
}
