import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Person, Place } from '../../../src/engine/people.ts';
import { makeRepository } from '../workspaces/repository.ts';
import type { LanePlatform, LaneStage } from './lanes.ts';
import { onceAsked, onceShown } from './waiting.ts';

const filesystem = createRequire(import.meta.url).resolve(
  '@modelcontextprotocol/server-filesystem/dist/index.js',
);

const price = 'price: { input: 0, output: 0 }';

/** A whole Flowbot whose agents ask people: for calls of tools, for files, for more budget. */
export function agentsOn(platform: LanePlatform): void {
  const { people } = platform;

  /** A folder with a server over it, a repository, and the settings that name both. */
  function surroundings() {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), 'flowbot-agents-')));
    const repository = makeRepository(mkdtempSync(join(tmpdir(), 'flowbot-repository-')));
    onTestFinished(() => {
      for (const one of [folder, repository]) rmSync(one, { recursive: true, force: true });
    });
    const settings = join(folder, 'flowbot.yaml');
    const server = { command: process.execPath, args: [filesystem, folder] };
    writeFileSync(
      settings,
      JSON.stringify({ mcpServers: { files: server }, workspaces: { repository, base: 'main' } }),
    );
    const file = join(folder, 'note.txt');
    return { folder, file, env: { FLOWBOT_CONFIG: settings } };
  }

  /** An agent that writes a file by a tool that people must allow. */
  const scribe = (file: string, content: string) => `
runtime: scripted
${price}
access: { files: { tools: { write_file: ask } } }
replies:
  - uses: [{ server: files, tool: write_file, arguments: { path: ${file}, content: ${JSON.stringify(content)} } }]
  - reply: Written.
`;

  const note = (more = '') => `
name: Note
triggers: [{ type: command, command: note }]
${more}
steps:
  write: { type: agent, agent: scribe, task: Write a note. }
`;

  async function start({ desk }: LaneStage, command: string, by: Person = people.ana): Promise<Place> {
    const { id } = await desk.say(by, desk.channel, `!${command}`);
    return { ...desk.channel, thread: id };
  }

  async function press(
    stage: LaneStage,
    thread: Place,
    label: string,
    by: Person = people.bo,
  ): Promise<void> {
    const { message, button } = await onceAsked(stage.desk, thread, label);
    await stage.desk.click(by, message, button);
  }

  async function newestRun({ live }: LaneStage): Promise<string> {
    const [row] = await live.flowbot.bot.store.runs({ limit: 1 });
    return row?.id ?? '';
  }

  describe(`an agent that asks people on ${platform.name}`, () => {
    test('shows the whole call of a tool, waits through a restart, and makes it once', async () => {
      const { file, env } = surroundings();
      const content = 'Hello @everyone <!channel> **bold**';
      const stage = await platform.open({ note: note(), 'agents/scribe': scribe(file, content) }, env);
      const thread = await start(stage, 'note');
      await onceAsked(stage.desk, thread, 'Allow once');
      const asked = (await stage.desk.messages(thread)).find(({ text }) => text.includes('May scribe call'));
      expect(asked?.text).toContain('May scribe call write_file of files?');
      expect(asked?.text).toContain('everyone');
      expect(existsSync(file)).toBe(false);
      await stage.live.restart();
      expect(existsSync(file)).toBe(false);
      await press(stage, thread, 'Allow once');
      const texts = await onceShown(stage.desk, thread, 'Note has succeeded');
      expect(readFileSync(file, 'utf8')).toBe(content);
      expect(texts.join('\n')).toContain('Allowed once by Bo');
      const cards = await stage.desk.messages(thread);
      expect(cards.flatMap(({ buttons }) => buttons.map(({ label }) => label))).not.toContain('Allow once');
      expect(stage.complaints?.() ?? []).toEqual([]);
    });

    test('goes on without a call that people deny, also by a command', async () => {
      const { file, env } = surroundings();
      const stage = await platform.open({ note: note(), 'agents/scribe': scribe(file, 'x') }, env);
      const thread = await start(stage, 'note');
      await onceAsked(stage.desk, thread, 'Allow once');
      await stage.desk.command(
        people.bo,
        stage.desk.channel,
        `answer ${await newestRun(stage)} deny Not there.`,
      );
      await onceShown(stage.desk, thread, 'Note has succeeded');
      expect(existsSync(file)).toBe(false);
      const run = await newestRun(stage);
      expect(await stage.live.flowbot.bot.store.journal(run)).toContainEqual(
        expect.objectContaining({
          type: 'agent.turned',
          calls: [expect.objectContaining({ tool: 'write_file', outcome: 'denied' })],
        }),
      );
    });

    test('an approval answers none of its questions, and they answer no approval', async () => {
      const { file, env } = surroundings();
      const both = `
name: Both
triggers: [{ type: command, command: both }]
steps:
  write: { type: agent, agent: scribe, task: Write a note. }
  ask: { type: approval, title: Is it good? }
edges: ["start -> write", "start -> ask"]
`;
      const stage = await platform.open({ both, 'agents/scribe': scribe(file, 'x') }, env);
      const thread = await start(stage, 'both');
      await onceAsked(stage.desk, thread, 'Allow once');
      await press(stage, thread, 'Approve');
      await onceShown(stage.desk, thread, 'Approved by Bo');
      expect(existsSync(file)).toBe(false);
      await press(stage, thread, 'Allow once');
      await onceShown(stage.desk, thread, 'Both has succeeded');
      expect(existsSync(file)).toBe(true);
    });

    test('is answered by those who may start the flow, and by nobody else', async () => {
      const { file, env } = surroundings();
      const allow = `allow: { users: ["${platform.name}:${people.ana.id}"] }`;
      const stage = await platform.open({ note: note(allow), 'agents/scribe': scribe(file, 'x') }, env);
      const thread = await start(stage, 'note');
      await press(stage, thread, 'Allow once', people.bo);
      await stage.desk.until(async () => (await stage.desk.privates(people.bo)).length > 0);
      expect((await stage.desk.privates(people.bo)).at(-1)?.text).toMatch(/^Only .* may answer this\.$/);
      expect(existsSync(file)).toBe(false);
      await press(stage, thread, 'Allow once', people.ana);
      await onceShown(stage.desk, thread, 'Note has succeeded');
    });

    test('in a lane asks in the thread of the run at the top', async () => {
      const { file, env } = surroundings();
      const each = `
name: Each
triggers: [{ type: command, command: each }]
steps: { all: { type: map, uses: note, over: [1], onItemFailure: stop } }
`;
      const lane = note('input: { type: object, properties: { item: { type: integer } } }');
      const stage = await platform.open({ each, note: lane, 'agents/scribe': scribe(file, 'x') }, env);
      const thread = await start(stage, 'each');
      await press(stage, thread, 'Allow once');
      await onceShown(stage.desk, thread, 'Each has succeeded');
      expect(existsSync(file)).toBe(true);
    });

    test.each([
      ['Keep the changes', 'Fix has succeeded'],
      ['Discard them', 'did not want its changes'],
    ])('shows the files that it has changed: %s', async (label, words) => {
      const { folder, env } = surroundings();
      writeFileSync(
        join(folder, 'coder.mjs'),
        "import { appendFileSync } from 'node:fs'; appendFileSync('notes.md', 'two\\n'); console.log('Done.');",
      );
      const coder = `
runtime: program
command: [${process.execPath}, ${join(folder, 'coder.mjs')}]
workspace: git
changes: ask
`;
      const fix = `
name: Fix
triggers: [{ type: command, command: fix }]
workspace: git
steps: { code: { type: agent, agent: coder, task: Mend it. } }
`;
      const stage = await platform.open({ fix, 'agents/coder': coder }, env);
      const thread = await start(stage, 'fix');
      await onceAsked(stage.desk, thread, label);
      const asked = (await stage.desk.messages(thread)).find(({ text }) => text.includes('Keep what coder'));
      expect(asked?.text).toContain('1 file changed, 1 line added, 0 removed.');
      expect(asked?.text).toContain('+two');
      if (label.startsWith('Keep')) await press(stage, thread, label);
      else {
        // The button opens a form for a comment.
        await stage.desk.command(
          people.bo,
          stage.desk.channel,
          `answer ${await newestRun(stage)} discard No.`,
        );
      }
      await onceShown(stage.desk, thread, words);
    });

    test.each([
      ['a run', 'budget: { tokens: 10 }', 'The budget of this run is used up', 'Allow as much again'],
      [
        'a day',
        'budget: { perDay: { tokens: 10 } }',
        'The budget of the day is used up',
        'Let this run go on',
      ],
    ])('the budget of %s is asked about, and more is allowed', async (_, budget, title, label) => {
      const sum = `
name: Sum
triggers: [{ type: command, command: sum }]
${budget}
steps:
  one: { type: llm, prompt: One }
  two: { type: llm, prompt: Two }
`;
      const model = `
runtime: scripted
${price}
replies: [{ reply: Done., usage: { inputTokens: 10 } }]
`;
      const stage = await platform.open({ sum, 'agents/default': model });
      const thread = await start(stage, 'sum');
      await onceShown(stage.desk, thread, title);
      await press(stage, thread, label);
      await onceShown(stage.desk, thread, 'Sum has succeeded');
      expect(stage.complaints?.() ?? []).toEqual([]);
    });
  });
}
