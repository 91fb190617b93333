import { expect, test } from 'vitest';
import { answerRequest } from '../../src/cli/answer.ts';
import { createDesk } from '../commands/desk.ts';

const flow =
  'name: Hello\nconversation: "red:#releases"\ntriggers: [{ type: manual }]\nsteps: { ask: { type: approval } }';
const person = { platform: 'cli', id: 'root', name: 'root' } as const;

test('show --svg gives the picture of a flow, or of a run as it is', async () => {
  const desk = await createDesk({ hello: flow });
  const show = (of: string) =>
    answerRequest(desk.bot, { person, event: of, command: { kind: 'picture', of } });
  expect((await show('Hello')).text).toMatch(/^<svg [\s\S]*data-step="ask" data-state="planned"/);
  await desk.red.flow(desk.red.ana, 'run hello');
  await desk.settle();
  const [run] = await desk.store.runs({});
  const { ok, text, data } = await show(run?.id ?? '');
  expect([ok, data]).toEqual([
    true,
    { run: run?.id, svg: text, alt: expect.stringContaining('waits for people') },
  ]);
  expect(text).toContain('data-state="asking"');
});

test('what is neither is refused, with what there is', async () => {
  const desk = await createDesk({ hello: flow });
  const command = { kind: 'picture', of: 'helo' } as const;
  const { ok, text } = await answerRequest(desk.bot, { person, event: 'e', command });
  expect([ok, text]).toEqual([
    false,
    'There is no run helo here. There is no flow helo. Did you mean hello?',
  ]);
});
