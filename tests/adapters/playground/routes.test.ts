import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Json } from '../../../src/engine/json.ts';
import { md } from '../../../src/engine/prose.ts';
import { createPlaygroundHarness, type PlaygroundHarness, read } from './harness.ts';

let h: PlaygroundHarness;
beforeEach(async () => {
  h = await createPlaygroundHarness();
});
afterEach(() => h.close());

const post = async (text: string, key = 'key') => {
  const [part] = h.chat.render({ prose: [md(text)], buttons: [], notify: [] });
  const outcome = await h.chat.post(h.channel, part ?? null, key);
  if (outcome.kind !== 'posted') throw new Error('not posted');
  return outcome;
};

describe('the page', () => {
  test.each([
    ['', 'text/html'],
    ['app.js', 'text/javascript'],
    ['style.css', 'text/css'],
    ['icon.svg', 'image/svg+xml'],
  ])('serves %j as %s', async (file, type) => {
    const response = await h.get(file, {});
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toContain(type);
  });

  test.each([
    '../index.ts',
    '..%2findex.ts',
    '%2e%2e%2findex.ts',
    '%2e%2e/index.ts',
    '..\\index.ts',
    '%2fetc%2fpasswd',
    'index.html%00.js',
    'constructor',
  ])('serves nothing else: %s', async (path) => {
    expect((await fetch(`${h.url}/playground/${path}`)).status).toBe(404);
  });

  test('may load nothing from elsewhere', async () => {
    const html = await (await h.get('', {})).text();
    expect(html).not.toMatch(/(src|href)="(https?:)?\/\//);
    expect(html).not.toMatch(/<script(?![^>]* src=)|<style| style=| on\w+=/);
  });
});

describe('what people may do', () => {
  test.each([
    ['an unknown person', 'say', { as: 'eve', conversation: 'general', text: 'x' }, 400],
    ['no text', 'say', { as: 'ana', conversation: 'general', text: ' \n' }, 400],
    ['too much text', 'say', { as: 'ana', conversation: 'general', text: 'x'.repeat(4001) }, 400],
    ['an unknown channel', 'say', { as: 'ana', conversation: 'nowhere', text: 'x' }, 404],
    ["somebody else's direct messages", 'say', { as: 'ana', conversation: '@bo', text: 'x' }, 404],
    ['a made-up thread', 'say', { as: 'ana', conversation: 'general', thread: 'm1', text: 'x' }, 404],
    ['a made-up message', 'click', { as: 'ana', message: 'm000000001-x', button: 'b' }, 404],
    ['a long button id', 'click', { as: 'ana', message: 'm1', button: 'b'.repeat(101) }, 400],
    [
      'values that are no text',
      'submit',
      { as: 'ana', conversation: 'general', form: 'f', values: { a: 1 } },
      400,
    ],
    ['no object at all', 'say', 'text', 400],
    ["another bot's click", 'click', { as: 'ci', message: 'm1', button: 'b' }, 403],
    ["another bot's form", 'submit', { as: 'ci', conversation: 'general', form: 'f', values: {} }, 403],
  ])('%s is refused with a sentence', async (_, route, body, status) => {
    const response = await h.send(route, body);
    expect(response.status).toBe(status);
    expect(await response.json()).toEqual({ error: expect.stringMatching(/\S/) });
    expect(h.inbox.taken).toEqual([]);
  });

  test('half characters in what they send become replacement characters', async () => {
    await h.say(h.people.ana, h.channel, 'half \ud83d');
    const values = { 'a\udc00': 'bad \ud800', b: 'whole \u{1f600}' };
    await h.submit(h.people.ana, h.channel, 'form', values);
    expect(h.inbox.taken).toMatchObject([
      { type: 'message', text: 'half \ufffd' },
      { type: 'submit', values: { 'a\ufffd': 'bad \ufffd', b: 'whole \u{1f600}' } },
    ]);
  });

  test('a page that opens gets only the newest private messages', async () => {
    for (let n = 0; n < 60; n += 1) {
      await h.send('say', { as: 'ana', conversation: 'general', text: `/x${n}` });
    }
    const seen = (await h.privates(h.people.ana)).map(({ text }) => text);
    expect(seen).toHaveLength(50);
    expect([seen[0], seen.at(-1)]).toEqual([
      '/x10 is not a command here; /flow is.',
      '/x59 is not a command here; /flow is.',
    ]);
  });

  test('a person edits only their own messages', async () => {
    const message = await h.say(h.people.ana, h.channel, 'mine');
    const response = await h.send('edit', { as: 'bo', message: message.id, text: 'yours' });
    expect(response.status).toBe(409);
    expect(await h.messages(h.channel)).toMatchObject([{ text: 'mine', edited: false }]);
  });

  test('a word after a slash that is no command is told privately, and nobody else sees it', async () => {
    await h.send('say', { as: 'ana', conversation: 'general', text: '/flwo list' });
    expect(await h.privates(h.people.ana)).toMatchObject([
      { text: '/flwo is not a command here; /flow is.' },
    ]);
    expect(await h.privates(h.people.bo)).toEqual([]);
    expect(await h.messages(h.otherChannel)).toEqual([]);
    expect(h.inbox.taken).toEqual([]);
  });

  test.each(['/flow', '/FLOW', '/flow  '])('bare %j is the command without text', async (text) => {
    await h.send('say', { as: 'ana', conversation: 'general', text });
    expect(h.inbox.taken).toMatchObject([{ type: 'command', text: '' }]);
  });

  test('a private message can be dismissed, by nobody else', async () => {
    await h.send('say', { as: 'ana', conversation: 'general', text: '/x' });
    const { privates } = await read<{ privates: { id: string }[] }>(h.get('api/state', { as: 'ana' }));
    const id = privates[0]?.id;
    expect((await h.send('dismiss', { as: 'bo', private: id })).status).toBe(404);
    expect((await h.send('dismiss', { as: 'ana', private: id })).status).toBe(200);
    expect(await h.privates(h.people.ana)).toEqual([]);
  });

  test("what a person types notifies whom it names, but not in an address, and not a group's name", async () => {
    const message = await h.say(h.people.ana, h.channel, 'hi @bo and @BO, mail x@dee, @everyone @ana');
    expect(await h.notified(message)).toEqual(['bo']);
    const bot = await h.sayAsBot(h.channel, 'hi @bo');
    expect(await h.notified(bot)).toEqual([]);
  });

  test('completions come from the bot', async () => {
    const completions = [
      { typed: 'run release', shown: 'Release notes (release)' },
      { typed: 'runs', shown: 'runs' },
    ];
    h.inbox.completeWith(completions);
    const response = await h.get('api/complete', { as: 'ana', conversation: 'general', typed: 'ru' });
    expect(await response.json()).toEqual({ completions });
  });

  test('when the bot is away people hear that it has to wait', async () => {
    await h.chat.stop();
    const response = await h.send('say', { as: 'ana', conversation: 'general', text: 'hello' });
    expect(await response.json()).toEqual({ kind: 'later' });
  });

  test('a form that comes too late is not opened; the person is told to press again', async () => {
    const { message } = await post('card');
    await h.chat.stop();
    await h.click(h.people.ana, message, 'b');
    const field = { id: 'a', label: 'A', type: 'text', required: false } as const;
    h.inbox.openOnClick({ id: 'f', title: 'F', submitLabel: 'Send', fields: [field] });
    await h.restart();
    await expect
      .poll(() => h.privates(h.people.ana))
      .toMatchObject([{ text: 'That took too long. Please press again.' }]);
    expect(h.inbox.taken).toEqual([]);
  });

  test('channels that flows name are there, once, whatever their case', async () => {
    h.ensureChannels(['#Release-Notes', 'release-notes', '#', 'no/slash', 'x'.repeat(81)]);
    const state = h.get('api/state', { as: 'ana' });
    const { conversations } = await read<{ conversations: { name: string }[] }>(state);
    expect(conversations.map(({ name }) => name)).toEqual([
      '#announcements',
      '#general',
      '#ops',
      '#release-notes',
      '#releases',
      '@ana',
    ]);
  });

  test('older messages come page by page', async () => {
    for (let n = 0; n < 120; n += 1) await post(`n${n}`, `key-${n}`);
    const sizes: number[] = [];
    let before: string | undefined;
    for (let more = true; more; ) {
      const query = { as: 'ana', conversation: 'releases', ...(before ? { before } : {}) };
      const page: { messages: { id: string }[]; more: boolean } = await read(h.get('api/messages', query));
      sizes.push(page.messages.length);
      before = page.messages[0]?.id;
      more = page.more;
    }
    expect(sizes).toEqual([50, 50, 20]);
  });
});

describe('the platform refuses what exceeds its limits', () => {
  const fine = { markdown: 'x', buttons: [], notify: [] };
  const button = { id: 'b', label: 'B', style: 'plain' };
  test.each([
    ['text', { ...fine, markdown: 'x'.repeat(4001) }],
    ['no text', { ...fine, markdown: ' ' }],
    ['half a character', { ...fine, markdown: '\ud83d' }],
    ['a label', { ...fine, buttons: [{ ...button, label: 'x'.repeat(76) }] }],
    ['a button id', { ...fine, buttons: [{ ...button, id: 'x'.repeat(101) }] }],
    ['buttons', { ...fine, buttons: Array.from({ length: 26 }, (_, n) => ({ ...button, id: `b${n}` })) }],
    ['two buttons with one id', { ...fine, buttons: [button, button] }],
    ['a key it does not know', { ...fine, html: '<b>' }],
    ['nothing', null],
  ])('%s', async (_, part) => {
    const outcome = await h.chat.post(h.channel, part, 'key');
    expect(outcome).toEqual({
      kind: 'refused',
      message: expect.stringMatching(/^The playground refused it: .*\.$/),
    });
    expect(await h.messages(h.channel)).toEqual([]);
  });

  test('a form', async () => {
    h.inbox.answerNext({
      kind: 'form',
      form: { id: 'x'.repeat(101), title: 'T', submitLabel: 'S', fields: [] },
    });
    await h.command(h.people.ana, h.channel, 'run');
    expect(await h.form(h.people.ana)).toBeUndefined();
    expect(await h.privates(h.people.ana)).toMatchObject([{ text: expect.stringContaining('at most 100') }]);
  });
});

describe('links to posts', () => {
  test('lead to the page, and the found post has the same', async () => {
    const { message, url } = await post('hello');
    expect(url).toBe(`${h.url}/playground/#releases/${message.id}`);
    expect(await h.chat.find(h.channel, 'key', 0)).toEqual({ kind: 'found', message, url });
  });
});

describe('a workspace that was deleted and made again', () => {
  test('does not take the old ids for its own', async () => {
    const { message } = await post('hello');
    const other = await createPlaygroundHarness();
    await other.say(other.people.ana, other.channel, 'first');
    expect(await other.chat.edit(message, null)).toEqual({ kind: 'gone' });
    await other.close();
  });
});

describe('a posted file', () => {
  const png = Buffer.from('89504e470d0a1a0a', 'hex');
  const file = (name: string, mediaType: string, bytes: Buffer) => ({
    file: { name, mediaType, alt: 'What it shows', data: bytes.toString('base64') },
  });
  const posted = async (part: Json, place = h.channel) => {
    const outcome = await h.chat.post(place, part, 'key');
    if (outcome.kind !== 'posted') throw new Error('not posted');
    return outcome.message;
  };

  test.each([
    ['page.html', 'text/html', 'application/octet-stream', Buffer.from('<script>alert(1)</script>')],
    ['image.svg', 'image/svg+xml', 'application/octet-stream', Buffer.from('<svg onload="alert(1)"/>')],
    ['chart.png', 'image/png', 'image/png', png],
  ])('%s is sent to be saved, never to be opened as a page', async (name, mediaType, type, bytes) => {
    const { id } = await posted(file(name, mediaType, bytes));
    const response = await h.get('api/file', { as: 'bo', message: id });
    expect(Buffer.from(await response.arrayBuffer())).toEqual(bytes);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': type,
      'content-disposition': `attachment; filename="${name}"`,
      'x-content-type-options': 'nosniff',
    });
  });

  test('is not in what the page gets of its message', async () => {
    await posted(file('chart.png', 'image/png', png));
    const { messages } = await read<{ messages: readonly { body: unknown }[] }>(
      h.get('api/messages', { as: 'ana', conversation: 'releases' }),
    );
    expect(messages.map(({ body }) => body)).toEqual([
      { kind: 'file', name: 'chart.png', mediaType: 'image/png', alt: 'What it shows', picture: true },
    ]);
  });

  test('is seen only by those who see its message', async () => {
    const { id } = await posted(file('chart.png', 'image/png', png), { ...h.channel, conversation: '@bo' });
    expect((await h.get('api/file', { as: 'bo', message: id })).status).toBe(200);
    expect((await h.get('api/file', { as: 'ana', message: id })).status).toBe(404);
  });

  test('is gone with its message, and when words take its place', async () => {
    const first = await posted(file('chart.png', 'image/png', png));
    await h.deleteMessage(first);
    const second = await posted(file('chart.png', 'image/png', png));
    const [words = null] = h.chat.render({ prose: [md('words')], buttons: [], notify: [] });
    expect(await h.chat.edit(second, words)).toEqual({ kind: 'edited' });
    const { message: third } = await post('no file');
    for (const { id } of [first, second, third]) {
      expect((await h.get('api/file', { as: 'ana', message: id })).status).toBe(404);
    }
    expect(await h.messages(h.channel)).toMatchObject([{ text: 'words', files: [] }, { text: 'no file' }]);
  });
});

