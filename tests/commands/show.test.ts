import { beforeEach, describe, expect, test } from 'vitest';
import { answerRequest } from '../../src/cli/answer.ts';
import { runChatCommand } from '../../src/commands/table.ts';
import { compose } from '../../src/render/markdown/index.ts';
import { createDesk, type Desk } from './desk.ts';

const notes = `
name: Release notes
description: Writes the notes of a release.
triggers: [{ type: command, command: notes }, { type: manual }]
steps: { draft: { type: agent, agent: writer, task: Write. } }
`;
const plain = 'triggers: [{ type: manual }]\nsteps: { say: { type: template, text: hello } }\n';
const writer = 'runtime: scripted\nmodel: m-1\nfallback: spare\nreplies: [{ reply: Hello. }]\n';
const spare = 'runtime: scripted\nreplies: [{ reply: Hello. }]\n';

let desk: Desk;
beforeEach(async () => {
  desk = await createDesk({ notes, plain }, undefined, [], { writer, spare });
});

describe('/flow show', () => {
  test('tells how a flow starts, and what its agents and their fallbacks are and may do', async () => {
    const { text } = await desk.red.flow(desk.red.ana, 'show Notes');
    for (const part of [
      'Release notes',
      'Writes the notes of a release.',
      'Starts: !notes or /flow run notes',
      'writer',
      'scripted, model m-1; may call no tools; falls back to spare',
      'spare',
      'today (UTC)',
    ]) {
      expect(text).toContain(part);
    }
  });

  test('comes with a picture', async () => {
    const { files } = await desk.red.flow(desk.red.ana, 'show Notes');
    expect(files).toEqual([{ name: 'notes.png', alt: 'Flow Release notes' }]);
  });

  test('tells of no agents where there are none', async () => {
    const { text } = await desk.red.flow(desk.red.ana, 'show plain');
    expect(text).toContain('Starts: /flow run plain');
    expect(text).not.toContain('agents');
  });

  test.each([
    ['show', 'Say which flow. /flow list shows them.'],
    ['show note', 'There is no flow note. Did you mean notes?'],
  ])('%s is answered with what to say instead', async (typed, answer) => {
    expect((await desk.red.flow(desk.red.ana, typed)).text).toBe(answer);
  });
});

test('a picture that can’t be made is logged, and the words come alone', async () => {
  const { bot, red, log } = desk;
  const fails = async () => Promise.reject(new Error('too large'));
  const caller = { person: red.ana, place: red.here, event: 'x', atMs: 0 };
  const drawings = { flow: fails, run: fails, forPage: fails };
  const { ok, content } = await runChatCommand({ ...bot, drawings }, caller, 'show notes');
  expect({ ok, files: content.files }).toEqual({ ok: true, files: [] });
  expect(compose(content.prose)).toContain('Writes the notes of a release.');
  expect(log.lines).toMatchObject([
    { level: 'error', message: 'A picture could not be made.', data: { flow: 'notes' } },
  ]);
});

test('flowbot show tells the same of a flow, and as data', async () => {
  const person = { platform: 'cli', id: 'root', name: 'root' } as const;
  const command = { kind: 'show', run: 'notes' } as const;
  const { ok, text, data } = await answerRequest(desk.bot, { person, event: 'show', command });
  expect({ ok, text }).toMatchObject({ ok: true, text: expect.stringContaining('falls back to spare') });
  expect(data).toMatchObject({
    id: 'notes',
    name: 'Release notes',
    agents: [
      { name: 'writer', runtime: 'scripted', model: 'm-1', fallback: 'spare', access: {} },
      { name: 'spare', runtime: 'scripted', model: null, workspace: 'none' },
    ],
    usage: { flow: 'notes' },
  });
});
