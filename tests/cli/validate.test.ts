import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { summary, validate } from '../../src/cli/validate.ts';
import { bareSurroundings } from '../fakes/outside.ts';
import { askingFlow, brokenFlow, createHome, type Home, postingFlow } from './home.ts';

const doubtfulFlow = 'steps:\n  post: { type: message, to: "slack:#general", text: "Hello" }\n';

describe('flowbot validate', () => {
  let home: Home;
  const faultsOf = (file: string) => [
    `${file}:3:12 error unknown-type: steps.draft: there is no step type "templat". Did you mean "template"?`,
    `${file}:4:57 error unknown-key: steps.post has no key "colour". Use one of: to, text, mention, onRound, type, name, runWhen, attempts, firstRetryAfter, timeout, cache.`,
  ];

  beforeAll(() => {
    home = createHome();
    for (const [file, text] of [
      ['flows/asking.flow.yaml', askingFlow],
      ['flows/posting.flow.yaml', postingFlow],
      ['mixed/asking.flow.yaml', askingFlow],
      ['mixed/broken.flow.yaml', brokenFlow],
      ['mixed/doubtful.flow.yaml', doubtfulFlow],
      ['mixed/notes.txt', ''],
      ['empty/notes.txt', ''],
      ['other/flows/writes.flow.yaml', 'steps: { write: { type: agent, agent: pen, task: Write. } }\n'],
      ['other/agents/pen.agent.yaml', 'runtime: scripted\nreplies: [{ reply: Written. }]\n'],
      ['other/agents/odd.agent.yaml', 'runtime: scripted\n'],
      ['nested/outer.flow.yaml', 'steps: { go: { type: flow, uses: inner } }\n'],
      ['nested/inner.flow.yaml', 'steps: { say: { type: template, text: hi } }\n'],
    ] as const) {
      const path = join(home.folder, file);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, text);
    }
  });
  afterAll(() => home.close());

  it('finds the flows of the folder sound, without making a database', async () => {
    expect(await home.type('validate')).toEqual({ code: 0, out: '2 flows are sound.\n', err: '' });
    expect(existsSync(dirname(home.db))).toBe(false);
  });

  it('prints every fault and warning with its place, then how many files are bad', async () => {
    expect(await home.type('validate', 'mixed')).toEqual({
      code: 1,
      out: `${[
        ...faultsOf('mixed/broken.flow.yaml'),
        "mixed/doubtful.flow.yaml:2:26 warning platform: slack:#general can't be reached: Flowbot is not connected to slack. Connect it, or name another conversation.",
        "1 of 3 files can't be loaded.",
      ].join('\n')}\n`,
      err: '',
    });
  });

  it.each([
    ['a folder', 'other/flows'],
    ['a file', 'other/flows/writes.flow.yaml'],
  ])('checks %s of another place with the agents beside it', async (_, path) => {
    const { out } = await home.type('validate', path);
    expect(out).not.toContain('unknown-agent');
  });

  it('names agent files as people would type them, and tells what agents may do', async () => {
    expect((await home.type('validate', 'other/flows')).out).toBe(
      'other/agents/odd.agent.yaml:1:1 error missing: replies: A scripted agent says only what stands here. Write a list, or the file beside it with one.\n' +
        'agent pen: scripted; may call no tools\n' +
        "1 of 2 files can't be loaded.\n",
    );
  });

  it('prints the same as JSON', async () => {
    const { code, out } = await home.type('validate', 'mixed', '--json');
    expect({ code, result: JSON.parse(out) }).toEqual({
      code: 1,
      result: {
        ok: false,
        flows: [
          { id: 'asking', file: 'mixed/asking.flow.yaml' },
          { id: 'doubtful', file: 'mixed/doubtful.flow.yaml' },
        ],
        broken: [{ file: 'mixed/broken.flow.yaml', faults: faultsOf('mixed/broken.flow.yaml') }],
        warnings: [expect.stringContaining('mixed/doubtful.flow.yaml:2:')],
      },
    });
  });

  it.each([
    ['one sound file', ['flows/asking.flow.yaml'], '1 flow is sound.', []],
    ['a file named twice', ['flows/asking.flow.yaml', 'flows/asking.flow.yaml'], '1 flow is sound.', []],
    ['files of two folders', ['flows/posting.flow.yaml', 'mixed/asking.flow.yaml'], '2 flows are sound.', []],
    [
      'two folders with the same flows in them',
      ['flows', 'mixed'],
      "1 of 5 files can't be loaded.",
      ['unknown-type', 'unknown-key'],
    ],
    [
      'two files with one id',
      ['flows/asking.flow.yaml', 'mixed/asking.flow.yaml'],
      "1 of 2 files can't be loaded.",
      ['duplicate-flow'],
    ],
    ['a file that runs another one beside it', ['nested/outer.flow.yaml'], '1 flow is sound.', []],
    ['a folder without flows', ['empty'], 'There are no flow files here.', []],
    ['a file that is no flow', ['mixed/notes.txt'], "1 of 1 file can't be loaded.", ['file']],
    ['a path that leads nowhere', ['nowhere/x.flow.yaml'], "1 of 1 file can't be loaded.", ['file']],
    ['no path and no folder', [], "1 of 1 file can't be loaded.", ['file']],
  ])('checks %s', async (_, paths, sentence, rules) => {
    const inHome = paths.map((path) => join(home.folder, path));
    const surroundings = { ...bareSurroundings, platforms: ['playground'] };
    const result = await validate(inHome, join(home.folder, 'missing'), surroundings);
    expect(summary(result)).toBe(sentence);
    const faults = result.broken.flatMap((file) => file.faults);
    expect(faults.map((fault) => /error ([a-z-]+):/.exec(fault)?.[1])).toEqual(rules);
  });
});
