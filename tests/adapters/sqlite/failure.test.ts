import { expect, onTestFinished, test } from 'vitest';
import { openDatabase } from '../../../src/adapters/sqlite/database.ts';
import { openSqliteStore } from '../../../src/adapters/sqlite/index.ts';
import { createStore } from '../../../src/adapters/sqlite/store.ts';
import {
  sampleCall,
  sampleContent,
  sampleDelivery,
  sampleEvent,
  sampleMove,
  sampleState,
} from '../../contracts/store-samples.ts';
import { verifyStored } from '../../contracts/verify-stored.ts';
import { startChild } from './child.ts';
import { temporaryFile } from './folder.ts';

test('a full disk refuses the commit as a whole, and later commits work again', async () => {
  const db = openDatabase(temporaryFile());
  const store = createStore(db, () => {});
  onTestFinished(() => store.close());
  await store.commit({ run: sampleMove('r1', 0) });
  const pages = Number(db.pragma('page_count', { simple: true }));
  db.pragma(`max_page_count = ${pages + 4}`);
  const large = { text: 'x'.repeat(1_000_000), json: {} };
  const commit = {
    run: sampleMove('r1', 1, { events: [sampleEvent(1)], outputs: [['draft', large]] }),
    audit: [{ type: 'flow.changed', atMs: 1, flow: 'release' }],
    posts: [
      { key: 'card', target: { platform: 'slack', conversation: 'C1' }, content: sampleContent('one') },
    ],
  } as const;

  const [refused, received] = await Promise.allSettled([
    store.commit(commit),
    store.receive(sampleDelivery('e1')),
  ]);
  expect(refused).toMatchObject({ status: 'rejected', reason: { message: 'database or disk is full' } });
  expect(received).toEqual({ status: 'fulfilled', value: true });
  expect(await store.run('r1')).toMatchObject({ revision: 1, state: { outputs: {} } });
  expect(await store.journal('r1')).toEqual([]);
  expect(await store.post('card')).toBeUndefined();
  expect(await store.audit({ limit: 10 })).toEqual([]);

  db.pragma(`max_page_count = ${pages + 1_000}`);
  expect(await store.commit(commit)).toEqual({ kind: 'committed', revision: 2 });
  expect(await verifyStored(store)).toMatchObject({ kind: 'sound', head: { count: 1 } });
});

test('a closed store refuses writes with a sentence, and reads too', async () => {
  const store = openSqliteStore({ file: temporaryFile() });
  await store.close();
  await expect(store.commit({})).rejects.toThrow('is closed: nothing can be stored any more');
  await expect(store.receive(sampleDelivery('e1'))).rejects.toThrow('is closed');
  await expect(store.run('r1')).rejects.toThrow();
});

test('kill -9 in the middle of commits loses nothing that was acknowledged, and leaves no half commit', async () => {
  const file = temporaryFile();
  const child = startChild('commit-for-ever.ts', file);
  const acknowledged: string[] = [];
  while (acknowledged.length < 200) acknowledged.push((await child.line()) ?? 'ended');
  const [, rest] = await Promise.all([child.kill(), child.rest()]);
  acknowledged.push(...rest);

  const store = openSqliteStore({ file });
  onTestFinished(() => store.close());
  const newest = new Map<string, number>();
  for (const line of acknowledged) {
    const [run = '', revision = ''] = line.split(' ');
    newest.set(run, Number(revision));
  }
  expect([...newest.keys()].toSorted()).toEqual(['r1', 'r2', 'r3', 'r4', 'r5', 'r6', 'r7', 'r8']);
  for (const [id, revision] of newest) {
    const run = await store.run(id);
    const stored = run?.revision ?? 0;
    // The last one may have been stored without its acknowledgement getting out.
    expect([revision, revision + 1]).toContain(stored);
    expect(run?.state).toEqual({ ...sampleState(id, { httpRequests: stored }), outputs: {} });
    expect(await store.journal(id)).toEqual(
      Array.from({ length: stored }, (_, index) => sampleEvent(index + 1)),
    );
    const audit = await store.audit({ run: id, limit: stored + 1 });
    expect(audit.map(({ entry }) => entry?.atMs)).toEqual(
      Array.from({ length: stored }, (_, index) => index + 1),
    );
    const calls = (await store.calls()).filter((call) => call.run === id);
    expect(calls.map(({ effect }) => effect)).toEqual([sampleCall(`call-${stored}`)]);
  }
  expect(await verifyStored(store)).toMatchObject({ kind: 'sound' });
});
