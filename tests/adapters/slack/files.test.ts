import { createServer, type RequestListener } from 'node:http';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createFiles } from '../../../src/adapters/slack/files.ts';
import type { PostFile } from '../../../src/engine/post.ts';
import type { Part } from '../../../src/ports/chat.ts';
import { answering } from './answering.ts';
import { openSlack, type SlackHarness } from './harness.ts';
import { onceShown, openLive } from './live.ts';

const notes: PostFile = {
  name: 'notes.md',
  mediaType: 'text/markdown',
  alt: '',
  data: Buffer.from('# Notes').toString('base64'),
};
const chart: PostFile = { ...notes, name: 'chart.png', mediaType: 'image/png', alt: 'A chart of the run' };

function partOf(h: SlackHarness, file: PostFile): Part {
  return h.chat.render({ prose: [], buttons: [], notify: [], files: [file] })[0] ?? null;
}

const post = (h: SlackHarness, file: PostFile, key = 'key-1') =>
  h.chat.post(h.slack.channel, partOf(h, file), key);
const find = (h: SlackHarness) => h.chat.find(h.slack.channel, 'key-1', h.slack.nowMs() - 900_000);
const callsOf = (h: SlackHarness, method: string) => h.slack.calls().filter((call) => call.method === method);
const filesIn = async (h: SlackHarness) =>
  (await h.slack.messages(h.slack.channel)).flatMap(({ files }) => files.map(({ name }) => name));

describe('a file', () => {
  test('is shared under its name as people read it, with marks in the name of the file', async () => {
    const h = await openSlack('http');
    const root = await h.slack.say(h.slack.people.ana, h.slack.channel, 'a topic');
    await h.chat.post({ ...h.slack.channel, thread: root.id }, partOf(h, notes), 'key-1');
    expect(callsOf(h, 'files.getUploadURLExternal')[0]?.args).toEqual({
      filename: expect.stringMatching(/^notes-[0-9a-f]{16}-[0-9a-f]{8}\.md$/),
      length: '7',
    });
    expect(callsOf(h, 'files.completeUploadExternal')[0]?.args).toEqual({
      files: [{ id: expect.any(String), title: 'notes.md' }],
      channel_id: 'C0GENERAL',
      thread_ts: root.id,
    });
    expect(callsOf(h, 'chat.postMessage')).toEqual([]);
  });

  test('trap 18: that Slack shares after a while is waited for', async () => {
    const h = await openSlack('http');
    h.slack.fileDelays = { processingMs: 0, sharingMs: 3_000 };
    const outcome = await post(h, notes);
    const [message] = await h.slack.messages(h.slack.channel);
    expect(outcome).toMatchObject({
      kind: 'posted',
      message: message?.ref,
      url: expect.stringMatching(/\/archives\/C0GENERAL\/p\d+$/),
    });
    expect(callsOf(h, 'files.completeUploadExternal')).toHaveLength(1);
  });

  test.each([['the process lives'], ['another process asks']])(
    'trap 18: that Slack shares late is asked for until it is there, and not sent again, when %s',
    async (who) => {
      const h = await openSlack('http');
      h.slack.fileDelays = { processingMs: 0, sharingMs: 300_000 };
      expect(await post(h, notes)).toEqual({
        kind: 'unknown',
        message: 'Slack has the file “notes.md” but does not show it yet.',
      });
      if (who === 'another process asks') await h.restart();
      expect(await find(h)).toEqual({ kind: 'later', afterMs: expect.any(Number) });
      h.slack.pass(300_000);
      const [message] = await h.slack.messages(h.slack.channel);
      expect(await find(h)).toMatchObject({ kind: 'found', message: message?.ref });
      expect(await filesIn(h)).toEqual(['notes.md']);
    },
  );

  test('that Slack took and never shows is a question for people, not another file', async () => {
    const h = await openSlack('http');
    h.slack.fileDelays = { processingMs: 0, sharingMs: Number.POSITIVE_INFINITY };
    expect(await post(h, notes)).toMatchObject({ kind: 'unknown' });
    expect(await find(h)).toMatchObject({ kind: 'later' });
    h.slack.pass(600_000);
    expect(await find(h)).toEqual({
      kind: 'unknowable',
      message: 'Slack took the file and does not show it.',
    });
  });

  test('of somebody else with the same name is not ours', async () => {
    const h = await openSlack('http');
    await post(h, notes);
    const name = String(callsOf(h, 'files.getUploadURLExternal')[0]?.args.filename);
    const [ours] = await h.slack.messages(h.slack.channel);
    if (ours) await h.slack.deleteMessage(ours.ref);
    const stolen = { name, bytes: Buffer.from('x') };
    await h.slack.upload(h.slack.people.ana, h.slack.channel, 'mine', stolen);
    expect(await find(h)).not.toMatchObject({ kind: 'found' });
  });
});

