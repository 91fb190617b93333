import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { parseDefinition } from '../../../src/engine/flow/definition.ts';
import type { Json, JsonObject } from '../../../src/engine/json.ts';

const say = { type: 'message', to: 'slack:#releases', text: 'Hello' };
const ask = { type: 'approval' };

/** The faults of a flow as people read them. */
function faultsOf(data: Json, fallbackId = 'release'): readonly string[] {
  return parseDefinition(data, fallbackId).faults.map(
    (fault) =>
      `${fault.rule} | ${fault.path.join('.')} | ${fault.message}${fault.fix ? ` | ${fault.fix}` : ''}`,
  );
}

function definitionOf(data: Json) {
  const { definition, faults } = parseDefinition(data, 'release');
  expect(faults).toEqual([]);
  if (!definition) throw new Error('no definition');
  return definition;
}

describe('a flow', () => {
  it('needs only steps', () => {
    const flow = definitionOf({ steps: { hello: say } });
    expect(flow).toMatchObject({
      id: 'release',
      name: 'release',
      enabled: true,
      maxParallel: 2,
      triggers: [],
      alerts: [0.75, 0.9],
      workspace: 'none',
    });
    expect(flow.budget).toBeUndefined();
    expect(flow.edges).toBeUndefined();
    expect(flow.steps.get('hello')).toMatchObject({
      id: 'hello',
      name: 'hello',
      type: 'message',
      runWhen: 'any',
      attempts: 1,
      firstRetryAfterMs: 2000,
    });
  });

  it('arrives with everything that is written', () => {
    const flow = definitionOf({
      id: 'notes',
      name: 'Release notes',
      description: 'Drafts them.',
      enabled: false,
      allow: { users: ['slack:U0ANA'] },
      input: { type: 'object', properties: { version: { type: 'string' } } },
      conversation: 'discord:Our Server/#releases',
      instructions: 'Be short.',
      timeout: '2h',
      maxParallel: 3,
      triggers: [{ type: 'command', command: 'Release', in: ['slack:#releases'] }, { type: 'manual' }],
      steps: {
        hello: {
          ...say,
          name: 'Say hello',
          runWhen: 'all',
          attempts: 3,
          firstRetryAfter: '5s',
        },
        fetch: { type: 'http', url: 'https://api.example.com/', timeout: '1m' },
      },
      edges: ['start -> hello'],
      output: { id: '{{hello.json.messageId}}' },
    });
    expect(flow).toMatchObject({
      id: 'notes',
      name: 'Release notes',
      allow: { users: ['slack:U0ANA'], roles: [] },
      conversation: 'discord:Our Server/#releases',
      timeoutMs: 7_200_000,
      triggers: [{ type: 'command', command: 'release', in: ['slack:#releases'] }, { type: 'manual' }],
      output: { id: '{{hello.json.messageId}}' },
    });
    expect(flow.steps.get('hello')).toMatchObject({
      name: 'Say hello',
      runWhen: 'all',
      attempts: 3,
      firstRetryAfterMs: 5000,
    });
    expect(flow.steps.get('fetch')?.timeoutMs).toBe(60_000);
  });

  it('may be wrapped in an envelope', () => {
    const flow = definitionOf({
      apiVersion: 'flowbot/v1',
      kind: 'Flow',
      metadata: { name: 'notes', description: 'Drafts them.', labels: { team: 'docs' } },
      spec: { steps: { hello: say } },
    });
    expect(flow).toMatchObject({ id: 'notes', description: 'Drafts them.' });
  });

  it('is the same with ui keys anywhere', () => {
    const plain = {
      triggers: [{ type: 'manual' }],
      steps: { a: say, b: say },
      edges: [{ from: 'a', to: 'b' }],
    };
    const drawn = {
      ui: { zoom: 2 },
      triggers: [{ type: 'manual', ui: 1 }],
      steps: { a: { ...say, ui: { x: 1 } }, b: say },
      edges: [{ from: 'a', to: 'b', ui: null }],
    };
    expect(definitionOf(drawn)).toEqual(definitionOf(plain));
  });

  it('keeps a field of the input that is called ui', () => {
    const input = { type: 'object', properties: { ui: { type: 'string' } } };
    expect(definitionOf({ input, steps: { hello: say } }).input).toEqual(input);
  });
});

