import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { formRefusal } from '../../../src/adapters/playground/part.ts';
import { readAttachments } from '../../../src/engine/attachments.ts';
import type { Form, FormField } from '../../../src/engine/post.ts';
import { findBrowser } from '../../browser/find-browser.ts';
import { createPlaygroundHarness, type PlaygroundHarness } from './harness.ts';

const field = (id: string, more: Partial<FormField>): FormField => ({
  id,
  label: id,
  type: 'text',
  required: false,
  ...more,
});

const form: Form = {
  id: 'form:1',
  title: 'Release',
  submitLabel: 'Start',
  fields: [
    field('day', { type: 'date', initial: '2026-11-30', required: true }),
    field('at', { type: 'time' }),
    field('moment', { type: 'datetime', initial: '2026-11-30T09:30:00Z' }),
    field('who', { type: 'user' }),
    field('where', { type: 'channel' }),
    field('count', { type: 'integer', min: 1, max: 5 }),
    field('code', { minLength: 3, maxLength: 8 }),
    field('areas', { type: 'multiselect', options: ['a', 'b'], required: true }),
  ],
};

test('every kind of field is taken', () => {
  expect(formRefusal(form)).toBeUndefined();
});

const executablePath = findBrowser();

// In CI a missing browser is a failure, not a skip.
describe.skipIf(executablePath === undefined && !process.env.CI)('a form in a browser', () => {
  let h: PlaygroundHarness;
  let browser: Browser;
  let page: Page;

  beforeAll(async () => {
    h = await createPlaygroundHarness();
    const args = ['--headless', '--no-sandbox', '--disable-gpu', '--no-first-run'];
    browser = await chromium.launch({ ...(executablePath !== undefined && { executablePath }), args });
    // Not in the zone of its times.
    page = await browser.newPage({ timezoneId: 'Asia/Kolkata' });
    page.setDefaultTimeout(15_000);
  });
  afterAll(async () => {
    await browser?.close();
    await h?.close();
  });

  test('says at the fields what is wrong, and sends values as they are written everywhere', async () => {
    h.inbox.answerNext({ kind: 'form', form });
    await page.goto(`${h.url}/playground/#general`);
    await page.getByTestId('composer').fill('/flow run release');
    await page.getByTestId('composer').press('Escape');
    await page.getByTestId('composer-send').click();

    const input = (id: string) => page.getByTestId(`field-${id}`);
    expect(await input('day').getAttribute('type')).toBe('date');
    expect(await input('at').getAttribute('type')).toBe('time');
    expect(await input('moment').inputValue()).toMatch(/^2026-11-30T15:00/);
    await input('at').fill('09:30');
    await input('who').fill('ana');
    await input('count').fill('9');
    await input('code').pressSequentially('ab');
    await page.getByTestId('modal-submit').click();
    const error = (id: string) => page.getByTestId(`error-${id}`).textContent();
    expect(await error('count')).toBe('Must be at most 5.');
    expect(await error('code')).toBe('Must have at least 3 characters.');
    expect(await error('areas')).toBe('Choose at least one.');
    expect(await error('who')).toBe('');
    expect(h.inbox.taken).toHaveLength(1);

    await input('count').fill('5');
    await input('code').fill('abc');
    await page.getByLabel('b', { exact: true }).check();
    await page.getByTestId('modal-submit').click();
    await h.inbox.until(2);
    expect(h.inbox.taken[1]).toMatchObject({
      values: {
        day: '2026-11-30',
        at: '09:30',
        moment: '2026-11-30T09:30:00Z',
        who: 'ana',
        count: '5',
        code: 'abc',
        areas: '["b"]',
      },
    });
  });

  test('sends the bytes of files that were chosen', async () => {
    const taken = h.inbox.taken.length;
    const files = field('plan', { type: 'files', required: true });
    h.inbox.answerNext({
      kind: 'form',
      form: { ...form, fields: [files, field('more', { type: 'files' })] },
    });
    await page.getByTestId('composer').fill('/flow run release');
    await page.getByTestId('composer').press('Escape');
    await page.getByTestId('composer-send').click();

    const input = page.getByTestId('field-plan');
    const send = page.getByTestId('modal-submit');
    const error = page.getByTestId('error-plan');
    await send.click();
    expect(await error.textContent()).not.toBe('');
    const chosen = (name: string) => ({ name, mimeType: 'text/csv', buffer: Buffer.from([0, 255, 13, 10]) });
    await input.setInputFiles(Array.from({ length: 11 }, (_, index) => chosen(`${index}.csv`)));
    await send.click();
    expect(await error.textContent()).toBe('Choose at most 10 files.');
    await input.setInputFiles([chosen('Größe 1.csv'), chosen('2.csv')]);
    await send.click();

    await h.inbox.until(taken + 2);
    const event = h.inbox.taken.at(-1);
    const values = event?.type === 'submit' ? event.values : {};
    expect(Object.keys(values)).toEqual(['plan']);
    const sent = readAttachments(values.plan ?? '') ?? [];
    expect(sent).toMatchObject([
      { name: 'Größe 1.csv', type: 'text/csv', sizeBytes: 4 },
      { name: '2.csv', type: 'text/csv', sizeBytes: 4 },
    ]);
    for (const file of sent) {
      expect(await h.chat.download({ ...file }, 4)).toEqual({ kind: 'fetched', data: 'AP8NCg==' });
    }
  });
});
