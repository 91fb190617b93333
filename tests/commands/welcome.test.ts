import { expect, test } from 'vitest';
import { createDesk, type FlowTexts } from './desk.ts';
import { echo, guarded, release } from './flows.ts';

/** What the bot says where Ana lets it in; her platform may tell it twice. */
async function greeting(flows: FlowTexts, person: 'ana' | 'bo' = 'ana'): Promise<readonly string[]> {
  const desk = await createDesk(flows);
  const { red } = desk;
  const event = { type: 'invited', id: 'I1', atMs: 1, person: red[person], place: red.here } as const;
  await desk.inbound.receive(event);
  await desk.inbound.receive(event);
  await desk.settle();
  return (await red.posts(red.here)).map(({ text }) => text);
}

const elsewhere = echo.replace('command: echo', 'command: far, in: ["red:#general"]');
const here = echo.replace('command: echo', 'command: near, in: ["red:#releases"]').replace('Echo', 'Near');
const byHand = echo.replace('{ type: command, command: echo }, ', '');

test('let into a conversation the bot says hello once, with the flows that can be started there', async () => {
  expect(await greeting({ echo, release, elsewhere, here, byHand, guarded })).toEqual([
    [
      'Hello! I run flows. You can start these here:',
      '',
      '- !echo: Echo. Says what it was told.',
      '- !release: Release notes',
      '- !near: Near. Says what it was told.',
      '',
      'Type /flow help for the rest.',
    ].join('\n'),
  ]);
});

test('it names the flows that only the person who let it in may start', async () => {
  expect(await greeting({ guarded }, 'bo')).toEqual([expect.stringContaining('- !guarded: Guarded')]);
});

test('it names ten flows and counts the others', async () => {
  const flows = Array.from({ length: 13 }, (_, at): [string, string] => [
    `echo${at}`,
    echo.replace('command: echo', `command: echo${at}`),
  ]);
  const [text = ''] = await greeting(Object.fromEntries(flows));
  expect(text.match(/^- !echo/gm)).toHaveLength(10);
  expect(text).toMatch(/- … and 3 more\n\nType \/flow help for the rest\.$/);
});

test.each<[string, FlowTexts]>([
  ['there are none', {}],
  ['this person may start none', { guarded }],
  ['they are started elsewhere or in other ways', { elsewhere, byHand }],
])('it says only how to begin when %s', async (_, flows) => {
  expect(await greeting(flows)).toEqual(['Hello! I run flows. Type /flow help to see what I can do.']);
});
