import { describe, expect, test, vi } from 'vitest';
import { entryText, readEntry } from '../../../src/engine/audit/chain.ts';
import type { AuditEntry } from '../../../src/engine/audit/entry.ts';
import type { Person } from '../../../src/engine/people.ts';
import { as, desk, get, open, post, sessions } from '../api/serving.ts';
import { submit, visit, wordsOf } from './browsing.ts';

const HOSTILE = '"><img src=x onerror=alert(1)><script>alert(2)</script>\u202e[x](javascript:alert(3))';
const asking = `
conversation: "red:#releases"
triggers: [{ type: api }]
steps: { review: { type: approval, title: "Publish?" }, say: { type: template, text: done } }
`;
const boss = as('boss');
const changed: AuditEntry = { type: 'flow.changed', atMs: 0, flow: 'asking' };

async function started(): Promise<string> {
  const { body } = await post('/v1/flows/asking/runs', boss);
  await desk.settle();
  return String(body.id);
}

/** Somebody changes what is stored. @param text of an entry, or undefined: it is gone */
function tamper(how: (n: number, text: string) => string | undefined): void {
  const { audit } = desk.store;
  vi.spyOn(desk.store, 'audit').mockImplementation(async (filter) =>
    (await audit(filter)).flatMap((link) => {
      const text = how(link.n, link.text);
      return text === undefined ? [] : [{ ...link, text, entry: readEntry(text) }];
    }),
  );
}

