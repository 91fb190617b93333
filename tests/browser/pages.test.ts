import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Client, createClient, type Run } from '../../src/client/index.ts';
import type { JsonObject } from '../../src/engine/json.ts';
import { daysBefore } from '../../src/engine/run/day-budget.ts';
import type { SpentOn } from '../../src/ports/store.ts';
import { expectText, lacksBrowser, openStage, picture, type Stage } from './stage.ts';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

const HOSTILE = '"><img src=x onerror=alert(1)><script>alert(2)</script>';

/** A flow of many steps, each after the one before. */
const long = [
  'name: Many steps',
  'triggers: [{ type: api }, { type: manual }]',
  'steps:',
  ...Array.from({ length: 500 }, (_, index) => `  s${index}: { type: template, text: "Step ${index}" }`),
].join('\n');

const hostile = JSON.stringify({
  name: HOSTILE,
  description: HOSTILE,
  triggers: [{ type: 'api' }, { type: 'manual' }],
  conversation: '#general',
  steps: {
    draft: {
      type: 'template',
      name: HOSTILE,
      text: `${HOSTILE}\n\n[click](javascript:alert(3)) \u202eturned`,
    },
    review: { type: 'approval', title: HOSTILE.slice(0, 150), notes: HOSTILE, show: ['draft'] },
  },
});

/** Some days of work of two agents. */
function spending(): readonly SpentOn[] {
  const today = new Date().toISOString().slice(0, 10);
  return Array.from({ length: 21 }, (_, back) => back).flatMap((back) =>
    ['writer', 'researcher'].map((agent, at) => {
      const amount = 1 + ((back * 7 + at * 3) % 5);
      const usage = {
        tokens: amount * 9_000,
        toolCalls: at * 4,
        turns: 3,
        costUsd: amount * 0.11,
        unpriced: 0,
      };
      return { day: daysBefore(today, back), flow: 'seed-locrew', root: 'seed-locrew', agent, usage };
    }),
  );
}

/** All that axe knows; and what alone is otherwise in the dark. */
const everything = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'best-practice'];
const colours = ['color-contrast'];

/** What axe finds, with where. */
async function findings(page: Page, rules: readonly string[]): Promise<readonly string[]> {
  const { violations } = await page.evaluate<{
    violations: { id: string; impact: string; nodes: { html: string }[] }[];
  }>(`${axe}; axe.run(document, { runOnly: ${JSON.stringify(rules)} })`);
  return violations.map(
    ({ id, impact, nodes }) => `${impact} ${id}: ${nodes.map(({ html }) => html.slice(0, 120)).join(' | ')}`,
  );
}

