import { globSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { LLMock } from '@copilotkit/aimock';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import type { Person, Place } from '../../src/engine/people.ts';
import { loadFlowSet } from '../../src/loader/flow-set.ts';
import { readSources } from '../../src/loader/sources.ts';
import type { LaneStage } from '../adapters/chat/lanes.ts';
import { onceAsked, onceShown } from '../adapters/chat/waiting.ts';
import { openLive } from '../adapters/playground/live.ts';
import { git, makeRepository } from '../adapters/workspaces/repository.ts';
import { bareSurroundings } from '../fakes/outside.ts';

const EXAMPLE = resolve(import.meta.dirname, '../../examples/agents');
const filesystem = createRequire(import.meta.url).resolve(
  '@modelcontextprotocol/server-filesystem/dist/index.js',
);
const person = (id: string, name: string): Person => ({ platform: 'playground', id, name });
const [ana, bo] = [person('ana', 'Ana'), person('bo', 'Bo')];

function textsIn(kind: 'flow' | 'agent'): Readonly<Record<string, string>> {
  const files = globSync(`${kind}s/*.${kind}.yaml`, { cwd: EXAMPLE });
  return Object.fromEntries(
    files.map((file) => [basename(file, `.${kind}.yaml`), readFileSync(join(EXAMPLE, file), 'utf8')]),
  );
}

/** Models that somebody else's stand-in plays, on the flows and agents of the example. */
let mock: LLMock;
beforeEach(async () => {
  mock = new LLMock({ port: 0 });
  await mock.start();
  onTestFinished(async () => {
    await mock.stop();
  });
});

async function open() {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'flowbot-example-')));
  const docs = realpathSync(mkdtempSync(join(tmpdir(), 'flowbot-docs-')));
  const repository = makeRepository(mkdtempSync(join(tmpdir(), 'flowbot-repository-')));
  git(repository, 'config', 'user.name', 'Ana');
  git(repository, 'config', 'user.email', 'ana@example.com');
  onTestFinished(() => {
    for (const one of [folder, docs, repository]) rmSync(one, { recursive: true, force: true });
  });
  writeFileSync(join(docs, 'on-call.md'), 'Ana.');
  const settings = join(folder, 'flowbot.yaml');
  const mcpServers = { docs: { command: process.execPath, args: [filesystem, docs] } };
  writeFileSync(settings, JSON.stringify({ mcpServers, workspaces: { repository, base: 'main' } }));
  const coder = join(folder, 'coder.mjs');
  writeFileSync(
    coder,
    "import { writeFileSync } from 'node:fs'; writeFileSync('notes.md', 'mended\\n'); console.log('I mended it.');",
  );
  const agents = Object.entries(textsIn('agent')).map(([name, text]) => [
    `agents/${name}`,
    text
      .replace(/^command: .*$/m, `command: [${process.execPath}, ${coder}]`)
      .replace(/^baseUrl: .*\n/m, '')
      .replace(/^(runtime: openai)$/m, `$1\nbaseUrl: ${mock.url}/v1\napiKey: "{{secrets.OPENAI_API_KEY}}"`)
      .replace(/^(runtime: anthropic)$/m, `$1\nbaseUrl: ${mock.url}`),
  ]);
  const stage = await openLive(
    { ...textsIn('flow'), ...Object.fromEntries(agents) },
    {
      FLOWBOT_CONFIG: settings,
      FLOWBOT_SECRET_OPENAI_API_KEY: 'sk-open-123456',
      FLOWBOT_SECRET_ANTHROPIC_API_KEY: 'sk-ant-123456',
    },
  );
  return { ...stage, docs, repository };
}

async function start({ desk }: LaneStage, text: string): Promise<Place> {
  const { id } = await desk.say(ana, desk.channel, text);
  return { ...desk.channel, thread: id };
}

async function press({ desk }: LaneStage, thread: Place, label: string): Promise<void> {
  const { message, button } = await onceAsked(desk, thread, label);
  await desk.click(bo, message, button);
}

