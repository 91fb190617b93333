import { describe, expect, test } from 'vitest';
import { NO_USAGE } from '../../../src/engine/agents/usage.ts';
import { as, desk, open } from '../api/serving.ts';
import { visit, wordsOf } from './browsing.ts';

const HOSTILE = '"><img src=x onerror=alert(1)>';
const boss = as('boss');
const looker = as('looker');
const flow = `
name: Drafts
triggers: [{ type: api }]
steps: { say: { type: template, text: hi } }
`;

async function spend(agent: string | undefined, day: string, costUsd: number, unpriced = 0): Promise<void> {
  const usage = { ...NO_USAGE, tokens: 1_000, turns: 1, costUsd, unpriced };
  await desk.store.commit({ spent: { day, flow: 'drafts', root: 'drafts', ...(agent && { agent }), usage } });
}

describe('the page of agents', () => {
  test('shows to admins what was used up by agent and by flow, with a plot', async () => {
    await open({ drafts: flow });
    await spend('writer', '2026-01-04', 1.5);
    await spend('writer', '2026-01-05', 0.5);
    await spend('sorter', '2026-01-05', 0, 2);
    await spend(undefined, '2026-01-05', 0);
    await spend('old', '2025-11-01', 9);
    const page = await visit('/agents', boss);
    const words = wordsOf(page);
    expect(words).toContain(
      'Cost by day, 2025-12-07 to 2026-01-05: $2.00 in all; most on 2026-01-04: $1.50.',
    );
    expect(words).toContain('as far as it is known: that of 2 pieces of work is not');
    expect(words).toMatch(
      /By agent .*writer \(gone\) 2,000 2 0 \$2\.00 no agent 1,000 1 0 \$0\.00 sorter \(gone\) 1,000 1 0 unknown 2/,
    );
    expect(words).toMatch(/By flow .* Drafts 4,000/);
    expect(wordsOf(await visit('/agents?days=90', boss))).toContain('$11.00 in all');
    expect((await visit('/agents?days=0', boss)).status).toBe(422);
  });

  test('others see agents, and not what they cost', async () => {
    await open({ drafts: flow });
    await spend('writer', '2026-01-05', 1.5);
    const words = wordsOf(await visit('/agents', looker));
    expect(words).toContain('What they have used up is for admins to see.');
    expect(words).not.toContain('1.50');
    expect((await visit('/agents/writer', looker)).status).toBe(404);
  });

  test('one that is gone still shows what it has used up; one that never was is not there', async () => {
    await open({ drafts: flow });
    await spend(HOSTILE, '2026-01-05', 1.5);
    const page = await visit(`/agents/${encodeURIComponent(HOSTILE)}`, boss);
    expect(page.status).toBe(200);
    expect(page.text).not.toContain('<img src=x');
    expect(wordsOf(page)).toMatch(
      /There is no file of this agent any more.*By day .*2026-01-05 1,000 1 0 \$1\.50/,
    );
    expect((await visit('/agents', boss)).text).not.toContain('<img src=x');
    expect((await visit('/agents/nobody', boss)).status).toBe(404);
  });

  test('nothing used up is said, not drawn', async () => {
    await open({ drafts: flow });
    expect(wordsOf(await visit('/agents', boss))).toContain('Nothing was used up in these days.');
  });
});
