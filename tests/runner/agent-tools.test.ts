import { mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished, test } from 'vitest';
import { createTools } from '../../src/adapters/mcp/index.ts';
import { systemClock } from '../../src/adapters/system/clock.ts';
import { createSecrets } from '../../src/adapters/system/secrets.ts';
import type { Access, Permission } from '../../src/engine/agents/access.ts';
import type { ToolUse } from '../../src/engine/agents/conversation.ts';
import type { JsonObject } from '../../src/engine/json.ts';
import { type AgentTools, createAgentTools } from '../../src/runner/agents/tools.ts';
import { agentCalled } from '../fakes/agent.ts';
import { createCountingIds } from '../fakes/ids.ts';
import { createKeptLog } from '../fakes/log.ts';

const never = new AbortController().signal;
const filesystem = createRequire(import.meta.url).resolve(
  '@modelcontextprotocol/server-filesystem/dist/index.js',
);
const everything = createRequire(import.meta.url).resolve(
  '@modelcontextprotocol/server-everything/dist/index.js',
);

let folder: string;
beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'flowbot-tools-')));
  await writeFile(join(folder, 'a.txt'), 'the token is hunter2-hunter2');
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
});

/** An agent with access to real servers, one over a folder. */
function stage(access: Access, now: Access | 'gone' = access) {
  const secrets = createSecrets(new Map([['TOKEN', 'hunter2-hunter2']]));
  const server = (script: string, ...args: readonly string[]) => ({
    kind: 'program' as const,
    command: process.execPath,
    args: [script, ...args],
    env: {},
    readOnly: false,
  });
  const tools = createTools({
    servers: new Map([
      ['files', server(filesystem, folder)],
      ['everything', server(everything)],
      ['gone', server(join(folder, 'nothing-there.js'))],
    ]),
    secrets,
    clock: systemClock,
    environment: { PATH: process.env.PATH ?? '' },
    cwd: folder,
  });
  onTestFinished(() => tools.close());
  const log = createKeptLog();
  const agent = agentCalled('writer', { access });
  const agentTools = createAgentTools({
    tools,
    secrets,
    clock: systemClock,
    ids: createCountingIds(),
    log,
    accessNow: () => (now === 'gone' ? undefined : now),
  });
  return { agent, agentTools, log, use: (use: Partial<ToolUse>) => useIt(agentTools, use) };

  async function useIt(hands: AgentTools, more: Partial<ToolUse>) {
    const use: ToolUse = { id: 'u1', name: 'files__read_text_file', arguments: {}, ...more };
    const found = await hands.find(agent, 'r1', use, never);
    return 'result' in found ? found : hands.call(use, found, 30_000, never);
  }
}

function to(server: string, tools: Readonly<Record<string, Permission>>, more: JsonObject = {}): Access {
  const named = new Map(Object.entries(tools));
  return new Map([[server, { readOnly: false, others: 'deny', tools: named, ...more }]]);
}

