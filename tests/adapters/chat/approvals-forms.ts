import { describe, expect, test } from 'vitest';
import type { GivenFile } from '../../contracts/chat-harness.ts';
import {
  answersIn,
  approvers,
  asking,
  cardOf,
  oncePrivate,
  outputOf,
  type Platform,
  runOf,
} from './approvals.ts';
import { onceShown } from './waiting.ts';

const schema =
  'form: { type: object, required: [version, count], properties: { version: { type: string, title: Version, minLength: 3 }, count: { type: integer, title: How many, minimum: 1 }, color: { enum: [red, green] }, urgent: { type: boolean } } }';

const file = (name: string, type: string, text: string): GivenFile => ({
  name,
  type,
  bytes: Buffer.from(text),
});
const report = file('report.csv', 'text/csv', 'a,b\n1,2\n');

/** What people fill in and bring along with an answer. */
export function formsOn(platform: Platform): void {
  const { people } = platform;

  describe(`a form with the answer on ${platform.name}`, () => {
    test('opens by Approve, a field for each value; what comes back has its type, and stands on the card', async () => {
      const asked = await asking(platform, schema);
      const { desk, message, button, thread } = asked;
      await desk.click(people.bo, message, button);
      const form = await desk.form(people.bo);
      expect(form?.title).toBe('Approve');
      expect(form?.fields).toEqual([
        { id: 'field_version', label: 'Version', required: true },
        { id: 'field_count', label: 'How many', required: true },
        { id: 'field_color', label: 'color', required: false },
        { id: 'field_urgent', label: 'urgent', required: false },
      ]);
      await desk.submit(people.bo, thread, form?.id ?? '', {
        field_version: '1.2.0',
        field_count: '3',
        field_color: 'green',
        field_urgent: 'true',
      });
      await onceShown(desk, thread, 'has succeeded');
      const values = { version: '1.2.0', count: 3, color: 'green', urgent: true };
      expect(await outputOf(asked)).toMatchObject({ decision: 'approved', values });
      const card = await cardOf(asked);
      expect(card.buttons).toEqual([]);
      expect(card.text).toContain('✅ Approved by Bo');
      expect(card.text).toMatch(/Version: 1\.2\.0\n.*How many: 3\n.*color: green\n.*urgent: (true|Yes)/);
      expect(await desk.privates(people.bo)).toEqual([]);
      expect(asked.complaints()).toEqual([]);
    });

    test('Reject needs none of it', async () => {
      const asked = await asking(platform, schema);
      const { desk, message, thread } = asked;
      await desk.click(people.bo, message, await asked.buttonOf('Reject'));
      const form = await desk.form(people.bo);
      expect(form?.fields.map(({ id }) => id)).toEqual(['feedback']);
      await desk.submit(people.bo, thread, form?.id ?? '', { feedback: '' });
      await onceShown(desk, thread, '❌ Rejected by Bo');
      expect((await runOf(asked)).status).toBe('rejected');
      expect(asked.complaints()).toEqual([]);
    });

    test('by a command what is missing comes as a form, or is said', async () => {
      const asked = await asking(platform, schema);
      const { desk, thread } = asked;
      await desk.command(people.bo, desk.channel, `approve ${(await runOf(asked)).id}`);
      await desk.until(
        async () => (await desk.form(people.bo)) !== undefined || (await desk.privates(people.bo)).length > 0,
      );
      const form = await desk.form(people.bo);
      expect(form?.fields).toHaveLength(4);
      await desk.submit(people.bo, thread, form?.id ?? '', { field_version: '1.2.0', field_count: '3' });
      await onceShown(desk, thread, 'has succeeded');
      expect(await outputOf(asked)).toMatchObject({ values: { version: '1.2.0', count: 3 } });
      expect(asked.complaints()).toEqual([]);
    });

    test('C61: a stranger gets no form, and one that was made up changes nothing', async () => {
      const asked = await asking(platform, approvers(people.bo), schema);
      const { desk, message, button, thread } = asked;
      await desk.click(people.cy, message, button);
      expect(await desk.form(people.cy)).toBeUndefined();
      expect((await oncePrivate(desk, people.cy)).text).toMatch(/^Only @?Bo may answer this\.$/);
      await desk.click(people.bo, message, button);
      const form = await desk.form(people.bo);
      await desk.submit(people.cy, thread, form?.id ?? '', { field_version: '6.6.6', field_count: '6' });
      expect((await oncePrivate(desk, people.cy, 1)).text).toMatch(/Only @?Bo may answer this\./);
      expect(await answersIn(asked)).toEqual([]);
      await desk.submit(people.bo, thread, form?.id ?? '', { field_version: '1.2.0', field_count: '1' });
      await onceShown(desk, thread, 'has succeeded');
      expect(await outputOf(asked)).toMatchObject({ values: { version: '1.2.0' } });
    });

    test('C22: who sends the form after another has decided gets back what they typed', async () => {
      const asked = await asking(platform, schema);
      const { desk, message, button, thread } = asked;
      for (const person of [people.bo, people.cy]) await desk.click(person, message, button);
      const form = (await desk.form(people.cy))?.id ?? '';
      await desk.submit(people.bo, thread, form, { field_version: '1.2.0', field_count: '1' });
      await onceShown(desk, thread, 'has succeeded');
      await desk.submit(people.cy, thread, form, { field_version: '1.3.0-typed', field_count: '2' });
      const { text } = await oncePrivate(desk, people.cy);
      expect(text).toContain('Bo has already answered “Approve”');
      expect(text).toContain('1.3.0-typed');
      expect(await answersIn(asked)).toHaveLength(1);
      expect(asked.complaints()).toEqual([]);
    });
  });

  describe(`files with the answer on ${platform.name}`, () => {
    const attach = 'attachFiles: { maxFiles: 2, maxBytes: 100, types: [.csv, image/*] }';

    test('are fetched and kept with the run, and named on the card', async () => {
      const asked = await asking(platform, attach);
      const { desk, message, button, thread } = asked;
      await desk.click(people.bo, message, button);
      const form = await desk.form(people.bo);
      expect(form?.fields).toMatchObject([{ id: 'attachments', label: 'Files', required: false }]);
      await desk.submit(people.bo, thread, form?.id ?? '', {}, { attachments: [report] });
      await onceShown(desk, thread, 'has succeeded');
      const { files } = await outputOf(asked);
      expect(files).toMatchObject([{ name: 'report.csv', type: 'text/csv', sizeBytes: 8 }]);
      const [answer] = await answersIn(asked);
      const kept = await asked.live.flowbot.bot.store.file(answer?.files?.[0]?.id ?? '');
      expect(Buffer.from(kept?.data ?? '').toString()).toBe('a,b\n1,2\n');
      expect(kept?.run).toBe((await runOf(asked)).id);
      expect((await cardOf(asked)).text).toContain('📎 report.csv');
      expect(await desk.privates(people.bo)).toEqual([]);
      expect(asked.complaints()).toEqual([]);
    });

    test.each<readonly [string, readonly GivenFile[], string]>([
      ['too large', [file('big.csv', 'text/csv', 'x'.repeat(101))], '“big.csv” has'],
      [
        'of another kind',
        [file('run.exe', 'application/x-msdownload', 'MZ')],
        '“run.exe” is not of an accepted kind: .csv, image/*.',
      ],
    ])('%s: refused with the reason, the comment comes back, and nothing is kept', async (_, files, why) => {
      const asked = await asking(
        platform,
        attach,
        'actions: [{ id: approve, comment: optional }, { id: reject }]',
      );
      const { desk, message, button, thread } = asked;
      await desk.click(people.bo, message, button);
      const form = await desk.form(people.bo);
      await desk.submit(
        people.bo,
        thread,
        form?.id ?? '',
        { feedback: 'Typed at length' },
        { attachments: files },
      );
      const { text } = await oncePrivate(desk, people.bo);
      expect(text).toContain(why);
      expect(text).toContain('Typed at length');
      expect(await answersIn(asked)).toEqual([]);
      expect((await runOf(asked)).status).toBe('waiting');
      expect((await cardOf(asked)).buttons).toHaveLength(2);
      await desk.click(people.bo, message, button);
      await desk.submit(
        people.bo,
        thread,
        (await desk.form(people.bo))?.id ?? '',
        { feedback: 'Now' },
        { attachments: [report] },
      );
      await onceShown(desk, thread, 'has succeeded');
      expect(asked.complaints()).toEqual([]);
    });

    test('that nobody can give out now: it is said, nothing decides, and it can be done again without them', async () => {
      const asked = await asking(platform, attach);
      const { desk, message, button, thread } = asked;
      await desk.click(people.bo, message, button);
      desk.loseFiles();
      const form = await desk.form(people.bo);
      await desk.submit(people.bo, thread, form?.id ?? '', {}, { attachments: [report] });
      expect((await oncePrivate(desk, people.bo)).text).toMatch(/can't be reached|could not/);
      expect(await answersIn(asked)).toEqual([]);
      await desk.click(people.bo, message, button);
      await desk.submit(people.bo, thread, (await desk.form(people.bo))?.id ?? '', {});
      await onceShown(desk, thread, 'has succeeded');
      expect(await answersIn(asked)).toHaveLength(1);
    });
  });
}
