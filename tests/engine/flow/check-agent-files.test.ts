import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import type { Agent } from '../../../src/engine/agents/agent.ts';
import { parseAgent } from '../../../src/engine/agents/agent-schema.ts';
import { checkAgentFiles } from '../../../src/engine/flow/check-agent-files.ts';
import type { JsonObject } from '../../../src/engine/json.ts';
import { read } from './faults.ts';

const keys = ['OPENAI_API_KEY', 'ANTHROPIC_API_KEY', 'TOKEN'];
const here = { secrets: keys, mcpServers: ['files', 'tickets'] };
const openai: JsonObject = { runtime: 'openai', model: 'm-1' };
const anthropic: JsonObject = { runtime: 'anthropic', model: 'm-1' };
const program: JsonObject = { runtime: 'program', command: ['coder'] };
const scripted: JsonObject = { runtime: 'scripted', replies: [{ reply: 'Hello.' }] };

/** What is wrong with agents beside each other, by name. */
function faultsOf(
  files: Readonly<Record<string, JsonObject>>,
  surroundings: Parameters<typeof checkAgentFiles>[2] = here,
  broken: readonly string[] = [],
): Readonly<Record<string, readonly string[]>> {
  const agents = Object.entries(files).map(([name, data]): [string, Agent] => {
    const { agent, faults } = parseAgent(data, name);
    if (!agent) throw new Error(faults.map(read).join('\n'));
    return [name, agent];
  });
  const faults = checkAgentFiles(new Map(agents), new Set(broken), surroundings);
  return Object.fromEntries(
    [...faults].flatMap(([name, own]) => (own.length > 0 ? [[name, own.map(read)]] : [])),
  );
}

describe('servers', () => {
  it('that are configured are fine', () => {
    expect(faultsOf({ a: { ...openai, access: { files: ['read'] } } })).toEqual({});
  });

  test.each([
    [here.mcpServers, 'Did you mean "files"? Or describe it under mcpServers in flowbot.yaml.'],
    [[], 'Describe it under mcpServers in flowbot.yaml.'],
  ])('that are not are faults, beside %j', (mcpServers, fix) => {
    expect(faultsOf({ a: { ...openai, access: { filez: ['read'] } } }, { ...here, mcpServers })).toEqual({
      a: [`unknown-server at access.filez: There is no MCP server "filez". ${fix}`],
    });
  });
});

describe('secrets', () => {
  test.each<[JsonObject, readonly string[]]>([
    [openai, ['OPENAI_API_KEY']],
    [{ ...openai, apiKey: '{{secrets.TOKEN}}' }, ['TOKEN']],
    [{ ...openai, baseUrl: 'http://127.0.0.1:11434/v1' }, []],
    [
      {
        ...openai,
        baseUrl: 'https://example.com/v1',
        headers: { Authorization: 'Bearer {{secrets.TOKEN}}' },
      },
      ['TOKEN'],
    ],
    [anthropic, ['ANTHROPIC_API_KEY']],
    [{ ...anthropic, baseUrl: 'https://example.com' }, ['ANTHROPIC_API_KEY']],
    [{ ...program, env: { CODER_TOKEN: '{{secrets.TOKEN}}', LEVEL: '3' } }, ['TOKEN']],
    [program, []],
    [scripted, []],
  ])('that %j needs are %j', (data, needed) => {
    expect(faultsOf({ a: data }, { ...here, secrets: needed })).toEqual({});
    expect(faultsOf({ a: data }, { mcpServers: [] })).toEqual({});
    const told = (faultsOf({ a: data }, { ...here, secrets: [] }).a ?? []).join('\n');
    for (const name of keys) expect(told.includes(`FLOWBOT_SECRET_${name}`)).toBe(needed.includes(name));
  });

  it('that are not set are faults which say where and how to mend it', () => {
    const agents = { named: { ...openai, apiKey: '{{secrets.TOKN}}' }, unnamed: anthropic };
    expect(faultsOf(agents, { ...here, secrets: ['TOKEN'] })).toEqual({
      named: [
        'unknown-secret at apiKey: The secret TOKN is not set. Did you mean "TOKEN"? Or set FLOWBOT_SECRET_TOKN.',
      ],
      unnamed: [
        'unknown-secret at apiKey: The secret ANTHROPIC_API_KEY with the key of the provider is not set. Set FLOWBOT_SECRET_ANTHROPIC_API_KEY, or name another secret under apiKey:.',
      ],
    });
  });
});

describe('a fallback', () => {
  const using = (fallback: string, more: JsonObject = openai): JsonObject => ({ ...more, fallback });
  const remove = 'Name another agent, or remove fallback:.';

  test.each<[string, Readonly<Record<string, JsonObject>>, readonly string[]]>([
    ['of another provider', { a: using('b'), b: anthropic }, []],
    ['that has one itself', { a: using('b'), b: using('c'), c: scripted }, []],
    ['of each other', { a: using('b'), b: using('a', anthropic) }, []],
    ['for an agent with tools', { a: { ...using('b'), access: { files: ['read'] } }, b: anthropic }, []],
    [
      'that is not there',
      { a: using('writr'), writer: anthropic },
      ['unknown-agent at fallback: There is no agent "writr". Did you mean "writer"?'],
    ],
    [
      'that is a program',
      { a: using('b'), b: program },
      [`fallback at fallback: The agent b has no model that could answer: its runtime is program. ${remove}`],
    ],
    [
      'that works in no workspace',
      { a: using('b', { ...scripted, workspace: 'git' }), b: openai },
      [`fallback at fallback: The agent b can't work in a workspace, as this one does. ${remove}`],
    ],
  ])('%s', (_, agents, faults) => {
    expect(faultsOf(agents)).toEqual(faults.length === 0 ? {} : { a: faults });
  });

  it('that can not be used makes those that need it unusable, too, in a row', () => {
    const agents = { a: using('b'), b: using('c'), c: { ...openai, apiKey: '{{secrets.NONE}}' }, d: openai };
    const fault = (name: string) =>
      `broken-agent at fallback: The agent ${name} can't be used: there are faults in its file. Mend that file.`;
    expect(faultsOf(agents)).toMatchObject({ a: [fault('b')], b: [fault('c')], c: [expect.anything()] });
    expect(faultsOf({ a: using('b') }, here, ['b'])).toEqual({ a: [fault('b')] });
  });

  it('is followed to the end of every row', () => {
    const name = fc.constantFrom('a', 'b', 'c', 'd', 'e');
    const rows = fc.dictionary(name, fc.record({ fallback: fc.option(name), isBroken: fc.boolean() }));
    fc.assert(
      fc.property(rows, (row) => {
        const entries = Object.entries(row).filter(([own, { fallback }]) => own !== fallback);
        const agents = Object.fromEntries(
          entries.map(([own, { fallback, isBroken }]): [string, JsonObject] => [
            own,
            {
              ...openai,
              ...(fallback !== null && { fallback }),
              ...(isBroken && { apiKey: '{{secrets.NONE}}' }),
            },
          ]),
        );
        const isUsable = (own: string, seen: readonly string[] = []): boolean => {
          const one = new Map(entries).get(own);
          if (!one || one.isBroken) return false;
          const { fallback } = one;
          return fallback === null || seen.includes(fallback) || isUsable(fallback, [...seen, own]);
        };
        const faulty = Object.keys(faultsOf(agents));
        expect(faulty.toSorted()).toEqual(
          Object.keys(agents)
            .filter((own) => !isUsable(own))
            .toSorted(),
        );
      }),
    );
  });
});
