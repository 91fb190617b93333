// Commits moves of eight runs until it is killed. Prints `run revision` only when that is acknowledged.
import { openSqliteStore } from '../../../../src/adapters/sqlite/index.ts';
import { sampleCall, sampleEvent, sampleMove, sampleState } from '../../../contracts/store-samples.ts';

const [, , file = ''] = process.argv;
const store = openSqliteStore({ file });

async function move(run: string): Promise<void> {
  for (let revision = 0; ; revision += 1) {
    await store.commit({
      run: sampleMove(run, revision, {
        state: sampleState(run, { httpRequests: revision + 1 }),
        events: [sampleEvent(revision + 1)],
        calls: [sampleCall(`call-${revision + 1}`)],
        ended: [`call-${revision}`],
      }),
      audit: [{ type: 'run.ended', atMs: revision + 1, run, status: 'succeeded' }],
    });
    process.stdout.write(`${run} ${revision + 1}\n`);
  }
}

await Promise.all(['r1', 'r2', 'r3', 'r4', 'r5', 'r6', 'r7', 'r8'].map(move));
