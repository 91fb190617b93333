import { beforeEach, describe, expect, test } from 'vitest';
import { EMPTY_HEAD } from '../../src/engine/audit/chain.ts';
import type { AuditEntry } from '../../src/engine/audit/entry.ts';
import type { Store } from '../../src/ports/store.ts';
import type { StoreUnderTest } from './store.ts';
import { sampleMove } from './store-samples.ts';
import { verifyStored } from './verify-stored.ts';

/** What stores promise about the audit, and about files kept with runs. */
export function auditTests(under: () => StoreUnderTest): void {
  let store: Store;
  beforeEach(() => {
    store = under().store;
  });

  const cancelled = (run: string, name = 'Ana'): AuditEntry => {
    return { type: 'run.cancelled', atMs: 1_000, run, by: { platform: 'slack', id: 'U1', name } };
  };
  const refused: AuditEntry = {
    type: 'run.refused',
    atMs: 1_000,
    flow: 'release',
    by: { platform: 'slack', id: 'U2', name: 'Bo' },
    why: 'Only Ana may start Release.',
  };
  const entries = async (filter: Partial<Parameters<Store['audit']>[0]> = {}) =>
    (await store.audit({ limit: 100, ...filter })).map(({ entry }) => entry);
  const verify = (noted?: string) => verifyStored(store, noted, 2);

  describe('the audit', () => {
    test('is empty at first, and sound', async () => {
      expect(await store.audit({ limit: 10 })).toEqual([]);
      expect(await store.auditHead()).toEqual(EMPTY_HEAD);
      expect(await verify()).toEqual({ kind: 'sound', head: EMPTY_HEAD });
    });

    test('keeps entries in the order of commits, with a commit of a run or without', async () => {
      await store.commit({ audit: [refused] });
      await store.commit({ run: sampleMove('r1', 0), audit: [cancelled('r1'), cancelled('r1', 'Bo')] });
      await store.commit({ audit: [] });
      expect(await entries()).toEqual([refused, cancelled('r1'), cancelled('r1', 'Bo')]);
      expect((await store.audit({ limit: 10 })).map(({ n }) => n)).toEqual([1, 2, 3]);
    });

    test('is a chain that goes on over restarts, with its end told apart', async () => {
      await store.commit({ audit: [refused] });
      await store.commit({ audit: [cancelled('r1')] });
      store = await under().reopen();
      await store.commit({ audit: [cancelled('r2')] });
      const links = await store.audit({ limit: 10 });
      const head = { count: 3, hash: links[2]?.hash };
      expect(await store.auditHead()).toEqual(head);
      expect(await verify()).toEqual({ kind: 'sound', head });
      expect(await verify(links[0]?.hash)).toEqual({ kind: 'sound', head, noted: 1 });
      expect(await verify('0'.repeat(64))).toMatchObject({ kind: 'broken' });
    });

    test('keeps nothing of a commit that conflicts or repeats', async () => {
      await store.commit({ run: sampleMove('r1', 0, { startKey: 'k' }), audit: [cancelled('r1')] });
      await store.commit({ run: sampleMove('r1', 7), audit: [cancelled('r1', 'Bo')] });
      await store.commit({ run: sampleMove('r2', 0, { startKey: 'k' }), audit: [cancelled('r2')] });
      expect(await entries()).toEqual([cancelled('r1')]);
      expect(await verify()).toMatchObject({ kind: 'sound' });
    });

    test('stays a chain when commits of the same moment fail', async () => {
      const impossible = {
        ...cancelled('r2'),
        get run(): string {
          throw new Error('This can not be written.');
        },
      };
      const results = await Promise.allSettled([
        store.commit({ audit: [cancelled('r1')] }),
        store.commit({ audit: [cancelled('r2'), impossible] }),
        store.commit({ audit: [cancelled('r3')] }),
      ]);
      expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
      expect(await entries()).toEqual([cancelled('r1'), cancelled('r3')]);
      expect(await verify()).toMatchObject({ kind: 'sound', head: { count: 2 } });
    });

    test('is read by run, from an entry on, and from its end', async () => {
      const all = ['r1', 'r2', 'r1', 'r1'].map((run, index) => cancelled(run, `${index}`));
      await store.commit({ audit: [...all, refused] });
      expect(await entries({ run: 'r1' })).toEqual([all[0], all[2], all[3]]);
      expect(await entries({ run: 'r1', afterN: 1, limit: 1 })).toEqual([all[2]]);
      expect(await entries({ run: 'r1', limit: 2, newest: true })).toEqual([all[2], all[3]]);
      expect(await entries({ limit: 2, newest: true })).toEqual([all[3], refused]);
      expect(await entries({ afterN: 3 })).toEqual([all[3], refused]);
      expect(await entries({ run: 'r9' })).toEqual([]);
    });

    test('gives every text back as it was', async () => {
      const odd = 'a\u0000b \ud800 👩‍👩‍👧 \u202e \r\n\u2028"\'\\ \u009b';
      await store.commit({ audit: [cancelled('r1', odd)] });
      store = await under().reopen();
      expect(await entries()).toEqual([cancelled('r1', odd)]);
      expect(await verify()).toMatchObject({ kind: 'sound' });
    });
  });

  describe('files', () => {
    const file = {
      id: 'f1',
      run: 'r1',
      name: 'no\u0000te 📎.txt',
      mediaType: 'text/plain',
      data: Uint8Array.from({ length: 256 }, (_, byte) => byte),
    };

    test('are kept byte for byte, over restarts', async () => {
      await store.keepFile(file);
      await store.keepFile({ ...file, id: 'f2', data: new Uint8Array() });
      store = await under().reopen();
      expect(await store.file('f1')).toEqual(file);
      expect(await store.file('f2')).toEqual({ ...file, id: 'f2', data: new Uint8Array() });
      expect(await store.file('f3')).toBeUndefined();
    });

    test('are never replaced', async () => {
      await store.keepFile(file);
      await store.keepFile({ ...file, name: 'other.txt', data: Uint8Array.of(1) });
      expect(await store.file('f1')).toEqual(file);
    });
  });
}
