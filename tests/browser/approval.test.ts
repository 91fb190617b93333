import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectText, lacksBrowser, openStage, picture, type Stage } from './stage.ts';

/** No other place is this far from UTC. */
const ZONE = 'Asia/Kathmandu';

describe.skipIf(lacksBrowser())('an approval in a browser', () => {
  let stage: Stage;
  let page: Page;
  let thread: Locator;
  const faults: string[] = [];

  beforeAll(async () => {
    stage = await openStage();
    page = await stage.open({ timezoneId: ZONE });
    page.on('pageerror', (error) => faults.push(error.message));
    thread = page.getByTestId('thread-messages');
  });

  afterAll(() => stage?.close());

  /** The thread stays open. */
  async function become(name: string): Promise<void> {
    await page.getByTestId('person').selectOption(name);
    await page.locator('#you-avatar').getByText(name.charAt(0)).waitFor();
    await expectText(thread, 'Give access?');
  }

  const card = (): Locator => thread.getByTestId('message').filter({ hasText: 'Give access?' }).first();
  const press = (label: string): Promise<void> => thread.getByRole('button', { name: label }).click();
  const field = (name: string): Locator => page.getByTestId(`field-field_${name}`);
  const error = (name: string): Locator => page.getByTestId(`error-field_${name}`);
  const submit = (): Promise<void> => page.getByTestId('modal-submit').click();

  test('is asked, with times in the zone of whoever reads them', async () => {
    await page.goto(stage.url);
    await page.getByTestId('composer').fill('!access billing');
    await page.getByTestId('composer').press('Enter');
    await page.getByTestId('replies').click();
    await expectText(thread, 'Give access?');
    await expectText(thread, 'Waiting for Bo, Cy, Dee. It takes 2 answers that agree.');

    const elsewhere = await stage.open({ timezoneId: 'America/New_York' });
    await elsewhere.goto(stage.url);
    await elsewhere.getByTestId('replies').click();
    for (const [reader, zone] of [
      [page, ZONE],
      [elsewhere, 'America/New_York'],
    ] as const) {
      const deadline = reader
        .getByTestId('thread-messages')
        .locator('p', { hasText: 'Open until' })
        .locator('time');
      const at = new Date((await deadline.getAttribute('datetime')) ?? '');
      expect(await deadline.textContent()).toContain(clock(at, zone));
      expect(await deadline.getAttribute('title')).toContain(`${clock(at, 'UTC')} UTC`);
    }
    await elsewhere.close();
  });

  test('somebody who may not answer hears so, and nobody else does', async () => {
    await press('Read only');
    await expectText(page.getByTestId('private'), 'Only Bo, Cy, Dee may answer this.');
    await picture(page, 'approval-refused', page.getByTestId('thread'));
    await become('Bo');
    expect(await page.getByTestId('private').count()).toBe(0);
    expect(await card().getAttribute('class')).toContain('for-you');
    await picture(page, 'approval-asked', page.getByTestId('thread'));
  });

  test('the form says at its fields what is wrong, and not any longer than it is', async () => {
    await press('Give access');
    await field('until').fill('2027-03-31');
    await field('reason').fill('Bill');
    await submit();
    await expectText(error('reason'), 'Must have at least 5 characters.');
    expect(await error('until').textContent()).toBe('');
    await picture(page, 'approval-form', page.getByTestId('modal'));
    await field('reason').fill('Bills of the first quarter');
    expect(await error('reason').textContent()).toBe('');
    const signed = { name: 'signed.pdf', mimeType: 'application/pdf', buffer: Buffer.from('%PDF-1.7') };
    await page.getByTestId('field-attachments').setInputFiles([signed]);
    await submit();
  });

  test('the card shows the first answer, and waits for the second', async () => {
    await expectText(thread, 'Bo: Give access');
    await expectText(thread, 'It takes 2 answers that agree: 1 of 2 so far.');
    expect(await thread.getByRole('button', { name: 'Reject' }).count()).toBe(1);
    await picture(page, 'approval-one', page.getByTestId('thread'));
  });

  test('C62: whoever writes “approved” is told that only a button counts', async () => {
    await become('Cy');
    await page.getByTestId('thread-composer').fill('approved');
    await page.getByTestId('thread-composer').press('Enter');
    await expectText(thread, 'A message does not count as an answer: press a button on the card of');
    await expectText(thread.getByTestId('author'), 'Cy');
    expect(await thread.getByText('Cy: Give access').count()).toBe(0);
    await picture(page, 'approval-said', page.getByTestId('thread'));
  });

  test('the second answer decides: the card says who agreed to what, and has no buttons', async () => {
    await press('Give access');
    await field('until').fill('2027-01-31');
    await field('reason').fill('A month is enough');
    await submit();
    await expectText(thread, '✅ Give access');
    await expectText(card(), 'by Bo and Cy');
    await expectText(card(), 'A month is enough');
    expect(await card().getAttribute('class')).not.toContain('for-you');
    expect(
      await card()
        .getByRole('button', { name: /Give access|Read only|Reject/ })
        .count(),
    ).toBe(0);
    await expectText(thread, 'is open to Ana until 2027-01-31: A month is enough');
    await expectText(thread, 'has succeeded');
    await picture(page, 'approval-decided', page.getByTestId('thread'));
    expect(faults).toEqual([]);
  });
});

function clock(at: Date, timeZone: string): string {
  return at.toLocaleTimeString('en-GB', { timeZone, hour: '2-digit', minute: '2-digit' });
}