describe('the page of the audit', () => {
  test('tells what happened, the newest first, with links, and that it holds together', async () => {
    await open({ asking });
    const run = await started();
    await submit(`/runs/${run}/cancel`, {}, boss);
    await desk.settle();
    const page = await visit('/audit', boss);
    const words = wordsOf(page);
    expect(words).toMatch(
      /ended: cancelled.*“boss” \(api:boss\) cancelled it.*question .* “Publish\?” asked of the conversation.*“boss” \(api:boss\) started asking/,
    );
    const head = await desk.store.auditHead();
    expect(words).toContain(`Entries ${head?.count} Hash of the last one ${head?.hash}`);
    expect(words).toContain(
      `The ${head?.count} entries here follow from the one before each, and the last one is the one that was recorded.`,
    );
    const question = /href="(\/questions\/[^"]+)"/.exec(page.text)?.[1] ?? '';
    for (const path of [`/runs/${run}`, question, '/flows/asking']) {
      expect(page.text).toContain(`href="${path}"`);
      expect((await visit(path, boss)).status).toBe(200);
    }
    const [, covers] = /&quot;covers&quot;: &quot;([0-9a-f]{64})/.exec(page.text) ?? [];
    expect(covers).toBeDefined();
  });

  test('shows what is about one run, and checks that, too', async () => {
    await open({ asking });
    const run = await started();
    const other = await started();
    const page = await visit(`/audit?run=${run}`, boss);
    expect(page.text).toContain(`href="/runs/${run}"`);
    expect(page.text).not.toContain(other);
    expect(wordsOf(page)).toMatch(/entries here follow from the one before each\. /);
    expect(wordsOf(await visit('/audit?run=nothing', boss))).toContain('There are no entries.');
  });

  test('older entries come page by page, of a run as well', async () => {
    await open({ asking });
    const ended: AuditEntry = { type: 'run.ended', atMs: 0, run: 'r & s', status: 'failed' };
    await desk.store.commit({ audit: Array.from({ length: 250 }, () => changed) });
    await desk.store.commit({ audit: Array.from({ length: 250 }, () => ended) });
    for (const start of ['/audit', '/audit?run=r+%26+s']) {
      const seen: number[] = [];
      let path: string | undefined = start;
      while (path !== undefined) {
        const page = await visit(path, boss);
        expect(wordsOf(page)).toContain('here follow');
        seen.push(...[...page.text.matchAll(/<tr><td>(\d+)<\/td>/g)].map(([, n]) => Number(n)));
        path = /href="(\/audit\?[^"]*before=\d+)"/.exec(page.text)?.[1]?.replaceAll('&amp;', '&');
      }
      const first = start === '/audit' ? 1 : 251;
      expect(seen.toReversed()).toEqual(Array.from({ length: 501 - first }, (_, index) => first + index));
    }
  });

  test('an entry whose text was changed is shown as such, with what is stored', async () => {
    await open({ asking });
    const run = await started();
    tamper((n, text) => (n === 1 ? text.replace('boss', 'toss') : text));
    for (const path of ['/audit', `/audit?run=${run}`, '/audit?before=2']) {
      const words = wordsOf(await visit(path, boss));
      expect(words).toContain(
        'This is not what was written. Somebody has changed it at 1, as is said there.',
      );
      expect(words).toContain('Changed: Entry 1, or the hash of the one before it, was changed.');
      expect(words).toContain('{"type":"run.started"');
      expect(words).not.toContain('here follow');
    }
  });

  test('entries that are gone leave a gap that is told, over pages; those that were cut off are missed', async () => {
    await open({ asking });
    await desk.store.commit({ audit: Array.from({ length: 250 }, () => changed) });
    tamper((n, text) => ((n > 20 && n <= 180) || n === 250 ? undefined : text));
    const newest = await visit('/audit', boss);
    expect(wordsOf(newest)).toContain('The chain ends after 249 of 250 entries: the rest was cut off.');
    expect(wordsOf(newest)).toContain('Changed: Entry 180, which belongs before it, is missing.');
    expect(newest.text).toContain('/audit?before=181');
    const gap = await visit('/audit?before=181', boss);
    expect(wordsOf(gap)).toContain('Entries 81 to 180 are missing.');
    expect(gap.text).toContain('/audit?before=81');
    expect(wordsOf(await visit('/audit?before=81', boss))).toContain('Entries 21 to 80 are missing.');
    expect(wordsOf(await visit('/audit?before=21', boss))).toContain('The 20 entries here follow');
    const beyond = wordsOf(await visit('/audit?before=9999', boss));
    expect(beyond).toContain('There are no entries.');
    expect(beyond).not.toContain('This is not what was written.');
  });

  test('a record of the last entry that is gone, or has another hash, is told', async () => {
    await open({ asking });
    await desk.store.commit({ audit: [changed, changed] });
    const head = vi.spyOn(desk.store, 'auditHead').mockResolvedValue({ count: 2, hash: 'x' });
    expect(wordsOf(await visit('/audit', boss))).toContain('It does not have the hash that was recorded.');
    head.mockResolvedValue({ count: 1, hash: (await desk.store.audit({ limit: 1 }))[0]?.hash ?? '' });
    expect(wordsOf(await visit('/audit', boss))).toContain('There are 2 entries, but only 1 were recorded.');
    head.mockResolvedValue(undefined);
    expect(wordsOf(await visit('/audit', boss))).toContain('The record of the last entry is missing.');
  });

  test.each([
    ['no JSON', 'gone'],
    ['no entry', '[]'],
    ['an entry of nonsense', '{"type":"run.ended","atMs":1e300,"run":"\\ud800","flow":7,"what":null}'],
    ['an entry of a newer Flowbot', '{"type":"moon.rose","atMs":0}'],
  ])('what is %s breaks nothing', async (_, text) => {
    await open({ asking });
    await desk.store.commit({ audit: [changed, changed] });
    tamper((n, own) => (n === 2 ? text : own));
    const page = await visit('/audit', boss);
    expect(page.status).toBe(200);
    expect(wordsOf(page)).toContain('Changed: Entry 2, or the hash of the one before it, was changed.');
    expect(wordsOf(page)).toContain(text);
  });

  test('is for admins, also of those who have signed in', async () => {
    await open({ asking });
    for (const who of ['looker', 'ci', 'gate', 'ana']) {
      expect((await visit('/audit', as(who))).status).toBe(403);
    }
    const signedIn = async (person: Person) => ({
      cookie: `flowbot=${await sessions.open({ kind: 'person', person })}`,
    });
    const member = await signedIn(desk.red.bo);
    const refused = await visit('/audit', member);
    const api = await get('/v1/audit', member);
    expect([refused.status, api.status]).toEqual([403, 403]);
    expect(wordsOf(refused)).toContain('Only admins may read the audit.');
    expect(api.body.detail).toBe('Only admins may read the audit.');
    expect((await visit('/audit', await signedIn(desk.red.ada))).status).toBe(200);
    expect((await visit('/audit?before=0', boss)).status).toBe(422);
  });

  test('hostile texts are text', async () => {
    await open({ asking });
    const by = { platform: 'red', id: 'X', name: HOSTILE };
    const entries: readonly AuditEntry[] = [
      { type: 'run.refused', atMs: 0, flow: HOSTILE, by, why: HOSTILE },
      {
        type: 'question.answered',
        atMs: 0,
        run: HOSTILE,
        question: HOSTILE,
        by,
        action: HOSTILE,
        feedback: HOSTILE,
        also: [HOSTILE],
        as: [HOSTILE],
        values: { [HOSTILE]: HOSTILE },
        decided: true,
      },
      { type: 'run.ended', atMs: 0, run: 'r', status: 'failed', reason: HOSTILE },
      { type: 'switched', atMs: 0, what: { kind: 'everything' }, on: false, by, why: HOSTILE },
    ];
    await desk.store.commit({ audit: entries });
    for (const path of ['/audit', `/audit?run=${encodeURIComponent(HOSTILE)}`]) {
      const page = await visit(path, boss);
      expect(page.text).not.toMatch(/<img src=x|<script>|href="javascript|href="[^"]*\u202e/);
      expect(wordsOf(page)).toContain('"><img src=x onerror=alert(1)><script>alert(2)</script>');
    }
    expect(entryText(entries[0] ?? changed)).not.toContain('\u202e');
    expect(wordsOf(await visit('/audit', boss))).not.toContain('\u202e');
  });
});