describe.skipIf(lacksBrowser())('the pages in a browser', () => {
  let stage: Stage;
  let page: Page;
  let api: Client;
  /** A run that waits for people. */
  let run: string;
  let question: string;
  const faults: string[] = [];

  /** Starts a run, and waits until only people can move it on. */
  function start(flow: string, input?: JsonObject): Promise<Run> {
    return api.start(flow, { waitS: 20, ...(input && { input }) });
  }

  beforeAll(async () => {
    stage = await openStage({ long, hostile });
    page = await stage.open();
    page.on('pageerror', (error) => faults.push(error.message));
    page.on('console', (message) => {
      if (message.type() === 'error') faults.push(message.text());
    });
    page.on('dialog', (dialog) => {
      faults.push(`a dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
    api = createClient({ url: stage.origin });
    for (const spent of spending()) await stage.bot.store.commit({ spent });
    const { id, questions } = await start('release', { version: '1.2' });
    run = id;
    question = questions[0]?.id ?? '';
  });

  afterAll(() => stage?.close());

  test.each([
    ['home', () => '/'],
    ['runs', () => '/runs'],
    ['run', () => `/runs/${run}`],
    ['run-step', () => `/runs/${run}?step=draft`],
    ['run-chat', () => `/runs/${run}?chat=1`],
    ['run-journal', () => `/runs/${run}/journal`],
    ['run-again', () => `/runs/${run}/again`],
    ['questions', () => '/questions'],
    ['question', () => `/questions/${question}`],
    ['flows', () => '/flows'],
    ['flow', () => '/flows/release'],
    ['schedules', () => '/schedules'],
    ['agents', () => '/agents'],
    ['agent', () => '/agents/writer'],
    ['audit', () => '/audit'],
    ['api', () => '/api'],
    ['nothing', () => '/runs/nothing'],
  ])('%s has no fault that axe knows, in light and dark, and fits a phone', async (name, path) => {
    await page.emulateMedia({ colorScheme: 'light' });
    await page.goto(`${stage.origin}${path()}`);
    await page.locator('h1').first().waitFor();
    expect(await findings(page, everything)).toEqual([]);
    if (DOCUMENTED.has(name)) await picture(page, `page-${name}`);
    await page.emulateMedia({ colorScheme: 'dark' });
    expect(await findings(page, colours)).toEqual([]);
    await page.setViewportSize({ width: 390, height: 800 });
    const wide = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
    await page.setViewportSize({ width: 1280, height: 860 });
    expect(wide).toBeLessThanOrEqual(0);
    // A page that is not there says so with its status, which browsers note as an error.
    expect(faults.splice(0).filter((fault) => !fault.includes('404'))).toEqual([]);
  });

  test('a run page follows its run: it is decided elsewhere, and the page shows it', async () => {
    await page.goto(`${stage.origin}/runs/${run}`);
    await page.locator('main[data-connected]').waitFor();
    await expectText(page.locator('main'), 'waiting');
    await api.answer(question, { action: 'approve' });
    await page.locator('.title .badge.succeeded').waitFor();
    await page.locator('svg [data-step="publish"][data-state="done"]').waitFor();
  });

  test('steps and arrows of the picture say more, also by keyboard, and the page does not jump', async () => {
    await page.goto(`${stage.origin}/runs/${run}`);
    await page.locator('svg a', { has: page.locator('[data-step="draft"]') }).click();
    await expectText(page.locator('#detail'), 'Prepared by');
    await page.locator('svg a', { has: page.locator('[data-edge="1"]') }).focus();
    await page.keyboard.press('Enter');
    await expectText(page.locator('#detail'), 'Review → Announcement');
    expect(await page.evaluate('document.activeElement.id')).toBe('detail');
    await page.goBack();
    await expectText(page.locator('#detail'), 'Prepared by');
    await page.getByRole('button', { name: 'Larger' }).click();
    expect(await page.locator('figure.picture').getAttribute('data-zoomed')).toBe('1.25');
  });

  test('people answer on the page, and what they typed outlives news', async () => {
    const { id: asked } = await start('release', { version: '2.0' });
    await page.goto(`${stage.origin}/runs/${asked}`);
    await page.locator('main[data-connected]').waitFor();
    const comment = page.getByRole('textbox', { name: /change/ }).first();
    if (!(await comment.isVisible())) await page.locator('summary', { hasText: 'Reject' }).click();
    await comment.fill('Mention the new button.');
    await start('release', { version: '2.1' });
    await page.getByRole('button', { name: 'Reject' }).click();
    await page.locator('figure text', { hasText: 'round 2' }).first().waitFor();
    const { steps } = await api.run(asked);
    expect(steps.draft?.output?.text).toContain('Mention the new button.');
  });

  test('what happens before a page hears of it is not missed: an answer of its own is shown', async () => {
    const { id } = await start('release', { version: '4.0' });
    await page.goto(`${stage.origin}/runs/${id}`);
    await page.getByRole('button', { name: 'Approve' }).click();
    await page.locator('.title .badge.succeeded').waitFor();
  });

  test('a page that nobody looks at keeps no connection, and is up to date when somebody does', async () => {
    const { id, questions } = await start('release', { version: '3.0' });
    await page.goto(`${stage.origin}/runs/${id}`);
    await page.locator('main[data-connected]').waitFor();
    const look = (isHidden: boolean) =>
      page.evaluate(`Object.defineProperty(document, 'hidden', { value: ${isHidden}, configurable: true });
        document.dispatchEvent(new Event('visibilitychange'))`);
    await look(true);
    expect(await page.locator('main[data-connected]').count()).toBe(0);
    await api.answer(questions[0]?.id ?? '', { action: 'approve' });
    await look(false);
    await page.locator('.title .badge.succeeded').waitFor();
    await page.locator('main[data-connected]').waitFor();
  });

  test('hostile names, texts and Markdown are text everywhere', async () => {
    const { id: evil, questions } = await start('hostile');
    for (const path of [
      '/',
      '/runs',
      `/runs/${evil}`,
      `/runs/${evil}?step=draft`,
      `/runs/${evil}?edge=0`,
      `/runs/${evil}/journal`,
      `/runs/${evil}/again`,
      '/questions',
      `/questions/${questions[0]?.id}`,
      '/flows',
      '/flows/hostile',
      '/audit',
    ]) {
      await page.goto(`${stage.origin}${path}`);
      await page.locator('h1').first().waitFor();
      expect(await page.locator('main img, main script, main [onerror], a[href^="javascript"]').count()).toBe(
        0,
      );
    }
    expect(faults.splice(0)).toEqual([]);
    expect(await page.content()).toContain('&lt;img src=x');
  });

  test('pages are light, and a run of 500 steps is painted at once', async () => {
    const { id: many } = await start('long');
    for (const path of ['/', `/runs/${run}`, '/api', `/runs/${many}`]) {
      const fresh = await stage.open();
      let bytes = 0;
      const sizes: Promise<void>[] = [];
      fresh.on('requestfinished', (request) => {
        sizes.push(
          request.sizes().then(({ responseBodySize, responseHeadersSize }) => {
            bytes += responseBodySize + responseHeadersSize;
          }),
        );
      });
      await fresh.goto(`${stage.origin}${path}`);
      await fresh.locator('h1').first().waitFor();
      if (path === `/runs/${many}`) await fresh.locator('figure svg').waitFor();
      await Promise.all(sizes);
      const paint = await fresh.evaluate<number>(
        'performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? 0',
      );
      console.log(
        `${path.replace(many, 'of 500 steps')}: ${Math.round(bytes / 1024)} kB, first paint after ${Math.round(paint)} ms`,
      );
      expect(bytes).toBeLessThan(200 * 1024);
      await fresh.close();
    }
  });
});

/** Pages whose pictures the documentation shows. */
const DOCUMENTED = new Set(['home', 'run', 'run-step', 'questions', 'flow', 'agents']);
