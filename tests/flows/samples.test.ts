import { cpSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { createPeople, type Message, type People } from '../../demo/people.ts';
import { bodyText } from '../../demo/terminal.ts';
import { readConfig } from '../../src/config.ts';
import { createFlowbot, type Flowbot } from '../../src/main.ts';
import { openWorld } from '../../src/world.ts';
import { createSwiftClock, type SwiftClock } from './swift-clock.ts';

const ROOT = resolve(import.meta.dirname, '../..');

describe('the sample flows', () => {
  let folder: string;
  let flowbot: Flowbot;
  let people: People;
  let clock: SwiftClock;
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
    copySamples(folder, portOf(statusPage));
    const read = readConfig({ FLOWBOT_PORT: '0', FLOWBOT_LOG: 'silent' }, folder);
    if (!read.ok) throw new Error(read.faults.join('\n'));
    clock = createSwiftClock();
    flowbot = await createFlowbot(read.config, async (...given) => ({
      ...(await openWorld(...given)),
      clock,
    }));
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

  /** The newest post that holds this text, and the id of one of its buttons; `""` = it has no such button. */
  async function cardOf(root: string, title: string, label: string) {
    const thread = await until(() => people.thread(root), title);
    const card = thread.findLast(({ body }) => body.kind === 'post' && bodyText(body).includes(title));
    if (card?.body.kind !== 'post') throw new Error(`Flowbot has not posted “${title}”.`);
    return { ...card, button: card.body.buttons.find((one) => one.label === label)?.id ?? '' };
  }

  /** Presses a button of the card that asks this, and sends the form that it may open; gives what is wrong at its fields. */
  async function press(
    as: string,
    root: string,
    title: string,
    label: string,
    values: Readonly<Record<string, string>> = {},
    files: Readonly<Record<string, readonly string[]>> = {},
  ): Promise<Readonly<Record<string, string>>> {
    const card = await vi.waitFor(
      async () => {
        const found = await cardOf(root, title, label);
        if (found.button === '') throw new Error(`No ${label} under “${title}”.`);
        return found;
      },
      { timeout: 15_000, interval: 25 },
    );
    const form = await people.press(as, card.id, card.button);
    if (!form) return {};
    const { conversation, thread } = card;
    const sent = await call('submit', { as, conversation, thread, form: form.id, values, files });
    return z.object({ errors: z.record(z.string(), z.string()).default({}) }).parse(sent).errors;
  }

  /** Sends something to the playground as its page does. */
  async function call(path: string, body: object | Buffer): Promise<unknown> {
    const type = Buffer.isBuffer(body) ? 'octet-stream' : 'json';
    const response = await fetch(`${flowbot.url}/playground/api/${path}`, {
      method: 'POST',
      headers: { 'content-type': `application/${type}`, origin: flowbot.url },
      body: Buffer.isBuffer(body) ? new Uint8Array(body) : JSON.stringify(body),
    });
    return response.json();
  }

  /** What the newest run gave back. */
  async function newestOutput(): Promise<unknown> {
    const row = (await flowbot.bot.store.runs({ limit: 1 }))[0];
    return (await flowbot.bot.store.run(row?.id ?? ''))?.state.output;
  }

  /** What only one person reads, oldest first. */
  async function privately(as: string): Promise<readonly string[]> {
    const response = await fetch(`${flowbot.url}/playground/api/state?as=${as}`);
    const state: { readonly privates: readonly Message[] } = JSON.parse(await response.text());
    return state.privates.map(textOf);
  }

  test('all of them load without a warning', () => {
    expect(flowbot.bot.catalog.broken).toEqual([]);
    expect(flowbot.bot.catalog.flows.map((flow) => flow.id)).toEqual([
      'access',
      'incident',
      'purchase',
      'release',
      'seed-locrew',
      'seed-manifest-part',
      'seed-manifest',
      'seed-milford',
    ]);
  });

  test('changed files are taken at once: new runs use them, a waiting run keeps its version, a bad one stops no other', async () => {
    const root = await command('releases', '!release 1.2', 'Publish these notes?');
    const file = join(folder, 'flows', 'release.flow.yaml');
    writeFileSync(file, readFileSync(file, 'utf8').replace('Publish these notes?', 'Ship it?'));
    writeFileSync(join(folder, 'flows', 'incident.flow.yaml'), 'steps: {');
    const { catalog } = flowbot.bot;
    await vi.waitFor(
      () => {
        const ids = catalog.flows.map((flow) => flow.id);
        expect(ids).not.toContain('incident');
        expect(ids).toContain('release');
      },
      { timeout: 15_000 },
    );
    expect(catalog.broken.map((broken) => broken.faults.length > 0)).toEqual([true]);
    await command('releases', '!release 2.0', 'Ship it?');
    await press('bo', root, 'Publish these notes?', 'Approve');
    await until(() => people.thread(root), 'has succeeded');
  });

  test('release: the feedback of a rejection is in the second draft, and an approval announces it', async () => {
    const root = await command('releases', '!release 1.2', 'Publish these notes?');
    await press('bo', root, 'Publish these notes?', 'Reject', { feedback: 'Mention the new button.' });
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

  describe('access', () => {
    const title = 'Give access?';
    const filled = { field_until: '2027-03-31', field_reason: 'Bills of the quarter' };

    test('two of three give it: each fills in the form, the last one’s values are used, files are kept', async () => {
      const root = await command('general', '!access billing', title);
      const query = new URLSearchParams({ as: 'bo', name: 'signed.pdf', type: 'application/pdf' });
      const { id } = z
        .object({ id: z.string() })
        .parse(await call(`upload?${query}`, Buffer.from('%PDF-1.7')));
      await press('bo', root, title, 'Give access', filled, { attachments: [id] });
      await until(() => people.thread(root), 'Bo: Give access');
      await press('dee', root, title, 'Give access', { ...filled, field_until: '2027-01-31' });
      await until(() => people.thread(root), 'Access has succeeded');
      const thread = await until(() => people.thread(root), 'billing is open to Ana until 2027-01-31');
      expect(thread.map(textOf).join('\n')).toContain('Agreed by Bo, Dee.');
      const decided = await cardOf(root, title, 'Give access');
      expect(textOf(decided)).toContain('✅ Give access by Bo and Dee');
      expect(decided.button).toBe('');
      const row = (await flowbot.bot.store.runs({ limit: 1 }))[0];
      const run = await flowbot.bot.store.run(row?.id ?? '');
      expect(run?.state.outputs.decide?.json.files).toMatchObject([{ name: 'signed.pdf', sizeBytes: 8 }]);
    });

    test('an answer of its own has its own way on: two agree to look only', async () => {
      const root = await command('general', '!access billing', title);
      await press('bo', root, title, 'Read only', filled);
      // Whoever changes their mind counts once.
      await press('bo', root, title, 'Give access', filled);
      await press('bo', root, title, 'Read only', filled);
      await press('cy', root, title, 'Read only', filled);
      await until(() => people.thread(root), 'Ana may look at billing until 2027-03-31');
    });

    test('one refusal is enough; it needs a reason, and nothing is filled in', async () => {
      const root = await command('general', '!access billing', title);
      await press('bo', root, title, 'Give access', filled);
      await press('cy', root, title, 'Reject', { feedback: '  ' });
      expect(await privately('cy')).toEqual(['“Reject” needs a comment.']);
      await press('cy', root, title, 'Reject', { feedback: 'She has left the team.' });
      await until(() => people.thread(root), 'No access to billing for Ana.\n\nShe has left the team.');
    });

    test('what does not fit the form is said at its field, and nothing is answered', async () => {
      const root = await command('general', '!access billing', title);
      const wrong = { field_until: 'soon', field_reason: 'no' };
      expect(await press('bo', root, title, 'Give access', wrong)).toEqual({
        field_until: expect.stringContaining('date'),
        field_reason: expect.stringContaining('5'),
      });
      expect(textOf(await cardOf(root, title, 'Give access'))).not.toContain('Bo: ');
    });

    test('whoever asks, and whoever is not named, can not answer, and hears so alone', async () => {
      await people.say('bo', 'general', '!access billing');
      const root = (await people.messages('general'))[0]?.id ?? '';
      await press('bo', root, title, 'Give access', filled);
      await press('ana', root, title, 'Give access', filled);
      expect(await privately('bo')).toEqual(['You started this run, so somebody else has to answer.']);
      expect(await privately('ana')).toEqual(['Only Bo, Cy, Dee may answer this.']);
      expect(await privately('cy')).toEqual([]);
    });

    test('after a day maintainers may answer, too; after three days it is refused by itself', async () => {
      const root = await command('general', '!access billing', title);
      clock.pass(hours(4));
      await until(() => people.thread(root), 'Still waiting for Bo, Cy, Dee: Give access?');
      clock.pass(hours(20));
      await until(() => people.thread(root), 'Now @maintainers may answer, too.');
      clock.pass(hours(48));
      await until(() => people.thread(root), 'No access to billing for Ana.');
      expect(textOf(await cardOf(root, 'Expired', 'Give access'))).toContain('nobody had decided by then');
    });
  });

  describe('the tour of LoCrew', () => {
    const title = 'Publish this article?';
    beforeEach(() => {
      answer = { status: 200, body: '{"ok":true}' };
    });

    test('an article is doubted, sent back with a comment, and published', async () => {
      const root = await command('general', '!article green tea', title);
      await until(() => people.messages('general'), 'may need another look');
      await press('bo', root, title, 'Reject', { feedback: 'Say how old it is.' });
      await until(() => people.thread(root), 'Review (round 2)');
      await press('bo', root, 'Leaves, water and time', 'Approve');
      await until(() => people.thread(root), 'LoCrew tour has succeeded');
      const [post, ...others] = await until(() => people.messages('announcements'), 'Leaves, water and time');
      expect(others).toEqual([]);
      expect(textOf(post)).toContain('Tags: ["drinks","leaves","history"]');
      await until(() => people.messages('@ana'), 'Leaves, water and time was approved.');
      const doubts = (await people.messages('general')).filter((message) =>
        textOf(message).includes('may need another look'),
      );
      expect(doubts).toHaveLength(1);
    });

    test('without the service it is published all the same', async () => {
      answer = { status: 503, body: 'busy' };
      const root = await command('general', '!article green tea', title);
      await press('bo', root, title, 'Approve');
      await until(() => people.thread(root), 'LoCrew tour has succeeded');
    });
  });

  describe('the tour of the manifest', () => {
    const title = 'Sign this off?';

    test('a ticket is built in parts, sent back by the check, put on hold', async () => {
      const root = await command('general', '!ticket A logbook', title);
      await until(() => people.thread(root), 'has used up 76 % of its budget');
      await press('bo', root, title, 'Hold', { feedback: 'After the holidays.' });
      await until(() => people.thread(root), 'Manifest tour has succeeded');
      await until(() => people.messages('general'), 'A logbook is on hold: After the holidays.');
      expect(await newestOutput()).toEqual({
        title: 'A logbook',
        parts: ['intro', 'usage', 'index'],
      });
    });

    test('a rejection costs more than there is: people allow more, and it is signed', async () => {
      const root = await command('general', '!ticket A logbook', title);
      await press('bo', root, title, 'Reject', { feedback: 'Name the owner.' });
      await press('bo', root, 'budget', 'Allow as much again');
      await until(() => people.thread(root), 'Signature (round 3)');
      await press('bo', root, title, 'Sign');
      await until(() => people.thread(root), 'Manifest tour has succeeded');
      await until(() => people.messages('announcements'), 'A logbook is done: 4 files.');
    });

    test('a typo needs no signature, though the agent first picks what there is not', async () => {
      await command('general', '!ticket Mend a typo', 'Manifest tour has succeeded');
      await until(() => people.messages('general'), 'Mend a typo is done.');
    });
  });

  describe('the tour of Milford', () => {
    beforeEach(() => {
      answer = { status: 200, body: '{"ok":true}' };
    });

    test('a fault is sorted, and those who can help are told', async () => {
      const report = '!fault report="The printer in the hall is on fire"';
      await command('ops', report, 'Milford tour has succeeded');
      await until(() => people.messages('ops'), '🔧 printer: The printer in the hall is on fire.');
      await until(() => people.messages('ops'), '🚨 The printer in the hall is on fire.');
      expect(await newestOutput()).toEqual({
        devices: ['printer', 'projector', 'coffee machine'],
        urgency: 'high',
      });
    });

    test('people are asked about a smell', async () => {
      await command('ops', '!fault report="There is a smell" devices=printer', 'Milford tour has succeeded');
      await until(() => people.messages('general'), '❓ Which device is this about?');
      await until(() => people.messages('ops'), '🕊️ Something smells odd');
    });

    test('what does not need the registry goes on without it', async () => {
      answer = { status: 503, body: 'busy' };
      await command('ops', '!fault report=Fire', '"Registry" failed: ');
      await until(() => people.messages('ops'), '🚨 The printer in the hall is on fire.');
    });
  });
});

function textOf(message: Message | undefined): string {
  return message ? bodyText(message.body) : '';
}

/** The samples as they are, but for the address of the status page and of what stands for Flowbot's own. */
function copySamples(folder: string, port: number): void {
  for (const part of ['flows', 'agents', 'schemas'])
    cpSync(join(ROOT, part), join(folder, part), { recursive: true });
  for (const name of globSync('*.flow.yaml', { cwd: join(folder, 'flows') })) {
    const file = join(folder, 'flows', name);
    const text = readFileSync(file, 'utf8').replaceAll('http://127.0.0.1:3000', `http://127.0.0.1:${port}`);
    writeFileSync(file, name === 'incident.flow.yaml' ? askHere(text, port) : text);
  }
}

function askHere(incident: string, port: number): string {
  return incident
    .replace('https://www.githubstatus.com', `http://127.0.0.1:${port}`)
    .replace('attempts: 3', 'attempts: 1\n    allowHosts: ["127.0.0.1"]');
}

function portOf(server: Server): number {
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('The server has no port.');
  return address.port;
}

function hours(count: number): number {
  return count * 3_600_000;
}
