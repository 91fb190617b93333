import { expect, test } from 'vitest';
import type { Caller } from '../../src/commands/bot.ts';
import { startFlow } from '../../src/commands/start-flow.ts';
import { createDesk } from './desk.ts';
import { review } from './flows.ts';

const here = `
name: Here
triggers: [{ type: manual }]
steps: { say: { type: message, text: Hello } }
`;
const there = `
name: There
conversation: "red:#general"
triggers: [{ type: manual }]
steps: { say: { type: message, text: Hello } }
`;

/** The host's command line. */
const host: Caller = { person: { platform: 'cli', id: 'root', name: 'root' }, event: 'e1', atMs: 1 };

test.each([
  ['review', 'Review asks people: write conversation: in its file, so that it can be started outside chat.'],
  [
    'here',
    'Here posts where it was started: write conversation: in its file, so that it can be started outside chat.',
  ],
])('outside chat %s needs a conversation of its own', async (id, why) => {
  const desk = await createDesk({ review, here });
  const flow = desk.bot.catalog.flow(id);
  if (!flow) throw new Error('no flow');
  const wish = { trigger: 'manual', text: '', prompt: '', startKey: id } as const;
  expect(await startFlow(desk.bot, { flow, caller: host, ...wish })).toEqual({ kind: 'refused', why });
});

test('with one it posts there', async () => {
  const desk = await createDesk({ there });
  const flow = desk.bot.catalog.flow('there');
  if (!flow) throw new Error('no flow');
  const wish = { trigger: 'manual', text: '', prompt: '', startKey: 'there' } as const;
  expect(await startFlow(desk.bot, { flow, caller: host, ...wish })).toMatchObject({ kind: 'started' });
  await desk.settle();
  expect((await desk.red.posts(desk.red.elsewhere)).map(({ text }) => text)).toContain('Hello');
});