describe('edges', () => {
  const steps = { a: say, b: ask, c: say };
  const edgesOf = (...edges: Json[]) =>
    definitionOf({ steps, edges }).edges?.map(({ path: _, ...edge }) => edge);
  const plain = { sendBack: false, feedback: false, maxRounds: 10 };

  test.each<[string, Json, readonly object[]]>([
    ['an arrow', 'a -> b', [{ from: 'a', to: 'b', ...plain }]],
    ['an exit', 'b.approved->c', [{ from: 'b', exit: 'approved', to: 'c', ...plain }]],
    [
      'a chain',
      'start -> a -> b.approved -> c',
      [
        { from: 'start', to: 'a', ...plain },
        { from: 'a', to: 'b', ...plain },
        { from: 'b', exit: 'approved', to: 'c', ...plain },
      ],
    ],
    [
      'a list',
      { from: ['a', 'b.approved'], to: 'c' },
      [
        { from: 'a', to: 'c', ...plain },
        { from: 'b', exit: 'approved', to: 'c', ...plain },
      ],
    ],
    [
      'a send-back',
      { from: 'b.rejected', to: 'a', sendBack: true, feedback: true, maxRounds: 5 },
      [{ from: 'b', exit: 'rejected', to: 'a', sendBack: true, feedback: true, maxRounds: 5 }],
    ],
    [
      'a condition',
      { from: 'a', to: 'c', when: { path: 'verdict', op: 'eq', value: 'ok' } },
      [
        {
          from: 'a',
          to: 'c',
          ...plain,
          when: {
            join: 'all',
            rules: [{ step: 'a', path: ['json', 'verdict'], operator: 'is', value: 'ok' }],
          },
        },
      ],
    ],
  ])('can be %s', (_, edge, expected) => {
    expect(edgesOf(edge)).toEqual(expected);
  });

  test.each<[Json, string]>([
    [
      'a',
      'edge | edges.0 | edges[0]: "a" has no arrow. | Write "a -> b", "a.exit -> b", or a chain "a -> b -> c".',
    ],
    [
      'a -> b.approved',
      'edge | edges.0 | edges[0]: "a -> b.approved" ends with an exit; an edge leads to a step. | Write "a -> b", "a.exit -> b", or a chain "a -> b -> c".',
    ],
    [
      'a -> start',
      'edge | edges.0 | edges[0]: "a -> start" leads to start; nothing comes before it. | Write "a -> b", "a.exit -> b", or a chain "a -> b -> c".',
    ],
    ['start.done -> a', 'edge | edges.0 | edges[0]: start has no exits. | Write "start -> step".'],
    [
      'a -> b-2',
      'edge | edges.0 | edges[0]: "b-2" can\'t be a step\'s id. | Use a letter, then letters, digits and _, at most 64.',
    ],
    [7, 'type | edges.0 | edges[0] must be an object, not 7.'],
    [{ from: 'a' }, 'value | edges.0 | edges[0]: The edge leads nowhere. | Add to: and the id of a step.'],
    [{ to: 'a' }, 'missing | edges.0.from | edges[0].from is missing.'],
    [
      { from: 'a', to: 'b.x' },
      'value | edges.0.to | edges[0].to: "b.x" can\'t be a step\'s id. | Use a letter, then letters, digits and _, at most 64.',
    ],
    [
      { from: 'a', to: 'c', sendback: true },
      'unknown-key | edges.0.sendback | edges[0] has no key "sendback". | Did you mean "sendBack"?',
    ],
    [
      { from: 'a', to: 'c', maxRounds: 3 },
      'value | edges.0.maxRounds | edges[0].maxRounds: only a send-back edge has it. | Add sendBack: true.',
    ],
    [
      { from: 'a', to: 'c', sendBack: true, maxRounds: 11 },
      'limit | edges.0.maxRounds | edges[0].maxRounds must be at most 10, not 11.',
    ],
    [
      { from: 'a', to: 'c', sendBack: true, maxRounds: 0 },
      'limit | edges.0.maxRounds | edges[0].maxRounds must be at least 1, not 0.',
    ],
  ])('%j is refused with a reason', (edge, fault) => {
    expect(faultsOf({ steps, edges: [edge] })).toEqual([fault]);
  });
});

