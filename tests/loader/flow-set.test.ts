import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, test } from 'vitest';
import { planOf } from '../../src/engine/flow/bundle.ts';
import { loadFlowSet } from '../../src/loader/flow-set.ts';
import { foldersBeside, openSources, readSources } from '../../src/loader/sources.ts';
import { bareSurroundings } from '../fakes/outside.ts';

let root: string;
const surroundings = { ...bareSurroundings, platforms: ['playground'] };
const say = 'steps: { say: { type: template, text: hi } }\n';
const writer = 'runtime: scripted\nreplies: [{ reply: hello }]\n';

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'flowbot-'));
  await mkdir(join(root, 'flows'));
});
afterEach(() => rm(root, { recursive: true, force: true }));

async function write(files: Readonly<Record<string, string>>): Promise<void> {
  for (const [file, content] of Object.entries(files)) {
    await mkdir(dirname(join(root, file)), { recursive: true });
    await writeFile(join(root, file), content);
  }
}

/** Loads the folders; what is wrong has paths from there. */
async function load(files: Readonly<Record<string, string>>) {
  await write(files);
  const set = loadFlowSet(await openSources(foldersBeside(join(root, 'flows'))), surroundings);
  const short = (text: string) => text.replaceAll(`${root}/`, '');
  return {
    ids: set.flows.map(({ id }) => id),
    faults: set.broken.flatMap(({ faults }) => faults.map(short)),
    warnings: set.warnings.map(short),
    flows: set.flows,
  };
}

const using = (uses: string, more = '') => `steps: { go: { type: flow, uses: ${uses}${more} } }\n`;

