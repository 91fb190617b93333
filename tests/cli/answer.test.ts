import { expect, test } from 'vitest';
import { answerRequest } from '../../src/cli/answer.ts';
import type { CliCommand } from '../../src/cli/protocol.ts';
import { ChatUnavailable } from '../../src/ports/chat.ts';
import { createDesk, runsOf } from '../commands/desk.ts';

const posted = `
conversation: "red:#releases"
triggers: [{ type: manual }]
steps: { say: { type: template, text: hello } }
`;
const plain = `
triggers: [{ type: manual }]
steps: { say: { type: template, text: hello } }
`;

const person = { platform: 'cli', id: 'root', name: 'root' } as const;
const run = (flow: string): CliCommand => ({ kind: 'run', flow, prompt: '' });

test('while a chat gives no answer, the command line says so and does what needs no chat', async () => {
  const desk = await createDesk({ posted, plain });
  desk.red.platform.chat.conversation = async () => {
    throw new ChatUnavailable('Red gives no answer.');
  };
  expect(await answerRequest(desk.bot, { person, event: 'one', command: run('posted') })).toEqual({
    ok: false,
    text: "A chat that this needs can't be reached at the moment: try again later.",
    data: null,
  });
  expect(await answerRequest(desk.bot, { person, event: 'two', command: run('plain') })).toMatchObject({
    ok: true,
  });
  expect(await runsOf(desk)).toMatchObject([{ flow: 'plain' }]);
});
