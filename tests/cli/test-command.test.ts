import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { allPassed, counts, fileLines, runTests } from '../../src/cli/test.ts';
import { bareSurroundings } from '../fakes/outside.ts';
import { askingFlow, brokenFlow, createHome, type Home, postingFlow } from './home.ts';

const asking = `
cases:
  - name: is published once it is approved
    prompt: "1.2"
    acts: [{ answer: approve }]
    expect: { status: succeeded, posts: [{ to: "#general", text: Release 1.2 }] }
  - name: is not published when it is rejected
    prompt: "1.2"
    acts: [{ answer: reject, comment: Not yet. }]
    expect: { status: rejected, posts: [] }
`;
const wrong = `
flow: posting
cases:
  - prompt: hi
    expect: { posts: ["Hello from bo: hi"] }
`;

describe('flowbot test', () => {
  let home: Home;
  const run = async (...paths: readonly string[]) => {
    const surroundings = { ...bareSurroundings, platforms: ['playground'] };
    const files = await runTests(
      paths.map((path) => join(home.folder, path)),
      join(home.folder, 'flows'),
      surroundings,
    );
    const lines = [...files.flatMap(fileLines), counts(files)];
    return { ok: allPassed(files), text: lines.join('\n').replaceAll(`${home.folder}/`, '') };
  };

  beforeAll(() => {
    home = createHome();
    for (const [file, text] of [
      ['flows/asking.flow.yaml', askingFlow],
      ['flows/posting.flow.yaml', postingFlow],
      ['flows/asking.test.yaml', asking],
      ['wrong/posting.flow.yaml', postingFlow],
      ['wrong/asking.flow.yaml', askingFlow],
      ['wrong/asking.test.yaml', asking],
      ['wrong/posting.test.yml', wrong],
      ['faulty/broken.flow.yaml', brokenFlow],
      ['faulty/broken.test.yaml', asking],
      ['faulty/asking.flow.yaml', askingFlow],
      [
        'faulty/asking.test.yaml',
        'cases: [{ fakes: { drat: { text: x } } }, { acts: [{ step: reviw, answer: approve }] }]',
      ],
      ['faulty/other.test.yaml', 'cases: [{ expects: {} }]'],
      [
        'team/flows/notes.flow.yaml',
        'steps: { write: { type: agent, agent: writer, task: Write., reply: { format: json, fields: { title: { type: string } } }, writes: notes } }',
      ],
      ['team/agents/writer.yaml', 'runtime: scripted\nreplies: [{ reply: Never. }]'],
      [
        'team/schemas/notes.schema.json',
        '{ "type": "object", "properties": { "title": { "maxLength": 5 } } }',
      ],
      [
        'team/flows/notes.test.yaml',
        'cases: [{ fakes: { write: { reply: { title: Short } } }, expect: { outputs: { write: { title: Short } } } }, { fakes: { write: { reply: { title: Too long } } }, expect: { status: failed } }]',
      ],
      ['empty/notes.txt', ''],
    ] as const) {
      const path = join(home.folder, file);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, text);
    }
  });
  afterAll(() => home.close());

  it('runs all test files of the folder, and prints a line for each case', async () => {
    const before = readdirSync(home.folder, { recursive: true });
    expect(await run()).toEqual({
      ok: true,
      text: `flows/asking.test.yaml
  ✓ is published once it is approved
  ✓ is not published when it is rejected
2 cases passed.`,
    });
    expect(readdirSync(home.folder, { recursive: true })).toEqual(before);
  });

  it('shows what is other than expected', async () => {
    expect(await run('wrong')).toEqual({
      ok: false,
      text: `wrong/asking.test.yaml
  ✓ is published once it is approved
  ✓ is not published when it is rejected
wrong/posting.test.yml
  ✗ case 1
      posts 1 text
        - Hello from bo: hi
        + Hello from ana: hi
1 of 3 cases failed.`,
    });
  });

  it('tells all faults of test files and flows with their places, and runs nothing of those', async () => {
    const { ok, text } = await run('faulty', 'flows');
    expect(ok).toBe(false);
    expect(text).toBe(`faulty/asking.test.yaml
  faulty/asking.test.yaml:1:20 error unknown-step: There is no step "drat" in asking. Did you mean "draft"?
  faulty/asking.test.yaml:1:54 error unknown-step: There is no step "reviw" in asking. Did you mean "review"?
faulty/broken.test.yaml
  faulty/broken.test.yaml:2:1 error unknown-flow: There is no flow "broken" beside this file that can be loaded. Use one of: asking.
  faulty/broken.flow.yaml:3:12 error unknown-type: steps.draft: there is no step type "templat". Did you mean "template"?
  faulty/broken.flow.yaml:4:57 error unknown-key: steps.post has no key "colour". Use one of: to, text, mention, onRound, type, name, runWhen, attempts, firstRetryAfter, timeout, cache.
faulty/other.test.yaml
  faulty/other.test.yaml:1:11 error unknown-key: cases[0] has no key "expects". Did you mean "expect"?
flows/asking.test.yaml
  ✓ is published once it is approved
  ✓ is not published when it is rejected
2 cases passed. 3 files can't be run.`);
  });

  it.each([
    ['flows with agents and schemas beside them', ['team/flows'], true, '2 cases passed.'],
    ['a file named twice', ['flows/asking.test.yaml', 'flows'], true, '2 cases passed.'],
    [
      'a folder without tests',
      ['empty'],
      true,
      'There are no tests here: the names of test files end with .test.yaml.',
    ],
    [
      'a flow',
      ['flows/asking.flow.yaml'],
      false,
      'This is no test file: the names of test files end with .test.yaml.',
    ],
    ['what is not there', ['nowhere'], false, "It can't be read (ENOENT): check the path."],
  ])('%s', async (_, paths, ok, text) => {
    const result = await run(...paths);
    expect(result.ok).toBe(ok);
    expect(result.text).toContain(text);
  });

  it('is typed as the other commands, with exit codes and JSON', async () => {
    expect(await home.type('test')).toEqual({
      code: 0,
      out: expect.stringContaining('2 cases passed.\n'),
      err: '',
    });
    const { code, out } = await home.type('test', 'wrong/posting.test.yml', '--json');
    expect({ code, result: JSON.parse(out) }).toEqual({
      code: 1,
      result: {
        ok: false,
        files: [
          {
            file: 'wrong/posting.test.yml',
            flow: 'posting',
            faults: [],
            cases: [
              {
                name: 'case 1',
                ok: false,
                problems: [],
                differences: [
                  { what: 'posts 1 text', lines: ['- Hello from bo: hi', '+ Hello from ana: hi'] },
                ],
              },
            ],
          },
        ],
      },
    });
    expect((await home.type('test', '--jason')).code).toBe(2);
  });
});