describe('tools of a server over a folder', () => {
  it('are offered as they are allowed, with what they take', async () => {
    const { agent, agentTools } = stage(to('files', { read_text_file: 'allow', write_file: 'ask' }));
    const offered = await agentTools.offered(agent, 'r1', never);
    expect(offered.map(({ name }) => name)).toEqual(['files__read_text_file', 'files__write_file']);
    expect(offered[0]?.parameters).toMatchObject({
      type: 'object',
      properties: { path: { type: 'string' } },
    });
  });

  it('read: the model hears the content between markers, and no secret', async () => {
    const { use } = stage(to('files', { read_text_file: 'allow' }));
    const done = await use({ arguments: { path: join(folder, 'a.txt') } });
    expect(done.used).toMatchObject({ server: 'files', tool: 'read_text_file', outcome: 'answered' });
    expect(done.result.text).toMatch(
      /^<<< \w+: begin of .*untrusted data.*>>>\n[\s\S]*the token is \[secret\][\s\S]*<<< \w+: end >>>$/,
    );
    expect(JSON.stringify(done)).not.toContain('hunter2');
  });

  it('write when they may, and nowhere else: the server refuses, and the model hears it', async () => {
    const { use } = stage(to('files', { write_file: 'allow' }));
    const path = join(folder, 'b.txt');
    expect((await use({ name: 'files__write_file', arguments: { path, content: 'x' } })).used.outcome).toBe(
      'answered',
    );
    expect(await readFile(path, 'utf8')).toBe('x');
    const outside = await use({
      name: 'files__write_file',
      arguments: { path: '/flowbot-b.txt', content: 'x' },
    });
    expect(outside).toMatchObject({ result: { isError: true }, used: { outcome: 'failed' } });
    expect(outside.unknown).toBeUndefined();
  });

  it('that may change something are not there for an agent that only reads', async () => {
    const { agent, agentTools, use } = stage(to('files', {}, { readOnly: true, others: 'allow' }));
    const names = (await agentTools.offered(agent, 'r1', never)).map(({ name }) => name);
    expect(names).toContain('files__read_text_file');
    expect(names).not.toContain('files__write_file');
    const path = join(folder, 'c.txt');
    const done = await use({ name: 'files__write_file', arguments: { path, content: 'x' } });
    expect(done.used.outcome).toBe('refused');
    await expect(readFile(path)).rejects.toThrow();
  });

  test.each<[string, Access | 'gone']>([
    ['does not allow it any more', to('files', { read_text_file: 'deny', write_file: 'allow' })],
    ['does not name the server any more', new Map()],
    ['is not there any more', 'gone'],
  ])('are refused when the agent’s file %s', async (_, now) => {
    const { agent, agentTools } = stage(to('files', { read_text_file: 'allow' }), now);
    const use = { id: 'u', name: 'files__read_text_file', arguments: { path: join(folder, 'a.txt') } };
    expect(await agentTools.find(agent, 'r1', use, never)).toMatchObject({ used: { outcome: 'refused' } });
  });
});

describe('tools of another server', () => {
  it('answer, and take no arguments that do not fit', async () => {
    const { use } = stage(to('everything', { echo: 'allow' }));
    const said = await use({ name: 'everything__echo', arguments: { message: 'Hello.' } });
    expect(said.result.text).toContain('Hello.');
    expect(await use({ name: 'everything__echo', arguments: { message: 7 } })).toMatchObject({
      result: { isError: true },
      used: { outcome: 'failed' },
    });
    expect(await use({ name: 'everything__echo', arguments: 'no data' })).toMatchObject({
      result: { text: 'The arguments must be one JSON object.' },
      used: { outcome: 'refused' },
    });
    expect((await use({ name: 'everything__ech' })).result.text).toContain('everything__echo');
  });

  it('can’t be reached: the agent works without them, and the log says so', async () => {
    const { agent, agentTools, log } = stage(to('gone', { anything: 'allow' }));
    expect(await agentTools.offered(agent, 'r1', never)).toEqual([]);
    expect(log.lines).toMatchObject([{ level: 'warn', data: { agent: 'writer', server: 'gone' } }]);
  });
});

test.each<[Permission, Permission, string]>([
  ['allow', 'allow', 'allow'],
  ['allow', 'ask', 'ask'],
  ['ask', 'allow', 'ask'],
  ['ask', 'deny', 'refused'],
  ['allow', 'deny', 'refused'],
])('a tool that was %s and is %s now: %s', async (then, now, outcome) => {
  const { agent, agentTools } = stage(to('everything', { echo: then }), to('everything', { echo: now }));
  const use = { id: 'u', name: 'everything__echo', arguments: { message: 'x' } };
  const found = await agentTools.find(agent, 'r1', use, never);
  expect('result' in found ? found.used.outcome : found.permission).toBe(outcome);
});