describe('mistakes are named with their place and how to mend them', () => {
  const flow = (changes: JsonObject): JsonObject => ({ steps: { hello: say }, ...changes });
  const step = (changes: JsonObject): JsonObject => ({ steps: { hello: { ...say, ...changes } } });

  test.each<[string, Json, string]>([
    ['a list', [], 'type |  | A flow is an object with steps. | Begin with "steps:".'],
    ['nothing', null, 'type |  | A flow is an object with steps. | Begin with "steps:".'],
    ['no steps', {}, 'missing | steps | steps is missing. | Give it an object.'],
    [
      'an empty object of steps',
      { steps: {} },
      'limit | steps | A flow needs at least one step. | Add one under steps.',
    ],
    ['a list of steps', { steps: [] }, 'type | steps | steps must be an object, not a list.'],
    [
      'a misspelt key',
      flow({ trigers: [] }),
      'unknown-key | trigers | The flow has no key "trigers". | Did you mean "triggers"?',
    ],
    [
      'a long name',
      flow({ name: 'n'.repeat(121) }),
      'limit | name | name must be at most 120 characters long, not 121.',
    ],
    ['an empty name', flow({ name: '' }), 'limit | name | name must not be empty.'],
    [
      'a number as name',
      flow({ name: 1.1 }),
      'type | name | name must be text, not 1.1. | Put it in quotes.',
    ],
    [
      'a bad id',
      flow({ id: 'my flow' }),
      'value | id | id: "my flow" can\'t be a flow\'s id. | Use a letter, then letters, digits, _ and -, at most 64.',
    ],
    [
      'C71 a reserved id',
      flow({ id: 'help' }),
      'value | id | id: A flow can\'t be called "help": it is a word of the chat command. | Call it "help-flow", for example.',
    ],
    [
      'too many at once',
      flow({ maxParallel: 0 }),
      'limit | maxParallel | maxParallel must be at least 1, not 0.',
    ],
    [
      'a bare number as time',
      flow({ timeout: 30 }),
      'type | timeout | timeout: 30 has no unit. | Write 30s for seconds, or 30m for minutes.',
    ],
    [
      'an unqualified person',
      flow({ allow: { users: ['ana'] } }),
      'value | allow.users.0 | allow.users[0]: "ana" is not a person. | Write the platform and the id of the person, such as "slack:U0ANA"; names can be taken by others.',
    ],
    [
      'nobody',
      flow({ allow: { users: [] } }),
      'value | allow | allow: nobody could start the flow. | Name somebody, or remove allow: then anyone in the conversation may.',
    ],
    [
      'a placeholder as conversation',
      flow({ conversation: 'slack:#{{input.c}}' }),
      'value | conversation | conversation: "slack:#{{input.c}}" holds a placeholder; where something is posted is fixed. | Name the conversation, such as "slack:#releases".',
    ],
    ['a text as input', flow({ input: 'x' }), 'type | input | input must be an object, not "x".'],
    [
      'an input that is no object',
      flow({ input: { type: 'string' } }),
      'input-schema | input.type | An input has an object on top. | Write type: object, and the fields under properties.',
    ],
    [
      'an unknown trigger',
      flow({ triggers: [{ type: 'cron' }] }),
      'value | triggers.0.type | triggers[0].type can\'t be "cron". | Use one of: command, schedule, manual, webhook, api, mcp.',
    ],
    [
      'a misspelt trigger key',
      flow({ triggers: [{ type: 'command', comand: 'x' }] }),
      'missing | triggers.0.command | triggers[0].command is missing. | Give it text.',
    ],
    [
      'two words',
      flow({ triggers: [{ type: 'command', command: 'pack deploy' }] }),
      'value | triggers.0.command | triggers[0].command: "pack deploy" is not one word. | Use letters, digits, "-" and "_", at most 64, without the sign in front.',
    ],
    [
      'C71 a reserved word',
      flow({ triggers: [{ type: 'command', command: 'Status' }] }),
      'value | triggers.0.command | triggers[0].command: "status" is a word of the chat command itself. | Choose another, such as "status-it".',
    ],
    [
      'a key of another trigger',
      flow({ triggers: [{ type: 'manual', command: 'x' }] }),
      'unknown-key | triggers.0.command | triggers[0] has no key "command". | Use one of: type.',
    ],
    [
      'no type',
      { steps: { a: {} } },
      'missing | steps.a | steps.a has no type. | Add type: and one of message, approval, http, condition, join, template, wait, agent, llm, decision, script, flow, map, tool, history.',
    ],
    [
      'a misspelt type',
      { steps: { a: { type: 'mesage' } } },
      'unknown-type | steps.a.type | steps.a: there is no step type "mesage". | Did you mean "message"?',
    ],
    [
      'a text as step',
      { steps: { a: 'message' } },
      'type | steps.a | steps.a must be an object with a type. | For example { type: message, … }.',
    ],
    [
      'a reserved step id',
      { steps: { input: say } },
      'step-id | steps.input | A step can\'t be called "input": placeholders use that word. | Call it "inputStep", for example.',
    ],
    [
      'a dash in a step id',
      { steps: { 'a-b': say } },
      'step-id | steps.a-b | "a-b" can\'t be a step\'s id. | Use a letter, then letters, digits and _, at most 64.',
    ],
    [
      'a misspelt step key',
      step({ atempts: 2 }),
      'unknown-key | steps.hello.atempts | steps.hello has no key "atempts". | Did you mean "attempts"?',
    ],
    [
      'too many attempts',
      step({ attempts: 6 }),
      'limit | steps.hello.attempts | steps.hello.attempts must be at most 5, not 6.',
    ],
    [
      'half an attempt',
      step({ attempts: 1.5 }),
      'type | steps.hello.attempts | steps.hello.attempts must be a whole number, not 1.5.',
    ],
    [
      'no attempt',
      step({ attempts: 0 }),
      'limit | steps.hello.attempts | steps.hello.attempts must be at least 1, not 0.',
    ],
    [
      'a late first retry',
      step({ firstRetryAfter: '2m' }),
      'value | steps.hello.firstRetryAfter | steps.hello.firstRetryAfter: The first retry can wait 60s at most. | Write 60s or less.',
    ],
    [
      'a long step name',
      step({ name: 'n'.repeat(121) }),
      'limit | steps.hello.name | steps.hello.name must be at most 120 characters long, not 121.',
    ],
    [
      'attempts of an approval',
      { steps: { a: { ...ask, attempts: 2 } } },
      'refused-key | steps.a.attempts | steps.a: approval steps have no attempts. People are asked once; send work back for another round. | Remove it.',
    ],
    [
      'runWhen of a join',
      { steps: { a: { type: 'join', runWhen: 'any' } } },
      'refused-key | steps.a.runWhen | steps.a: join steps have no runWhen. A join always waits for every branch. | Remove it.',
    ],
    [
      'another kind',
      { apiVersion: 'flowbot/v1', kind: 'Agent', spec: { steps: { hello: say } } },
      'value | kind | kind can\'t be "Agent". | Use one of: Flow.',
    ],
  ])('%s', (_, data, fault) => {
    expect(faultsOf(data)).toContain(fault);
  });

  it('all of them at once', () => {
    const data = {
      nam: 'x',
      maxParallel: 0,
      triggers: [{ type: 'x' }],
      steps: { a: { type: 'x' }, 'b-c': { ...say, attempts: 9 } },
      edges: ['a', 'b'],
    };
    expect(parseDefinition(data, 'release').faults.map((fault) => fault.path.join('.'))).toEqual([
      'maxParallel',
      'triggers.0.type',
      'nam',
      'steps.a.type',
      'steps.b-c',
      'steps.b-c.attempts',
      'edges.0',
      'edges.1',
    ]);
  });

  it('a file name that is no id asks for another', () => {
    expect(faultsOf({ steps: { hello: say } }, 'my flow')).toEqual([
      'flow-id |  | "my flow" can\'t be a flow\'s id. | Write id: with another, or rename the file. Use a letter, then letters, digits, _ and -, at most 64.',
    ]);
  });

  it('one broken key does not hide the others from the compiler', () => {
    const data = { name: 7, conversation: 'slack:#a', input: { type: 'text' }, steps: { a: say } };
    const { definition } = parseDefinition(data, 'release');
    expect(definition).toMatchObject({ name: 'release', conversation: 'slack:#a', input: { type: 'text' } });
  });

  it('a flow with a broken step can still be compiled for its other faults', () => {
    const { definition } = parseDefinition(
      { steps: { a: { type: 'mesage' }, b: say }, edges: ['a -> b'] },
      'release',
    );
    expect(definition?.steps.get('a')?.body).toBeUndefined();
    expect(definition?.steps.get('b')?.body?.type.type).toBe('message');
  });
});

