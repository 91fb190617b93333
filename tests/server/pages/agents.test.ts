import { describe, expect, test } from 'vitest';
import { NO_USAGE, type Usage } from '../../../src/engine/agents/usage.ts';
import { dayOf, usedUp } from '../../../src/engine/run/day-budget.ts';
import { loadFlowSet } from '../../../src/loader/flow-set.ts';
import { bareSurroundings } from '../../fakes/outside.ts';
import { as, desk, get, open, post, sessions } from '../api/serving.ts';
import { visit, wordsOf } from './browsing.ts';

const HOSTILE = '"><img src=x onerror=alert(1)>';
const boss = as('boss');
const looker = as('looker');
const flow = `
name: Drafts
triggers: [{ type: api }]
steps: { say: { type: template, text: hi } }
`;

/** Asks two agents, and does something by itself. */
const article = `
name: Article
triggers: [{ type: api }]
steps:
  draft: { type: agent, agent: writer, task: Write. }
  check: { type: llm, preset: sorter, prompt: Sort. }
  say: { type: template, text: hi }
edges: [draft -> check -> say]
`;
const writer = JSON.stringify({
  description: `Writes. ${HOSTILE}`,
  instructions: `${HOSTILE}<script>alert(2)</script>\n[x](javascript:alert(3)) \u202eturned`,
  runtime: 'scripted',
  replies: [{ reply: 'Done.', usage: { inputTokens: 900, outputTokens: 100 } }],
  price: { input: 1_000, output: 1_000 },
  timeLimit: '90s',
  fallback: 'spare',
});
const sorter = JSON.stringify({
  runtime: 'scripted',
  replies: [{ reply: 'Sorted.', usage: { inputTokens: 20, outputTokens: 3 } }],
});

/** Puts agents beside the flows of the bot. */
function load(flows: Readonly<Record<string, string>>, agents: Readonly<Record<string, string>>): void {
  const filesOf = (folder: string, texts: Readonly<Record<string, string>>, end: string) =>
    Object.entries(texts).map(([name, text]) => ({ file: `${folder}/${name}${end}`, text }));
  const sources = {
    files: filesOf('flows', flows, '.flow.yaml'),
    faults: [],
    agents: { files: filesOf('agents', agents, '.yaml'), faults: [] },
  };
  const set = loadFlowSet(sources, { ...bareSurroundings, platforms: ['red', 'blue'] });
  expect(set.broken).toEqual([]);
  desk.bot.catalog.replace(set);
}

async function spend(agent: string | undefined, day: string, more: Partial<Usage>, of = 'drafts') {
  const usage = { ...NO_USAGE, tokens: 1_000, turns: 1, ...more };
  await desk.store.commit({ spent: { day, flow: of, root: of, ...(agent && { agent }), usage } });
}

/** What the legend of each plot says, in its order. */
function legendsOf(page: string): readonly (readonly string[])[] {
  return page
    .split('<svg')
    .slice(1)
    .map((svg) => [...svg.matchAll(/height="14"[^>]*\/><text[^>]*>([^<]*)</g)].map(([, name = '']) => name));
}