describe('flows, agents and schemas of the folders', () => {
  it('are one set; a change of what a flow reaches is another version of it', async () => {
    const files = {
      'flows/outer.flow.yaml': using('inner', ', with: { n: 1 }'),
      'flows/inner.flow.yaml': `input: { $ref: ticket }\n${say}`,
      'schemas/ticket.schema.json':
        '{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}',
      'agents/writer.agent.yaml': writer,
    };
    const before = await load(files);
    expect(before).toMatchObject({ ids: ['inner', 'outer'], faults: [], warnings: [] });
    const after = await load({
      'schemas/ticket.schema.json': '{"type":"object","properties":{"n":{"type":"number"}}}',
    });
    expect(after.flows.map(({ version }) => version)).not.toEqual(before.flows.map(({ version }) => version));
    expect(before.flows[0]?.plan.input).toMatchObject({ properties: { n: { type: 'integer' } } });
  });

  test.each<[string, Record<string, string>, string[]]>([
    [
      'an unknown flow',
      { 'flows/a.flow.yaml': using('innr'), 'flows/inner.flow.yaml': say },
      [
        'flows/a.flow.yaml:1:28 error unknown-flow: steps.go.uses: there is no flow "innr". Did you mean "inner"?',
      ],
    ],
    [
      'a broken flow, also through another',
      {
        'flows/a.flow.yaml': using('b'),
        'flows/b.flow.yaml': using('c'),
        'flows/c.flow.yaml': 'steps: {}\n',
      },
      [
        "flows/a.flow.yaml:1:28 error broken-flow: steps.go.uses: the flow b can't be run, because flows/b.flow.yaml has faults. Mend that file.",
        "flows/b.flow.yaml:1:28 error broken-flow: steps.go.uses: the flow c can't be run, because flows/c.flow.yaml has faults. Mend that file.",
        'flows/c.flow.yaml:1:1 error limit: A flow needs at least one step. Add one under steps.',
      ],
    ],
    [
      'an item that the flow has under another name',
      {
        'flows/a.flow.yaml': `steps: { go: { type: map, over: [1], uses: b } }\n`,
        'flows/b.flow.yaml': `input: { type: object, properties: { size: {} }, required: [size] }\n${say}`,
      },
      [
        'flows/a.flow.yaml:1:38 error lane-input: steps.go: b needs size, which is not given. Write itemAs: size if it is the item, or size: under with:.',
      ],
    ],
    [
      'an input that can never fit',
      {
        'flows/a.flow.yaml': using('b', ', with: { size: big, colour: red, name: "{{run.id}}" }'),
        'flows/b.flow.yaml': `input: { type: object, properties: { size: { type: integer }, name: { type: integer }, to: {} }, required: [to] }\n${say}`,
      },
      [
        'flows/a.flow.yaml:1:28 error lane-input: steps.go: b needs to, which is not given. Write to: under with:.',
        'flows/a.flow.yaml:1:45 error lane-input: steps.go: size must be a whole number. See the input of b.',
        'flows/a.flow.yaml:1:56 error lane-input: steps.go: colour is not an input of b. Use one of: size, name, to.',
      ],
    ],
    [
      'an unknown agent',
      {
        'flows/a.flow.yaml': 'steps: { w: { type: agent, agent: writr, task: Write } }\n',
        'agents/writer.yaml': writer,
      },
      ['flows/a.flow.yaml:1:28 error unknown-agent: There is no agent "writr". Did you mean "writer"?'],
    ],
    [
      'an agent that needs what is not configured, also where no flow uses it',
      {
        'flows/a.flow.yaml': 'steps: { w: { type: agent, agent: writer, task: Write } }\n',
        'agents/writer.yaml':
          'runtime: openai\nmodel: m-1\napiKey: "{{secrets.KEY}}"\naccess:\n  files: [read]\n',
        'agents/unused.yaml': 'runtime: openai\nmodel: m-1\nbaseUrl: http://[::1]/\nfallback: writer\n',
      },
      [
        "flows/a.flow.yaml:1:28 error broken-agent: The agent writer can't be used: there are faults in its file. Mend that file.",
        "agents/unused.yaml:4:1 error broken-agent: The agent writer can't be used: there are faults in its file. Mend that file.",
        'agents/writer.yaml:3:1 error unknown-secret: The secret KEY is not set. Set FLOWBOT_SECRET_KEY.',
        'agents/writer.yaml:5:3 error unknown-server: There is no MCP server "files". Describe it under mcpServers in flowbot.yaml.',
      ],
    ],
    [
      'an agent that works elsewhere than the runs of the flow, and answers no prompts',
      {
        'flows/a.flow.yaml':
          'steps: { w: { type: agent, agent: coder, task: Code }, p: { type: llm, preset: coder, prompt: Code } }\n',
        'agents/coder.yaml': 'runtime: program\ncommand: [coder]\nworkspace: git\n',
      },
      [
        'flows/a.flow.yaml:1:28 error agent-workspace: The agent coder works in a workspace with git, and the runs of this flow have none. Write workspace: git on top of the flow, or name another agent.',
        "flows/a.flow.yaml:1:72 error agent-answers: The agent coder can't answer: its runtime program carries out tasks only. Name an agent with a model, or use a step of type agent.",
      ],
    ],
    [
      'no agent for prompts',
      { 'flows/a.flow.yaml': 'steps: { a: { type: llm, prompt: Write }, }\n', 'agents/writer.yaml': writer },
      [
        'flows/a.flow.yaml:1:10 error unknown-agent: There is no agent "default", which answers where preset: names no other. Name one under preset:, or put default.agent.yaml into the folder of agents.',
      ],
    ],
    [
      'the input of the run as a step',
      {
        'flows/a.flow.yaml': 'steps: { w: { type: agent, agent: writer, task: Write, inputs: [input] } }\n',
        'agents/writer.yaml': writer,
      },
      [
        'flows/a.flow.yaml:1:65 error value: steps.w.inputs[0]: "input" is no step. Name a step of this flow: a template step can hand on what {{input.…}}, {{start.…}} and {{run.…}} hold.',
      ],
    ],
    [
      'a schema that is broken',
      {
        'flows/a.flow.yaml': `input: { $ref: ticket }\n${say}`,
        'schemas/ticket.schema.yaml': 'type: objekt\n',
      },
      [
        "flows/a.flow.yaml:1:10 error broken-schema: The schema ticket can't be used: there are faults in its file. Mend that file.",
        expect.stringMatching(/^schemas\/ticket.schema.yaml:1:1 error schema: /),
      ],
    ],
    [
      'an unknown schema',
      {
        'flows/a.flow.yaml': `input: { $ref: tickt }\n${say}`,
        'schemas/ticket.schema.yaml': 'type: object\n',
      },
      ['flows/a.flow.yaml:1:10 error unknown-schema: There is no schema "tickt". Did you mean "ticket"?'],
    ],
    [
      'a file of another kind',
      { 'schemas/t.schema.yaml': 'apiVersion: flowbot/v1\nkind: Flow\nspec: {}\n' },
      [
        'schemas/t.schema.yaml:2:1 error kind: kind: the file holds something of kind Flow, and it stands among schemas. Put it into the other folder, or write kind: Schema.',
      ],
    ],
    [
      'two agents of one name',
      { 'agents/writer.yaml': writer, 'agents/other.agent.yaml': `name: Writer\n${writer}` },
      [expect.stringMatching(/^agents\/writer.yaml:1:1 error duplicate-agent: The agent writer stands in /)],
    ],
  ])('say what is wrong: %s', async (_, files, faults) => {
    expect((await load(files)).faults).toEqual(faults);
  });

  it('may run themselves, with a warning', async () => {
    const { ids, warnings } = await load({
      'flows/a.flow.yaml': using('b'),
      'flows/b.flow.yaml': using('a'),
    });
    expect(ids).toEqual(['a', 'b']);
    expect(warnings).toEqual([
      'flows/a.flow.yaml:1:28 warning lane-circle: steps.go.uses: b runs a again. Make sure that it ends: flows are nested 10 levels deep at most.',
      'flows/b.flow.yaml:1:28 warning lane-circle: steps.go.uses: a runs b again. Make sure that it ends: flows are nested 10 levels deep at most.',
    ]);
  });

  it('hold agents with their fallbacks, and not the fallbacks of those', async () => {
    const before = await load({
      'flows/a.flow.yaml': 'steps: { w: { type: agent, agent: writer, task: Write } }\n',
      'agents/writer.yaml': `${writer}fallback: second\n`,
      'agents/second.yaml': `${writer}fallback: third\n`,
      'agents/third.yaml': writer,
    });
    expect(before.faults).toEqual([]);
    const names = ['writer', 'second'];
    for (const { plan, definition } of before.flows) {
      expect([...plan.agents.keys()]).toEqual(names);
      expect(Object.keys(Object(definition).agents).toSorted()).toEqual(names.toSorted());
      expect(planOf(definition, undefined, surroundings.stepTypes).plan?.agents).toEqual(plan.agents);
    }
    const after = await load({ 'agents/second.yaml': `${writer}maxTurns: 3\n` });
    expect(after.flows.map(({ version }) => version)).not.toEqual(before.flows.map(({ version }) => version));
  });

  it('take replies from a file in the folder of agents, and from nowhere else', async () => {
    const agent = 'runtime: scripted\nreplies: replies/w.yaml\n';
    const flow = 'steps: { w: { type: agent, agent: w, task: Write } }\n';
    await write({ 'outside.yaml': '[{ reply: secret }]\n', 'agents/replies/none.txt': '' });
    await symlink(join(root, 'outside.yaml'), join(root, 'agents/replies/w.yaml'));
    const files = { 'agents/w.agent.yaml': agent, 'flows/a.flow.yaml': flow };
    expect((await load(files)).faults).toContain(
      'agents/w.agent.yaml:2:1 error replies-file: replies/w.yaml: This is a link to a place outside the folder. Put the file itself into the folder.',
    );
    await rm(join(root, 'agents/replies/w.yaml'));
    expect((await load({ 'agents/replies/w.yaml': '[{ delay: 1s }]\n' })).faults).toContainEqual(
      expect.stringMatching(/^agents\/w.agent.yaml:2:1 error value: replies\/w.yaml: replies/),
    );
    const { faults, flows } = await load({ 'agents/replies/w.yaml': '[{ reply: hello }]\n' });
    expect(faults).toEqual([]);
    expect(flows[0]?.definition).toMatchObject({ agents: { w: { replies: [{ reply: 'hello' }] } } });
  });
});

