import { expect, test } from 'vitest';
import { tellFlowNews } from '../../src/commands/flow-news.ts';
import { createDesk, type Desk } from './desk.ts';

const good = `
name: Good
triggers: [{ type: manual }]
steps: { say: { type: template, text: hello } }
`;
const reader = `
name: Reader
conversation: "red:#general"
triggers: [{ type: command, command: read, in: ["red:#releases"] }]
steps:
  read: { type: history, conversation: "red:U0BO" }
  post: { type: message, to: "red:#releases", text: "{{read.text}}" }
`;

/** What the admin Ana was told directly. */
async function direct(desk: Desk): Promise<readonly string[]> {
  await desk.settle();
  return (await desk.red.posts({ platform: 'red', conversation: 'D-U0ANA' })).map(({ text }) => text);
}

test('admins hear of faults in flow files, once for the same ones', async () => {
  const desk = await createDesk({ good });
  const bot = { ...desk.bot, settings: { ...desk.bot.settings, admins: ['red:U0ANA', 'green:U1'] } };
  await tellFlowNews(bot);
  expect(await direct(desk)).toEqual([]);
  desk.load({ good, bad: 'steps: { say: { type: massage } }' });
  await tellFlowNews(bot);
  await tellFlowNews(bot);
  const [told, ...more] = await direct(desk);
  expect(told).toMatch(/^These flow files could not be loaded:\n\n- flows\/bad\.flow\.yaml:1:\d+ .*massage/);
  expect(more).toEqual([]);
  // Mended, and made again.
  desk.load({ good });
  await tellFlowNews(bot);
  desk.load({ good, bad: 'steps: { say: { type: massage } }' });
  await tellFlowNews(bot);
  expect(await direct(desk)).toEqual([told, told]);
});

test('an admin who can’t be told keeps no other from hearing it', async () => {
  const desk = await createDesk({ good });
  desk.load({ bad: 'steps: { say: { type: massage } }' });
  const bot = { ...desk.bot, settings: { ...desk.bot.settings, admins: ['blue:U0ADA', 'red:U0ANA'] } };
  desk.blue.platform.chat.conversation = () => Promise.reject(new Error('the answer is no JSON'));
  await tellFlowNews(bot);
  expect(await direct(desk)).toHaveLength(1);
  expect(desk.log.lines.map(({ message }) => message)).toContain(
    'An admin could not be told about flow files.',
  );
});

test('admins hear of flows that carry private words to where more people read', async () => {
  const desk = await createDesk({ reader });
  const bot = { ...desk.bot, settings: { ...desk.bot.settings, admins: ['red:U0ANA'] } };
  await tellFlowNews(bot);
  expect(await direct(desk)).toEqual([
    [
      'Look at these flows:',
      '',
      '- flows/reader.flow.yaml reads red:U0BO, which is private, and posts to red:#general, which is not: what is said there may be read by others.',
      '- flows/reader.flow.yaml reads red:U0BO, which is private, and posts to red:#releases, which is not: what is said there may be read by others.',
    ].join('\n'),
  ]);
});

test('or to wherever somebody starts them', async () => {
  const anywhere = reader
    .replace(', in: ["red:#releases"]', '')
    .replace('to: "red:#releases", ', '')
    .replace(/conversation: "red:#general"\n/, '');
  const desk = await createDesk({ reader: anywhere });
  const bot = { ...desk.bot, settings: { ...desk.bot.settings, admins: ['red:U0ANA'] } };
  await tellFlowNews(bot);
  const [told] = await direct(desk);
  expect(told).toContain('reads red:U0BO, which is private, and posts wherever somebody starts it');
});