describe('limits', () => {
  const many = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`s${index}`, say]));
  const agent = { type: 'agent', agent: 'writer', task: 'Write.' };
  const agentStep = (changes: JsonObject): JsonObject => ({
    steps: { ...many(17), a: { ...agent, ...changes } },
  });
  const fields = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`f${index}`, { type: 'string' }]));
  const ids = (count: number) => Object.keys(many(count));

  test.each<[string, Json, Json, string]>([
    ['500 steps', { steps: many(500) }, { steps: many(501) }, 'A flow has at most 500 steps, not 501.'],
    [
      '2,000 edges',
      { steps: many(2), edges: Array(2000).fill('s0 -> s1') },
      { steps: many(2), edges: Array(1000).fill('s0 -> s1 -> s0 -> s1') },
      'A flow has at most 2,000 edges.',
    ],
    [
      '16 inputs of a step',
      agentStep({ inputs: ids(16) }),
      agentStep({ inputs: ids(17) }),
      'steps.a.inputs must be at most 16 items long, not 17.',
    ],
    [
      '20,000 characters of a task',
      agentStep({ task: 'x'.repeat(20_000) }),
      agentStep({ task: 'x'.repeat(20_001) }),
      'steps.a.task must be at most 20,000 characters long, not 20,001.',
    ],
    [
      '32 fields of a reply',
      agentStep({ reply: { format: 'json', fields: fields(32) } }),
      agentStep({ reply: { format: 'json', fields: fields(33) } }),
      'steps.a.reply.fields: there are more than 32 fields.',
    ],
    [
      '64 levels',
      { steps: { t: { type: 'template', data: nested(50) } } },
      { steps: { t: { type: 'template', data: nested(70) } } },
      'The flow is nested more than 64 levels deep.',
    ],
    [
      '360 minutes of an agent',
      agentStep({ timeout: '360m' }),
      agentStep({ timeout: '361m' }),
      'steps.a.timeout must be between 1 minute and 6 hours, not 6 hours 1 minute.',
    ],
    [
      '1 minute of an agent',
      agentStep({ timeout: '1m' }),
      agentStep({ timeout: '59s' }),
      'steps.a.timeout must be between 1 minute and 6 hours, not 59 seconds.',
    ],
  ])('%s', (_, most, tooMany, message) => {
    expect(faultsOf(most)).toEqual([]);
    expect(faultsOf(tooMany).join('\n')).toContain(message);
  });

  function nested(levels: number): Json {
    return Array.from({ length: levels }).reduce<Json>((inner) => [inner], 'x');
  }
});

