import { describe, expect, test } from 'vitest';
import { as, desk, open, post } from '../api/serving.ts';
import { submit, visit, wordsOf } from './browsing.ts';

const HOSTILE = '"><img src=x onerror=alert(1)>';
const asking = `
conversation: "red:#releases"
triggers: [{ type: api }]
steps: { review: { type: approval, title: "Publish?" }, say: { type: template, text: done } }
`;
const boss = as('boss');

async function started(): Promise<string> {
  const { body } = await post('/v1/flows/asking/runs', boss);
  await desk.settle();
  return String(body.id);
}

describe('the page of the audit', () => {
  test('tells what happened, the newest first, and that it holds together', async () => {
    await open({ asking });
    const run = await started();
    await submit(`/runs/${run}/cancel`, {}, boss);
    await desk.settle();
    const words = wordsOf(await visit('/audit', boss));
    expect(words).toMatch(/hold together, from 1 to \d+/);
    expect(words).toMatch(
      /ended: cancelled.*“boss” \(api:boss\) cancelled it.*question .* “Publish\?” asked of the conversation.*“boss” \(api:boss\) started asking/,
    );
    expect(wordsOf(await visit(`/audit?run=${run}`, boss))).toContain('cancelled it');
    expect(wordsOf(await visit('/audit?run=nothing', boss))).toContain('There are no entries.');
  });

  test('older entries come page by page', async () => {
    await open({ asking });
    const entry = { type: 'flow.changed', atMs: 0, flow: 'asking' } as const;
    await desk.store.commit({ audit: Array.from({ length: 250 }, () => entry) });
    const first = await visit('/audit', boss);
    const older = /\/audit\?before=(\d+)/.exec(first.text)?.[1];
    const second = await visit(`/audit?before=${older}`, boss);
    expect(second.text).toContain(`<td>${Number(older) - 1}</td>`);
    expect(second.text).not.toContain(`<td>${older}</td>`);
    expect((await visit('/audit?before=51', boss)).text).not.toContain('Older entries');
  });

  test('is for admins', async () => {
    await open({ asking });
    for (const who of ['looker', 'ci', 'gate', 'ana'])
      expect((await visit('/audit', as(who))).status).toBe(403);
  });

  test('hostile texts are text', async () => {
    await open({ asking });
    await desk.store.commit({
      audit: [
        {
          type: 'run.refused',
          atMs: 0,
          flow: HOSTILE,
          by: { platform: 'red', id: 'X', name: HOSTILE },
          why: HOSTILE,
        },
      ],
    });
    const page = await visit('/audit', boss);
    expect(page.text).not.toContain('<img src=x');
    expect(wordsOf(page)).toContain(HOSTILE);
  });
});