describe('the page of agents', () => {
  test('shows to admins what was used up by agent and by flow, with a plot', async () => {
    await open({ drafts: flow });
    await spend('writer', '2026-01-04', { costUsd: 1.5 });
    await spend('writer', '2026-01-05', { costUsd: 0.5 });
    await spend('sorter', '2026-01-05', { unpriced: 2 });
    await spend(undefined, '2026-01-05', { tokens: 0, turns: 0, toolCalls: 3 }, 'gone');
    await spend('old', '2025-11-01', { costUsd: 9 });
    const page = await visit('/agents', boss);
    const words = wordsOf(page);
    expect(words).toContain(
      'Known cost by day, 2025-12-07 to 2026-01-05: $2.00 in all; most on 2026-01-04: $1.50.',
    );
    expect(words).toContain('as far as it is known: that of 2 pieces of work is not');
    expect(words).toMatch(
      /By agent .*writer \(gone\) 2,000 2 0 \$2\.00 none sorter \(gone\) 1,000 1 0 unknown 2 no agent 0 0 3 \$0\.00 none/,
    );
    expect(words).toMatch(/By flow .* Drafts 3,000 3 0 \$2\.00 2 gone \(gone\) 0 0 3 \$0\.00 none/);
    // The same agent looks the same in both; nothing to draw, nothing in the legend.
    expect(legendsOf(page.text)).toEqual([
      ['writer', 'sorter'],
      ['writer', 'sorter'],
    ]);
    expect(page.text).toContain('href="/agents/writer?days=30"');
  });

  test('shows other periods; days that are none are refused', async () => {
    await open({ drafts: flow });
    await spend('writer', '2026-01-04', { costUsd: 2 });
    await spend('old', '2025-11-01', { costUsd: 9 });
    const { text } = await visit('/agents', boss);
    expect(text).toContain('<a href="?days=90">90 days</a>');
    expect(text).toContain('<strong aria-current="true">30 days</strong>');
    expect(wordsOf(await visit('/agents?days=90', boss))).toContain('$11.00 in all');
    for (const days of ['0', '367', '1.5', 'many']) {
      expect((await visit(`/agents?days=${days}`, boss)).status).toBe(422);
    }
  });

  test('cost that nobody knows is not nothing', async () => {
    await open({ drafts: flow });
    await spend('sorter', '2026-01-05', { unpriced: 1 });
    const words = wordsOf(await visit('/agents', boss));
    expect(words).toContain('that of 1 piece of work is not Nobody knows what it cost. Tokens by day');
    expect(words).not.toContain('$0');
    await open({ drafts: flow });
    await spend('sorter', '2026-01-05', {});
    expect(wordsOf(await visit('/agents', boss))).toContain('It cost nothing.');
  });

  test('draws at most seven series: six by themselves, the least together', async () => {
    await open({ drafts: flow });
    for (let at = 1; at <= 9; at += 1) await spend(`a${at}`, '2026-01-05', { costUsd: at, tokens: at });
    const names = ['a9', 'a8', 'a7', 'a6', 'a5', 'a4', 'all others'];
    const page = await visit('/agents', boss);
    expect(legendsOf(page.text)).toEqual([names, names]);
    expect(wordsOf(page)).toContain('2026-01-05, all others: $6.00');
  });

  test('others see agents, and not what they cost', async () => {
    await open({});
    load({ article }, { writer, sorter, spare: sorter });
    await spend('writer', '2026-01-05', { costUsd: 1.5 });
    await spend('old', '2026-01-05', { costUsd: 1.5 });
    const words = wordsOf(await visit('/agents', looker));
    expect(words).toContain('What they have used up is for admins to see.');
    expect(words).toContain('scripted; may call no tools; falls back to spare');
    const one = await visit('/agents/writer', looker);
    expect(wordsOf(one)).toContain('What it has used up is for admins to see.');
    for (const shown of [words, one.text]) expect(shown).not.toContain('1.50');
    expect((await visit('/agents/old', looker)).status).toBe(404);
  });

  test('nothing used up is said, not drawn', async () => {
    await open({ drafts: flow });
    const page = await visit('/agents', boss);
    expect(wordsOf(page)).toContain('There are no agents.');
    expect(wordsOf(page)).toContain('Nothing was used up in these days.');
    expect(page.text).not.toContain('<svg');
  });
});