describe('a picture that only one person is shown', () => {
  const picture = (name: string) => ({
    name,
    mediaType: 'image/png',
    alt: 'What it shows',
    data: Buffer.from(`bytes of ${name}`).toString('base64'),
  });
  /** Shows pictures to Ana; gives the ids of their messages. */
  async function shown(...names: string[]): Promise<readonly string[]> {
    h.inbox.answerNext({
      kind: 'private',
      content: { prose: [md('Done.')], buttons: [], notify: [], files: names.map(picture) },
    });
    await h.command(h.people.ana, h.channel, 'status');
    const { privates } = await read<{ privates: { id: string }[] }>(h.get('api/state', { as: 'ana' }));
    return privates.slice(-names.length).map(({ id }) => id);
  }
  const statusFor = async (as: string, message = '') => (await h.get('api/file', { as, message })).status;

  test('is given to that person alone, until they dismiss it', async () => {
    const [id] = await shown('chart.png');
    const response = await h.get('api/file', { as: 'ana', message: id ?? '' });
    expect(await response.text()).toBe('bytes of chart.png');
    expect(response.headers.get('content-type')).toBe('image/png');
    expect(await statusFor('bo', id)).toBe(404);
    await h.send('dismiss', { as: 'ana', private: id });
    expect(await statusFor('ana', id)).toBe(404);
  });

  test('is still there after a restart', async () => {
    const [id] = await shown('chart.png');
    await h.restart();
    expect(await statusFor('ana', id)).toBe(200);
  });

  test('gives way to the hundredth newer one, so that the file does not grow for ever', async () => {
    const [first, second] = await shown('1.png', '2.png');
    for (let round = 0; round < 9; round += 1) {
      await shown(...Array.from({ length: 11 }, (_, index) => `${round}-${index}.png`));
    }
    expect([await statusFor('ana', first), await statusFor('ana', second)]).toEqual([404, 200]);
  });
});