describe('a picture', () => {
  test('stands in a message with a marker, once Slack has looked at it', async () => {
    const h = await openSlack('http');
    h.slack.fileDelays = { processingMs: 3_000, sharingMs: 0 };
    expect(await post(h, chart)).toMatchObject({ kind: 'posted' });
    expect(callsOf(h, 'files.completeUploadExternal')[0]?.args).not.toHaveProperty('channel_id');
    const [said, ...others] = callsOf(h, 'chat.postMessage');
    expect(others).toEqual([]);
    expect(said?.args).toMatchObject({
      text: 'A chart of the run',
      blocks: [{ type: 'image', alt_text: 'A chart of the run', slack_file: { id: expect.any(String) } }],
      metadata: { event_type: 'flowbot_post', event_payload: { key: 'key-1' } },
      unfurl_media: 'false',
    });
  });

  test('that Slack makes no picture of is refused with what to do', async () => {
    const h = await openSlack('http');
    h.slack.fileDelays = { processingMs: Number.POSITIVE_INFINITY, sharingMs: 0 };
    expect(await post(h, chart)).toEqual({
      kind: 'refused',
      message:
        'Slack made no picture of “chart.png”: check that it is a whole PNG, JPEG or GIF, and post it again.',
    });
    expect(callsOf(h, 'chat.postMessage')).toEqual([]);
  });

  test('that is not one by what Slack finds in it is refused at once', async () => {
    const h = await openSlack('http');
    expect(await post(h, { ...chart, name: 'chart.txt' })).toMatchObject({ kind: 'refused' });
    expect(callsOf(h, 'files.info')).toHaveLength(1);
  });
});

describe('what keeps files from Slack', () => {
  test.each([
    [notes, 'files:write'],
    [chart, 'files:write'],
    [chart, 'files:read'],
  ])('a missing permission is named', async (file, scope) => {
    const h = await openSlack('http');
    h.slack.scopes = h.slack.scopes.filter((each) => each !== scope);
    expect(await post(h, file)).toEqual({
      kind: 'refused',
      message: `The app has not the permission ${scope}: add it to the app’s manifest and install the app again.`,
    });
    expect(await h.slack.messages(h.slack.channel)).toEqual([]);
  });

  test.each([
    ['files.getUploadURLExternal', { kind: 'reset' }],
    ['files.getUploadURLExternal', { kind: '429', retryAfterS: 7 }],
    ['files.getUploadURLExternal', { kind: 'cut' }],
    ['files.completeUploadExternal, unseen', { kind: 'lost' }],
    ['files.completeUploadExternal, unseen', { kind: 'status', status: 503 }],
  ] as const)('%s that fails before anybody sees anything is done again: %o', async (method, fault) => {
    const h = await openSlack('http');
    h.slack.failMethod(method, fault);
    expect(await post(h, chart)).toMatchObject({ kind: 'later' });
    expect(await post(h, chart)).toMatchObject({ kind: 'posted' });
    expect(await filesIn(h)).toEqual(['chart.png']);
  });

  /** Shares a file with a Slack that names an address of its own choice for the bytes. */
  async function shareTo(uploadUrl: string, apiUrl: string) {
    const methods: string[] = [];
    const answer = { upload_url: uploadUrl, file_id: 'F1' };
    const calls = answering((method) => {
      methods.push(method);
      return { ok: answer };
    });
    const files = createFiles({ calls, apiUrl });
    return { outcome: await files.share(notes, 'key', { channel: 'C1', thread: undefined }), methods };
  }

  async function serve(listener: RequestListener): Promise<string> {
    const server = createServer(listener).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    onTestFinished(() => void server.close());
    const address = server.address();
    return `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
  }

  test.each([
    'https://files.slack.com.evil.example/upload',
    'http://files.slack.com/upload',
    'https://127.0.0.1/',
  ])('bytes never go to %s', async (address) => {
    const { outcome, methods } = await shareTo(address, 'https://slack.com/api/');
    expect(outcome).toMatchObject({
      kind: 'refused',
      message: 'Slack named a strange address for the file “notes.md”.',
    });
    expect(methods).toEqual(['files.getUploadURLExternal']);
  });

  test.each([
    [302, 'refused'],
    [400, 'refused'],
    [429, 'later'],
    [503, 'later'],
  ])('bytes answered with %i are %s, and not sent elsewhere', async (status, kind) => {
    const asked: string[] = [];
    const origin = await serve((request, response) => {
      asked.push(request.url ?? '');
      response.writeHead(status, { location: '/elsewhere' }).end();
    });
    const { outcome, methods } = await shareTo(`${origin}/upload`, `${origin}/api/`);
    expect(outcome).toMatchObject({ kind });
    expect(asked).toEqual(['/upload']);
    expect(methods).toEqual(['files.getUploadURLExternal']);
  });

  test('bytes whose answer is lost may be sent again', async () => {
    const origin = await serve((request) => void request.socket.destroy());
    expect((await shareTo(`${origin}/upload`, `${origin}/api/`)).outcome).toMatchObject({ kind: 'later' });
  });
});

test('C26: a text too long for a message comes along as a file, once, though Slack’s answer is lost', async () => {
  const half = 'word '.repeat(1_000);
  const long = `
name: Long
triggers: [{ type: command, command: long }]
steps:
  half: { type: template, text: "${half}" }
  say: { type: message, to: "#releases", text: "{{half.text}}{{half.text}}" }
`;
  const { slack } = await openLive('http', { long });
  const posted = async () => (await slack.messages(slack.otherChannel)).flatMap(({ files }) => files);
  slack.failMethod('files.completeUploadExternal', { kind: 'lost' });
  const asked = await slack.say(slack.people.ana, slack.channel, '!long');
  await onceShown(slack, { ...slack.channel, thread: asked.id }, 'has succeeded');
  expect(await posted()).toEqual([{ name: 'say.md', text: `${half}${half}` }]);
});