describe('programs and MCP clients', () => {
  const flow = (changes: JsonObject): JsonObject => ({ steps: { hello: say, b: say }, ...changes });
  const triggersOf = (changes: JsonObject) =>
    parseDefinition(flow(changes), 'test').definition?.triggers.map(({ type }) => type);

  test.each<[string, JsonObject, readonly string[]]>([
    ['a flow is for MCP clients where it says so', { mcp: true }, ['mcp']],
    ['or by a trigger', { triggers: [{ type: 'mcp' }] }, ['mcp']],
    ['saying it twice changes nothing', { mcp: true, triggers: [{ type: 'mcp' }] }, ['mcp']],
    ['a flow is for programs by a trigger', { triggers: [{ type: 'api' }] }, ['api']],
    ['and for neither otherwise', { mcp: false, triggers: [{ type: 'manual' }] }, ['manual']],
  ])('%s', (_, changes, triggers) => {
    expect(triggersOf(changes)).toEqual(triggers);
  });

  it.each(['get_run', 'decide'])('%s is a tool already', (id) => {
    expect(faultsOf(flow({ mcp: true, id }))).toEqual([
      `mcp-name | id | MCP clients already have a tool called ${id}. | Give the flow another id.`,
    ]);
    expect(faultsOf(flow({ id }))).toEqual([]);
  });
});