test('the example is sound as it is, with its keys and servers', async () => {
  const set = loadFlowSet(
    await readSources({
      flows: join(EXAMPLE, 'flows'),
      agents: join(EXAMPLE, 'agents'),
      schemas: join(EXAMPLE, 'schemas'),
    }),
    {
      ...bareSurroundings,
      platforms: ['playground'],
      secrets: ['OPENAI_API_KEY', 'ANTHROPIC_API_KEY'],
      mcpServers: ['docs'],
      hasRepository: true,
    },
  );
  expect({ broken: set.broken, warnings: set.warnings }).toEqual({ broken: [], warnings: [] });
  expect(set.flows.map(({ id }) => id).toSorted()).toEqual(['article', 'ask', 'digest', 'fix', 'triage']);
});

describe('the example with agents that work', () => {
  test('a digest is written by an agent', async () => {
    mock.onMessage(/what was decided/, { content: 'Nothing was decided.' });
    const stage = await open();
    await stage.desk.say(bo, { platform: 'playground', conversation: 'general' }, 'Shall we ship on Friday?');
    stage.clock.pass(60_000);
    const thread = await start(stage, '!digest');
    await onceShown(stage.desk, thread, 'Nothing was decided.');
    const [request] = mock.getRequests();
    expect(JSON.stringify(request?.body)).toContain('Shall we ship on Friday?');
    expect(JSON.stringify(request?.body)).toContain('House style is short and plain.');
  });

  test.each([
    [{ choice: 'printer', confidence: 0.9 }, 'This is about the printer.'],
    [{ choice: 'printer', confidence: 0.2 }, 'Is this for us?'],
    [{ choice: 'ignore all rules', confidence: 1 }, 'has failed'],
  ])('a report is sorted by a decision: %j', async (choice, words) => {
    mock.onMessage(/Which device/, { content: JSON.stringify(choice) });
    const stage = await open();
    const thread = await start(stage, '!fault the printer smells odd');
    await onceShown(stage.desk, thread, words);
  });

  test('an article is sent back with a comment, which its writer hears, and is published', async () => {
    const draft = (title: string) => ({
      toolCalls: [{ name: 'reply', arguments: JSON.stringify({ title, body: 'Leaves and water.' }) }],
    });
    mock.onMessage(/asked you to change/, draft('Green tea, hot'));
    mock.onMessage(/three paragraphs/, draft('Tea'));
    const stage = await open();
    const thread = await start(stage, '!article green tea');
    await onceAsked(stage.desk, thread, 'Reject');
    const [row] = await stage.live.flowbot.bot.store.runs({ limit: 1 });
    await stage.desk.command(bo, stage.desk.channel, `reject ${row?.id} Say that it is green.`);
    await onceShown(stage.desk, thread, 'Green tea, hot');
    expect(JSON.stringify(mock.getLastRequest()?.body)).toContain('Say that it is green.');
    await press(stage, thread, 'Approve');
    const texts = await onceShown(stage.desk, thread, 'Article has succeeded');
    expect(texts.join('\n')).toContain('Leaves and water.');
  });

  test('a librarian reads by itself, and writes when people allow it', async () => {
    const stage = await open();
    const path = join(stage.docs, 'on-call.md');
    const call = (id: string, name: string, args: object) => ({
      toolCalls: [{ id, name: `docs__${name}`, arguments: JSON.stringify(args) }],
    });
    mock.on(
      { userMessage: /Answer the question/, hasToolResult: false },
      call('c1', 'read_text_file', { path }),
    );
    mock.on({ toolCallId: 'c1' }, call('c2', 'write_file', { path, content: 'Bo.' }));
    mock.on({ toolCallId: 'c2' }, { content: 'Now it is Bo (on-call.md).' });
    const thread = await start(stage, '!ask make Bo the one on call');
    await onceShown(stage.desk, thread, 'May librarian call write_file of docs?');
    expect(readFileSync(path, 'utf8')).toBe('Ana.');
    await press(stage, thread, 'Allow once');
    await onceShown(stage.desk, thread, 'Now it is Bo');
    expect(readFileSync(path, 'utf8')).toBe('Bo.');
  });

  test('a coding agent changes files in a worktree when people have seen its diff', async () => {
    const stage = await open();
    const thread = await start(stage, '!fix mend the notes');
    const texts = await onceShown(stage.desk, thread, 'Keep what coder has changed?');
    expect(texts.join('\n')).toContain('+mended');
    expect(readFileSync(join(stage.repository, 'notes.md'), 'utf8')).toBe('one\n');
    await press(stage, thread, 'Keep the changes');
    await onceShown(stage.desk, thread, 'It is on the branch');
  });
});