describe('a flow that is a module', () => {
  it('loads like any other, and its faults name their place in words', async () => {
    const { ids, faults } = await load({
      'flows/good.flow.ts':
        'const n: number = 1;\nexport default { steps: { say: { type: "template", text: String(n) } } };\n',
      'flows/bad.flow.ts': 'export default { steps: { say: { type: "templat" } } };\n',
    });
    expect(ids).toEqual(['good']);
    expect(faults).toEqual([
      'flows/bad.flow.ts:1:1 error unknown-type: steps.say: there is no step type "templat". Did you mean "template"?',
    ]);
  });

  test.each([
    ['throws', 'throw new Error("no luck");', "The module can't be run: no luck. Mend its code."],
    [
      'exports nothing',
      'export const a = 1;',
      'The module has no default export. Write export default flow({ … }).',
    ],
    ['exports code', 'export default { steps: { a: () => 1 } };', 'steps.a is a function, not plain data.'],
    [
      'exports a date',
      'export default { at: [new Date()] };',
      'at[0] is an object of a class, not plain data.',
    ],
    ['exports a circle', 'const a = {}; a.b = { a }; export default a;', 'b.a holds itself.'],
  ])('is broken when it %s', async (_, code, sentence) => {
    const { faults } = await load({ 'flows/m.flow.ts': code, 'flows/a.flow.yaml': say });
    expect(faults).toHaveLength(1);
    expect(faults[0]).toContain(`flows/m.flow.ts:1:1 error module: ${sentence}`);
  });

  it('stays as it was until the next start', async () => {
    await write({ 'flows/m.flow.ts': 'export default { steps: { a: { type: "template", text: "1" } } };\n' });
    const folders = foldersBeside(join(root, 'flows'));
    const { modules = [] } = await openSources(folders);
    await write({ 'flows/m.flow.ts': 'export default {};\n', 'flows/new.flow.ts': 'export default {};\n' });
    const set = loadFlowSet({ ...(await readSources(folders)), modules }, surroundings);
    expect(set.flows.map(({ id }) => id)).toEqual(['m']);
    expect(set.warnings).toEqual([
      expect.stringMatching(/warning module: .* has changed since\. Restart Flowbot\.$/),
    ]);
    expect(set.broken[0]?.faults).toEqual([
      expect.stringMatching(/This one came later\. Restart Flowbot\.$/),
    ]);
  });
});
