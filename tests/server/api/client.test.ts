import { describe, expect, test } from 'vitest';
import { createClient, FlowbotProblem, type RunEvent } from '../../../src/client/index.ts';
import { desk, open, restart, server, tokens } from './serving.ts';

const asking = `
conversation: "red:#releases"
input: { type: object, properties: { version: { type: string, title: Version } }, required: [version] }
triggers: [{ type: api }]
steps:
  review: { type: approval, title: Publish? }
  say: { type: message, text: "{{input.version}} is out" }
output: "{{input.version}}"
`;
const client = () => createClient({ url: `${server.url}/`, token: tokens[3]?.secret ?? '' });

describe('the client', () => {
  test('starts a run, follows it, answers its question and has its output', async () => {
    await open({ asking });
    const flowbot = client();
    const { id } = await flowbot.start('asking', { input: { version: '1.2' } });
    const names: string[] = [];
    const following = (async () => {
      for await (const { name } of flowbot.events(id)) names.push(name);
    })();
    await desk.settle();
    const [question] = await flowbot.questions();
    if (!question) throw new Error('Nothing is asked.');
    await flowbot.answer(question.id, { action: 'approve', covers: question.covers });
    await desk.settle();
    await following;
    expect(names.at(-1)).toBe('run:ended');
    expect(await flowbot.run(id)).toMatchObject({ ok: true, output: '1.2' });
    expect((await flowbot.runs({ flow: 'asking' })).runs).toHaveLength(1);
    expect((await flowbot.flows()).map((flow) => flow.id)).toEqual(['asking']);
  });

  test('goes on with the events over a restart of Flowbot', async () => {
    await open({ asking });
    const { id } = await client().start('asking', { prompt: '1.2' });
    await desk.settle();
    const seen: RunEvent[] = [];
    const stopping = new AbortController();
    const before = (async () => {
      for await (const event of client().events(id, { signal: stopping.signal })) {
        seen.push(event);
        if (event.name === 'approval:asked') break;
      }
    })();
    await before;
    await restart();
    await desk.settle();
    const after = seen.at(-1)?.id ?? '';
    const rest = (async () => {
      for await (const event of client().events(id, { after })) seen.push(event);
    })();
    await client().cancel(id);
    await desk.settle();
    await rest;
    expect(new Set(seen.map((event) => event.id)).size).toBe(seen.length);
    expect(seen.at(-1)).toMatchObject({ name: 'run:ended', status: 'cancelled' });
  });

  test('one key starts one run', async () => {
    await open({ asking });
    const start = () => client().start('asking', { prompt: '1', key: 'k' });
    expect((await start()).id).toBe((await start()).id);
  });

  test('a refusal is an error that says what to do', async () => {
    await open({ asking });
    const refused = await client()
      .start('asking')
      .catch((error: unknown) => error);
    if (!(refused instanceof FlowbotProblem)) throw new Error('It was not refused.');
    expect(refused).toMatchObject({
      status: 422,
      type: 'urn:flowbot:problem:does-not-fit',
      message: 'The input does not fit: Version is missing.',
      errors: [{ pointer: '/input/version', detail: 'Version is missing.' }],
    });
    await expect(createClient({ url: server.url, token: 'x' }).flows()).rejects.toThrow('not known');
  });
});