describe('a step that can not have a key', () => {
  test.each<[string, JsonObject, string]>([
    ['cache of a message', { ...say, cache: true }, 'message steps have no cache.'],
    ['cache of an approval', { ...ask, cache: true }, 'approval steps have no cache.'],
    ['cache of a script', { type: 'script', run: 'node', cache: true }, 'script steps have no cache.'],
    ['cache of a lane', { type: 'flow', uses: 'other', cache: true }, 'flow steps have no cache.'],
    ['timeout of a message', { ...say, timeout: '1m' }, 'message steps have no timeout.'],
    ['timeout of an approval', { ...ask, timeout: '1m' }, 'approval steps have no timeout.'],
    ['attempts of a lane', { type: 'flow', uses: 'other', attempts: 2 }, 'flow steps have no attempts.'],
  ])('%s', (_, step, message) => {
    const faults = faultsOf({ steps: { a: step } });
    expect(faults).toHaveLength(1);
    expect(faults[0]).toMatch(/^refused-key \| steps\.a\.\w+ \| /);
    expect(faults[0]).toContain(message);
  });

  it('may switch its cache off, and types whose results can be kept may switch it on', () => {
    const get = { type: 'http', url: 'https://api.example.com/' };
    expect(faultsOf({ steps: { a: { ...say, cache: false }, b: { ...get, cache: true } } })).toEqual([]);
  });
});

describe('whatever is in the file', () => {
  const word = fc.constantFrom(
    'steps',
    'edges',
    'type',
    'message',
    'approval',
    'to',
    'from',
    'ui',
    'when',
    'triggers',
    'command',
    'input',
    'spec',
    'kind',
    'a',
    '__proto__',
    'constructor',
    'toString',
    '{{a.text}}',
    'a -> b',
  );
  const { json } = fc.letrec<{ json: Json }>((tie) => ({
    json: fc.oneof(
      { maxDepth: 5 },
      word,
      fc.constant(null),
      fc.integer(),
      fc.double(),
      fc.boolean(),
      fc.string(),
      fc.array(tie('json'), { maxLength: 4 }),
      fc.dictionary(word, tie('json'), { maxKeys: 6 }),
    ),
  }));

  it('reading it never throws', () => {
    fc.assert(
      fc.property(json, (data) => Array.isArray(parseDefinition(data, 'x').faults)),
      { numRuns: 500 },
    );
    fc.assert(
      fc.property(fc.record({ steps: json, edges: json, triggers: json, input: json }), (data) => {
        parseDefinition(data, 'x');
      }),
      { numRuns: 500 },
    );
    fc.assert(
      fc.property(
        fc.constantFrom(
          'message',
          'approval',
          'http',
          'condition',
          'join',
          'template',
          'wait',
          'agent',
          'map',
        ),
        fc.dictionary(word, json),
        (type, keys) => {
          parseDefinition({ steps: { a: { ...keys, type } } }, 'x');
        },
      ),
      { numRuns: 500 },
    );
  });
});
