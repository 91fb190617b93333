import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { literal, md, time } from '../../../src/engine/prose.ts';
import { findBrowser } from '../../browser/find-browser.ts';
import { createPlaygroundHarness, type PlaygroundHarness } from './harness.ts';

const executablePath = findBrowser();
const pixel =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

// In CI a missing browser is a failure, not a skip.
describe.skipIf(executablePath === undefined && !process.env.CI)('the page in a browser', () => {
  let h: PlaygroundHarness;
  let browser: Browser;
  let page: Page;

  beforeAll(async () => {
    h = await createPlaygroundHarness();
    const args = ['--headless', '--no-sandbox', '--disable-gpu', '--no-first-run'];
    browser = await chromium.launch({ ...(executablePath !== undefined && { executablePath }), args });
    page = await browser.newPage();
    page.setDefaultTimeout(15_000);
  });
  afterAll(async () => {
    await browser?.close();
    await h?.close();
  });

  test.each(['#%', '#%/%', '#general/%ff'])('opens at the address %s, which is none', async (hash) => {
    const faults: string[] = [];
    page.once('pageerror', (error) => faults.push(error.message));
    await page.goto(`${h.url}/playground/app.js`);
    await page.goto(`${h.url}/playground/${hash}`);
    await page.getByTestId('composer').waitFor();
    expect(faults).toEqual([]);
  });

  test('direction controls in a value do not turn the words around it', async () => {
    const prose = [md('Approve '), literal('\u202eevil\u2067'), md(' and pay')];
    const [part] = h.chat.render({ prose, buttons: [], notify: [] });
    await h.chat.post(h.otherChannel, part ?? null, 'key');
    await h.say(h.people.bo, h.otherChannel, 'typed \u202eturned');
    await page.goto(`${h.url}/playground/app.js`);
    await page.goto(`${h.url}/playground/#general`);
    const texts = page.locator('#messages').getByTestId('text');
    await expect
      .poll(() => texts.allTextContents())
      .toEqual([expect.stringMatching(/Approve\s+evil\s+and pay/), 'typed turned']);
  });

  test('a picture is shown with its words, and files can be saved', async () => {
    const files = [
      { name: 'chart.png', mediaType: 'image/png', alt: 'A chart', data: pixel },
      { name: 'notes.md', mediaType: 'text/markdown', alt: '', data: Buffer.from('# Hi').toString('base64') },
    ];
    for (const part of h.chat.render({ prose: [], buttons: [], notify: [], files })) {
      await h.chat.post(h.channel, part, 'key');
    }
    await page.goto(`${h.url}/playground/app.js`);
    await page.goto(`${h.url}/playground/#releases`);
    const picture = page.getByAltText('A chart');
    await expect
      .poll(() => picture.evaluate((image) => 'naturalWidth' in image && image.naturalWidth))
      .toBe(1);
    expect(await page.getByRole('img').count()).toBe(1);
    const saving = page.waitForEvent('download');
    await page.getByRole('link', { name: 'notes.md' }).click();
    expect((await saving).suggestedFilename()).toBe('notes.md');
  });

  test('a picture is shown to the one person whose answer it is in', async () => {
    const alt = 'A private chart';
    const files = [{ name: 'private.png', mediaType: 'image/png', alt, data: pixel }];
    const prose = [md('Only for you')];
    h.inbox.answerNext({ kind: 'private', content: { prose, buttons: [], notify: [], files } });
    await h.command(h.people.ana, h.otherChannel, 'status');
    await page.goto(`${h.url}/playground/app.js`);
    await page.goto(`${h.url}/playground/#general`);
    const picture = page.getByTestId('private').getByAltText(alt);
    await expect
      .poll(() => picture.evaluate((image) => 'naturalWidth' in image && image.naturalWidth))
      .toBe(1);
    await page.getByTestId('private').last().getByTestId('dismiss').click();
    await expect.poll(() => picture.count()).toBe(0);
  });

  test('a time is shown in the time zone of whoever looks', async () => {
    const prose = [md('Until **'), time(Date.UTC(2026, 10, 30, 10)), md('**.')];
    const [part] = h.chat.render({ prose, buttons: [], notify: [] });
    await h.chat.post({ platform: 'playground', conversation: 'ops' }, part ?? null, 'key');
    const traveller = await browser.newPage({ timezoneId: 'Asia/Tokyo', locale: 'en-GB' });
    await traveller.goto(`${h.url}/playground/#ops`);
    const shown = traveller.getByTestId('text').getByRole('time');
    expect(await shown.textContent()).toBe('30 Nov 2026, 19:00');
    expect(await shown.getAttribute('datetime')).toBe('2026-11-30T10:00:00.000Z');
    expect(await shown.getAttribute('title')).toBe('2026-11-30 10:00 UTC');
    await traveller.close();
  });
});