describe('the page of an agent', () => {
  test('says all about it, hostile texts as texts', async () => {
    await open({});
    load({ article }, { writer, sorter, spare: sorter });
    expect(wordsOf(await visit('/agents', boss))).toContain(
      `Writes. ${HOSTILE} scripted; may call no tools; falls back to spare $1,000.00 read, $1,000.00 written Article`,
    );
    const page = await visit('/agents/writer', boss);
    const words = wordsOf(page);
    expect(words).toMatch(/Steps that ask it .*Article draft agent/);
    expect(words).toContain('Longest attempt 1 minute 30 seconds');
    expect(words).toContain('When it can’t answer spare does');
    expect(words).toContain(`What it is always told ${HOSTILE}<script>alert(2)</script>`);
    expect(page.text).not.toMatch(/<img src=x|<script>alert|href="javascript:|\u202e/);
    expect(wordsOf(await visit('/agents/spare', boss))).toContain('Answers in place of writer');
    const secret = await sessions.open({
      kind: 'person',
      person: { platform: 'red', id: 'U0ANA', name: 'Ana' },
    });
    const member = wordsOf(await visit('/agents/writer', { cookie: `flowbot=${secret}` }));
    expect(member).toContain('What it is always told is for admins to see.');
    expect(member).not.toContain('turned');
  });

  test('shows what its work has used up: the same as the API, in the same sum', async () => {
    await open({});
    load({ article }, { writer, sorter, spare: sorter });
    expect((await post('/v1/flows/article/runs', boss, {})).status).toBe(201);
    await desk.settle();
    const day = dayOf(desk.clock.now());
    const rows = await desk.store.spent(day, day);
    expect(rows).toMatchObject([
      { flow: 'article', root: 'article', agent: 'sorter', usage: { tokens: 23, turns: 1, unpriced: 1 } },
      { flow: 'article', root: 'article', agent: 'writer', usage: { tokens: 1_000, turns: 1, costUsd: 1 } },
    ]);
    const all = { tokens: 1_023, turns: 2, costUsd: 1, unpriced: 1 };
    expect(usedUp(rows)).toMatchObject(all);
    expect((await get('/v1/usage', boss)).body).toMatchObject({
      days: [
        { day, flow: 'article', root: 'article', agent: 'sorter', usage: { tokens: 23, costUsd: null } },
        { day, flow: 'article', root: 'article', agent: 'writer', usage: { tokens: 1_000, costUsd: 1 } },
      ],
    });
    expect((await post('/v1/commands', boss, { text: 'usage 1' })).body).toMatchObject({
      data: { total: { ...all, costUsd: null } },
    });
    const words = wordsOf(await visit('/agents/writer', boss));
    expect(words).toContain(`${day}, Article: $1.00`);
    expect(words).toMatch(new RegExp(`By day .*${day} 1,000 1 0 \\$1\\.00 none$`));
    expect(wordsOf(await visit('/agents/sorter', boss))).toMatch(new RegExp(`${day} 23 1 0 unknown 1$`));
  });

  test('one that is gone still shows what it has used up; one that never was is not there', async () => {
    await open({ drafts: flow });
    await spend(HOSTILE, '2026-01-05', { costUsd: 1.5 });
    const path = `/agents/${encodeURIComponent(HOSTILE)}`;
    const page = await visit(path, boss);
    expect(page.status).toBe(200);
    expect(page.text).not.toContain('<img src=x');
    expect(wordsOf(page)).toMatch(
      /There is no file of this agent any more.*By day .*2026-01-05 1,000 1 0 \$1\.50/,
    );
    const list = await visit('/agents', boss);
    expect(list.text).not.toContain('<img src=x');
    expect(list.text).toContain(`href="${path}?days=30"`);
    expect((await visit('/agents/nobody', boss)).status).toBe(404);
  });

  test('one that is gone for long is there, with nothing in these days', async () => {
    await open({ drafts: flow });
    await spend('old', '2025-11-01', { costUsd: 9 });
    expect(wordsOf(await visit('/agents/old', boss))).toContain('Nothing was used up in these days.');
    expect(wordsOf(await visit('/agents/old?days=90', boss))).toContain('$9.00 in all');
  });
});
