import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { type BrowserContextOptions, chromium, type Locator, type Page } from 'playwright-core';
import type { Bot } from '../../src/commands/bot.ts';
import { readConfig } from '../../src/config.ts';
import { createFlowbot } from '../../src/main.ts';
import { findBrowser } from './find-browser.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** A running Flowbot with the sample flows, and a browser to look at its playground and its pages. */
export interface Stage {
  /** Address of the playground. */
  readonly url: string;
  /** Where the pages are: `http://127.0.0.1:3000`. */
  readonly origin: string;
  /** The Flowbot itself. */
  readonly bot: Bot;
  /** A page in a session of its own, of the size that the pictures in the documentation have. */
  open(options?: BrowserContextOptions): Promise<Page>;
  close(): Promise<void>;
}

/** In CI a missing browser is a failure, not a skip. */
export function lacksBrowser(): boolean {
  if (findBrowser() !== undefined) return false;
  console.warn('No Chromium was found: the browser tests are skipped.');
  return !process.env.CI;
}

/** Starts both. @param flows further flows, by id */
export async function openStage(flows: Readonly<Record<string, string>> = {}): Promise<Stage> {
  const folder = mkdtempSync(join(tmpdir(), 'flowbot-browser-'));
  for (const part of ['flows', 'agents', 'schemas']) {
    cpSync(join(ROOT, part), join(folder, part), { recursive: true });
  }
  for (const [id, flow] of Object.entries(flows)) {
    writeFileSync(join(folder, 'flows', `${id}.flow.yaml`), flow);
  }
  const read = readConfig({ FLOWBOT_PORT: '0', FLOWBOT_LOG: 'error' }, folder);
  if (!read.ok) throw new Error(read.faults.join('\n'));
  const flowbot = await createFlowbot(read.config);
  await flowbot.start();
  const executablePath = findBrowser();
  const browser = await chromium.launch({
    ...(executablePath !== undefined && { executablePath }),
    args: FLAGS,
  });
  return {
    url: `${flowbot.url}/playground/`,
    origin: flowbot.url,
    bot: flowbot.bot,
    async open(options) {
      const page = await browser.newPage({
        viewport: { width: 1280, height: 860 },
        colorScheme: 'light',
        locale: 'en-GB',
        ...options,
      });
      page.setDefaultTimeout(15_000);
      return page;
    },
    async close() {
      await browser.close();
      await flowbot.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Resolves once a text can be seen. */
export async function expectText(within: Locator, text: string | RegExp): Promise<void> {
  await within.getByText(text).first().waitFor();
}

/** Takes a picture for the documentation into the folder `DOCS_PICTURES`, when that is set. */
export async function picture(page: Page, name: string, of: Page | Locator = page): Promise<void> {
  const folder = process.env.DOCS_PICTURES;
  if (folder === undefined) return;
  mkdirSync(folder, { recursive: true });
  // Nothing is shown as pointed at.
  await page.mouse.move(0, 0);
  await of.screenshot({ path: join(folder, `${name}.png`), animations: 'disabled', caret: 'hide' });
}
