import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createPeople, type Message, type People } from '../../demo/people.ts';
import { bodyText } from '../../demo/terminal.ts';
import { readConfig } from '../../src/config.ts';
import { createFlowbot, type Flowbot } from '../../src/main.ts';

const FLOWS = resolve(import.meta.dirname, '../../flows');

describe('the sample flows', () => {
  let folder: string;
  let flowbot: Flowbot;
  let people: People;
  let statusPage: Server;
  /** What the status page answers next. */
  let answer: { status: number; body: string };

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'flowbot-samples-'));
    answer = { status: 200, body: '{}' };
    statusPage = createServer((_, response) => {
      response.writeHead(answer.status, { 'content-type': 'application/json' });
      response.end(answer.body);
    });
    await new Promise<void>((done) => statusPage.listen(0, '127.0.0.1', done));
    copyFlows(folder, portOf(statusPage));
    const read = readConfig({ FLOWBOT_PORT: '0', FLOWBOT_LOG: 'silent' }, folder);
    if (!read.ok) throw new Error(read.faults.join('\n'));
    flowbot = await createFlowbot(read.config);
    await flowbot.start();
    people = createPeople(flowbot.url);
  });

  afterEach(async () => {
    await flowbot.stop();
    statusPage.close();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Types a command and gives its thread once it holds the text. */
  async function command(channel: string, text: string, awaited: string): Promise<string> {
    await people.say('ana', channel, text);
    const root = (await people.messages(channel)).findLast(({ body }) => bodyText(body) === text);
    if (!root) throw new Error(`${text} is not in ${channel}.`);
    await until(() => people.thread(root.id), awaited);
    return root.id;
  }

  async function until(
    look: () => Promise<readonly Message[]>,
    awaited: string,
  ): Promise<readonly Message[]> {
    return vi.waitFor(
      async () => {
        const messages = await look();
        if (!messages.some(({ body }) => bodyText(body).includes(awaited))) {
          throw new Error(
            `“${awaited}” is not in:\n${messages.map(({ body }) => bodyText(body)).join('\n---\n')}`,
          );
        }
        return messages;
      },
      { timeout: 15_000, interval: 25 },
    );
  }

  /** Presses a button of the card that asks this, and sends the form that it may open. */
  async function press(as: string, root: string, title: string, label: string, feedback = ''): Promise<void> {
    const thread = await until(() => people.thread(root), title);
    const card = thread.findLast(
      ({ body }) =>
        body.kind === 'post' && bodyText(body).includes(`[ ${label} ]`) && bodyText(body).includes(title),
    );
    const button =
      card?.body.kind === 'post' ? card.body.buttons.find((one) => one.label === label) : undefined;
    if (!card || !button) throw new Error(`No ${label} under “${title}”.`);
    const form = await people.press(as, card.id, button.id);
    if (form) await people.send(as, card.conversation, form.id, { feedback });
  }

  test('all of them load without a warning', () => {
    expect(flowbot.bot.catalog.broken).toEqual([]);
    expect(flowbot.bot.catalog.flows.map((flow) => flow.id)).toEqual(['incident', 'purchase', 'release']);
  });

  test('changed files are taken at once: new runs use them, a waiting run keeps its version, a bad one stops no other', async () => {
    const root = await command('releases', '!release 1.2', 'Publish these notes?');
    const file = join(folder, 'flows', 'release.flow.yaml');
    writeFileSync(file, readFileSync(file, 'utf8').replace('Publish these notes?', 'Ship it?'));
    writeFileSync(join(folder, 'flows', 'incident.flow.yaml'), 'steps: {');
    const { catalog } = flowbot.bot;
    await vi.waitFor(() => expect(catalog.flows.map((flow) => flow.id)).toEqual(['purchase', 'release']), {
      timeout: 15_000,
    });
    expect(catalog.broken.map((broken) => broken.faults.length > 0)).toEqual([true]);
    await command('releases', '!release 2.0', 'Ship it?');
    await press('bo', root, 'Publish these notes?', 'Approve');
    await until(() => people.thread(root), 'has succeeded');
  });

  test('release: the feedback of a rejection is in the second draft, and an approval announces it', async () => {
    const root = await command('releases', '!release 1.2', 'Publish these notes?');
    await press('bo', root, 'Publish these notes?', 'Reject', 'Mention the new button.');
    await until(() => people.thread(root), 'Review (round 2)');
    await press('bo', root, 'Mention the new button.', 'Approve');
    await until(() => people.thread(root), 'has succeeded');
    const posts = await until(() => people.messages('announcements'), 'Release 1.2');
    expect(posts).toHaveLength(1);
    expect(textOf(posts[0])).toContain('Prepared by Ana.');
    expect(textOf(posts[0])).toContain('Mention the new button.');
  });

  test.each([
    {
      says: { indicator: 'none', description: 'All Systems Operational' },
      post: '✅ GitHub: All Systems Operational',
    },
    { says: { indicator: 'major', description: 'Git is down' }, post: 'GitHub has an incident (major)' },
  ])('incident: a page that says $says.indicator is told to #ops', async ({ says, post }) => {
    answer = { status: 200, body: JSON.stringify({ status: says }) };
    await command('ops', '!incident', 'has succeeded');
    const posts = await until(() => people.messages('ops'), post);
    expect(posts.filter(({ author }) => author.id === 'flowbot')).toHaveLength(1);
  });

  test('incident: a page that answers nonsense is told too, and the run is not lost', async () => {
    answer = { status: 200, body: '<html>' };
    await command('ops', '!incident', 'has succeeded');
    await until(() => people.messages('ops'), 'The status page did not answer');
  });

  test('purchase: two people are asked side by side, and both have to agree', async () => {
    const root = await command('general', '!purchase item="a chair" amount=120', 'May we use this?');
    await press('bo', root, 'Is there budget for this?', 'Approve');
    await press('cy', root, 'May we use this?', 'Approve');
    await until(() => people.thread(root), 'has succeeded');
    const posts = await until(() => people.messages('general'), 'Ordered');
    expect(textOf(posts.at(-1))).toContain('a chair for 120 €, asked for by Ana');
    expect(textOf(posts.at(-1))).toContain('Budget');
  });

  test('purchase: one rejection ends the request, and nothing is ordered', async () => {
    const root = await command('general', '!purchase item=chair amount=120', 'May we use this?');
    await press('bo', root, 'Is there budget for this?', 'Reject');
    await until(() => people.thread(root), 'was rejected');
    const messages = await people.messages('general');
    expect(messages.some(({ body }) => bodyText(body).includes('Ordered'))).toBe(false);
  });
});

function textOf(message: Message | undefined): string {
  return message ? bodyText(message.body) : '';
}

/** The samples as they are, but for the address of the status page. */
function copyFlows(folder: string, port: number): void {
  mkdirSync(join(folder, 'flows'));
  for (const name of readdirSync(FLOWS)) {
    const text = readFileSync(join(FLOWS, name), 'utf8')
      .replace('https://www.githubstatus.com', `http://127.0.0.1:${port}`)
      .replace('attempts: 3', 'attempts: 1\n    allowHosts: ["127.0.0.1"]');
    writeFileSync(join(folder, 'flows', name), text);
  }
}

function portOf(server: Server): number {
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('The server has no port.');
  return address.port;
}