describe('files of forms', () => {
  const upload = (bytes: Buffer | string, query: Readonly<Record<string, string>> = {}) =>
    fetch(
      `${h.url}/playground/api/upload?${new URLSearchParams({ as: 'ana', name: 'plan.pdf', type: '', ...query })}`,
      {
        method: 'POST',
        headers: { 'content-type': 'application/octet-stream', origin: h.url },
        body: new Uint8Array(Buffer.from(bytes)),
      },
    );
  const idOf = async (response: Promise<Response>) => (await read<{ id: string }>(response)).id;
  const submit = (files: unknown, as = 'ana') =>
    h.send('submit', {
      as,
      conversation: 'general',
      form: 'f',
      values: { why: 'x', plan: 'made up' },
      files,
    });

  test('are described by the playground, not by the page', async () => {
    const id = await idOf(upload('%PDF'));
    await submit({ plan: [id], none: [] });
    const [event] = h.inbox.taken;
    const values = event?.type === 'submit' ? event.values : {};
    expect(values).toMatchObject({ why: 'x', none: '' });
    const url = `${h.url}/playground/api/upload?id=${id}`;
    const described = { id, name: 'plan.pdf', type: 'application/octet-stream', sizeBytes: 4, url };
    expect(JSON.parse(values.plan ?? '')).toEqual([described]);
  });

  test('are sent to be saved at their address, never to be opened as a page', async () => {
    const id = await idOf(upload('<script>', { name: 'a"\r\n; ü.html', type: 'text/html' }));
    const response = await h.get('api/upload', { id });
    expect(await response.text()).toBe('<script>');
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'application/octet-stream',
      'content-disposition': "attachment; filename*=UTF-8''a%22%0D%0A%3B%20%C3%BC.html",
    });
  });

  test('may be empty', async () => {
    await submit({ plan: [await idOf(upload(''))] });
    expect(h.inbox.taken).toMatchObject([{ values: { plan: expect.stringContaining('"sizeBytes":0') } }]);
  });

  test('of others, and made-up ones, can’t be sent', async () => {
    const id = await idOf(upload('%PDF', { as: 'bo' }));
    for (const wrong of [id, 'u000000009-x', 'm000000001', '']) {
      const response = await submit({ plan: [wrong] });
      expect(response.status).toBe(404);
      expect(await response.json()).toEqual({ error: expect.stringContaining('choose it again') });
    }
    expect((await submit({ plan: Array(11).fill(id) }, 'bo')).status).toBe(400);
    expect(h.inbox.taken).toEqual([]);
  });

  test.each([
    ['no name', { name: ' ' }, 'x', 400],
    ['a long name', { name: 'n'.repeat(256) }, 'x', 400],
    ['an unknown person', { as: 'eve' }, 'x', 400],
    ['a bot as who sends them', { as: 'ci' }, 'x', 403],
    ['too many bytes', {}, Buffer.alloc(20 * 1024 * 1024 + 1), 413],
  ])('with %s are refused with a sentence', async (_, query, bytes, status) => {
    const response = await upload(bytes, query);
    expect(response.status).toBe(status);
    expect(await response.json()).toEqual({ error: expect.stringMatching(/\S.*\.$/) });
  });

  test('make room for newer ones', async () => {
    const first = await idOf(upload('%PDF'));
    for (let n = 0; n < 49; n += 1) await idOf(upload('x'));
    expect((await h.get('api/upload', { id: first })).status).toBe(200);
    await idOf(upload('x'));
    expect((await h.get('api/upload', { id: first })).status).toBe(404);
  });
});
