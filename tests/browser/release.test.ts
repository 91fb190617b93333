import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { createFlowbot, type Flowbot } from '../../src/main.ts';
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

const executablePath = findBrowser();
if (executablePath === undefined) console.warn('No Chromium was found: the browser test is skipped.');

// In CI a missing browser is a failure, not a skip.
describe.skipIf(executablePath === undefined && !process.env.CI)('the playground in a browser', () => {
  const folder = mkdtempSync(join(tmpdir(), 'flowbot-browser-'));
  let flowbot: Flowbot;
  let browser: Browser;
  let page: Page;

  beforeAll(async () => {
    cpSync(join(ROOT, 'flows'), join(folder, 'flows'), { recursive: true });
    const read = readConfig(
      { FLOWBOT_DB: 'flowbot.db', FLOWBOT_FLOWS: 'flows', FLOWBOT_PORT: '0', FLOWBOT_LOG: 'error' },
      folder,
    );
    if (!read.ok) throw new Error(read.faults.join('\n'));
    flowbot = await createFlowbot(read.config);
    await flowbot.start();
    browser = await chromium.launch({
      ...(executablePath !== undefined && { executablePath }),
      args: FLAGS,
    });
    page = await browser.newPage({ viewport: { width: 1280, height: 860 }, colorScheme: 'light' });
    page.setDefaultTimeout(15_000);
  });

  afterAll(async () => {
    await browser?.close();
    await flowbot?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  test('a message starts a run, a person sends it back with feedback, approves, and the bot posts', async () => {
    const faults: string[] = [];
    page.on('pageerror', (error) => faults.push(error.message));
    await page.goto(`${flowbot.url}/playground/`);

    await page.getByTestId('channels').getByText('releases').click();
    await page.getByTestId('composer').fill('!release 1.2');
    await page.getByTestId('composer').press('Enter');

    await page.getByTestId('replies').click();
    const thread = page.getByTestId('thread-messages');
    await expectText(thread, 'Release notes is waiting');
    await expectText(thread, 'Publish these notes?');
    await expectText(thread, 'Release 1.2');

    await thread.getByRole('button', { name: 'Reject' }).click();
    await page.getByTestId('field-feedback').fill('Please mention the new button.');
    await page.getByTestId('modal-submit').click();

    await expectText(thread, 'Rejected by Ana');
    await expectText(thread, 'Review (round 2)');
    const approve = thread.getByRole('button', { name: 'Approve' });
    await approve.waitFor();
    // The new round's draft holds what the reviewer asked for, and only its card has buttons.
    expect(await approve.count()).toBe(1);
    const pictures = process.env.DOCS_PICTURES;
    if (pictures !== undefined) await picture(page, pictures);

    await approve.click();
    await expectText(thread, 'Approved by Ana');
    await expectText(thread, 'has succeeded');
    expect(await thread.getByRole('button', { name: 'Approve' }).count()).toBe(0);

    await page.getByTestId('channels').getByText('announcements').click();
    const messages = page.getByTestId('messages');
    await expectText(messages, 'Release 1.2');
    await expectText(messages, 'Please mention the new button.');
    expect(await messages.getByTestId('message').count()).toBe(1);
    expect(faults).toEqual([]);
  });

  test('/flow completes commands, and opens a form for what is missing', async () => {
    await page.getByTestId('channels').getByText('general').click();
    const box = page.getByTestId('composer');
    await box.fill('/flow ru');
    await page.getByTestId('composer-completions').getByText('/flow runs').waitFor();
    await box.fill('/flow run purchase');
    await box.press('Escape');
    await page.getByTestId('composer-send').click();

    await page.getByTestId('field-item').fill('a chair');
    await page.getByTestId('field-amount').fill('-5');
    await page.getByTestId('modal-submit').click();
    await expectText(page.getByTestId('error-amount'), 'at least 0');
    await page.getByTestId('field-amount').fill('120');
    await page.getByTestId('modal-submit').click();
    await expectText(page.getByTestId('messages'), 'Purchase request is waiting');
  });
});

async function expectText(within: ReturnType<Page['getByTestId']>, text: string): Promise<void> {
  await within.getByText(text).first().waitFor();
}

async function picture(page: Page, folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true });
  await page.screenshot({ path: join(folder, 'playground.png') });
}
