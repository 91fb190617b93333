import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectText, lacksBrowser, openStage, picture, type Stage } from './stage.ts';

describe.skipIf(lacksBrowser())('the playground in a browser', () => {
  let stage: Stage;
  let page: Page;

  beforeAll(async () => {
    stage = await openStage();
    page = await stage.open();
  });

  afterAll(() => stage?.close());

  test('a message starts a run, a person sends it back with feedback, approves, and the bot posts', async () => {
    const faults: string[] = [];
    page.on('pageerror', (error) => faults.push(error.message));
    await page.goto(stage.url);

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
    await picture(page, 'playground');

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
