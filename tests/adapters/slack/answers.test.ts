import { createServer, type RequestListener } from 'node:http';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createAnswers } from '../../../src/adapters/slack/answers.ts';
import type { PostFile } from '../../../src/engine/post.ts';
import { literal, md } from '../../../src/engine/prose.ts';
import type { Answer } from '../../../src/ports/chat.ts';
import { createKeptLog } from '../../fakes/log.ts';
import type { SlackStandIn } from '../../fakes/slack/index.ts';
import { answering } from './answering.ts';
import { openSlack, type SlackHarness } from './harness.ts';

const answer = (text: string): Answer => ({
  kind: 'private',
  content: { prose: [literal(text)], buttons: [], notify: [] },
});
const chart: PostFile = {
  name: 'chart.png',
  mediaType: 'image/png',
  alt: 'A chart of the run',
  data: Buffer.from('picture').toString('base64'),
};
const withChart: Answer = {
  kind: 'private',
  content: { prose: [md('Done.')], buttons: [], notify: [], files: [chart] },
};
const form = {
  id: 'form:1',
  title: 'A form',
  submitLabel: 'Send',
  fields: [{ id: 'a', label: 'A', type: 'text', required: true }],
} as const;
const methodsOf = (slack: SlackStandIn) => slack.calls().map(({ method }) => method);
const privateTexts = async (slack: SlackStandIn, person = slack.people.ana) =>
  (await slack.privates(person)).map(({ text }) => text);

/** A server for one test; gives its address. */
async function serve(answered: RequestListener): Promise<string> {
  const server = createServer(answered);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const address = server.address();
  return `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}/`;
}

describe('what only one person sees', () => {
  test('it comes at the address of the command, in the place of the command', async () => {
    const { slack, inbox } = await openSlack('http');
    inbox.answerNext(answer('if a < b <!channel>'));
    await slack.command(slack.people.ana, slack.channel, 'status');
    expect(await privateTexts(slack)).toEqual(['if a < b <!channel>']);
    expect(methodsOf(slack)).not.toContain('chat.postEphemeral');
    expect(await privateTexts(slack, slack.people.bo)).toEqual([]);
    expect(await slack.messages(slack.channel)).toEqual([]);
  });

  test('what is longer than five answers goes on as a private message, in order', async () => {
    const { slack, inbox } = await openSlack('http');
    const lines = Array.from({ length: 1_600 }, (_, index) => `${index} ${'x'.repeat(30)}`);
    inbox.answerNext({
      kind: 'private',
      content: { prose: [md(lines.join('\n\n'))], buttons: [], notify: [] },
    });
    await slack.command(slack.people.ana, slack.channel, 'list');
    const shown = (await privateTexts(slack)).flatMap((text) => text.split(/\n+/));
    expect(shown.filter((line) => line !== '')).toEqual(lines);
    expect((await slack.privates(slack.people.ana)).length).toBeGreaterThan(5);
    expect(methodsOf(slack)).toContain('chat.postEphemeral');
  });

  /** The answer to a command comes after this time. */
  async function answerAfter(h: SlackHarness, ms: number, place = h.slack.channel) {
    const given = Promise.withResolvers<Answer>();
    h.inbox.receive = async () => ({ answer: given.promise });
    await h.slack.command(h.slack.people.ana, place, 'status');
    h.slack.pass(ms);
    given.resolve(answer('Done.'));
    await h.slack.until(() => methodsOf(h.slack).some((method) => method.startsWith('chat.post')));
    await h.slack.quiet();
  }

  test('after half an hour it is a private message in the channel', async () => {
    const h = await openSlack('http');
    await answerAfter(h, 31 * 60_000);
    expect(await privateTexts(h.slack)).toEqual(['Done.']);
    expect(methodsOf(h.slack)).toContain('chat.postEphemeral');
  });

  test('where the bot is not, it is a direct message then', async () => {
    const h = await openSlack('http');
    const place = h.slack.createChannel({ name: 'launch', botIsMember: false });
    await answerAfter(h, 31 * 60_000, place);
    const direct = h.slack.directPlace(h.slack.people.ana);
    expect(await h.slack.messages(direct)).toMatchObject([{ text: 'Done.' }]);
    expect(await h.slack.messages(place)).toEqual([]);
  });

  test.each([true, false])(
    'a form has no such address: its answer is a private message, or a direct one (bot in the channel: %s)',
    async (botIsMember) => {
      const { slack, inbox } = await openSlack('http');
      const { ana } = slack.people;
      const place = slack.createChannel({ name: 'launch', botIsMember });
      inbox.answerNext({ kind: 'form', form });
      await slack.command(ana, place, 'run');
      inbox.answerNext(answer('Done.'));
      await slack.submit(ana, place, form.id, { a: 'x' });
      expect(await privateTexts(slack)).toEqual(botIsMember ? ['Done.'] : []);
      expect((await slack.messages(slack.directPlace(ana))).map(({ text }) => text)).toEqual(
        botIsMember ? [] : ['Done.'],
      );
      expect(await slack.messages(place)).toEqual([]);
    },
  );

  test('an answer whose blocks Slack does not take comes in the plainest form', async () => {
    const { slack, inbox } = await openSlack('http');
    const { ana } = slack.people;
    inbox.answerNext({ kind: 'form', form });
    await slack.command(ana, slack.channel, 'run');
    slack.failMethod('chat.postEphemeral', { kind: 'error', code: 'invalid_blocks' });
    inbox.answerNext(answer('Done.'));
    await slack.submit(ana, slack.channel, form.id, { a: 'x' });
    expect(await privateTexts(slack)).toEqual(['Done.']);
  });

  test('trap 7: whose form comes too late hears how to get it', async () => {
    const { slack, inbox } = await openSlack('http');
    const { ana } = slack.people;
    slack.failMethod('views.open', { kind: 'error', code: 'expired_trigger_id' }, 3);
    inbox.answerNext({ kind: 'form', form });
    await slack.command(ana, slack.channel, 'run');
    inbox.openOnClick(form);
    await slack.globalShortcut(ana);
    const message = await slack.say(slack.people.bo, slack.channel, 'use this');
    await slack.messageShortcut(ana, message);
    expect(await privateTexts(slack)).toEqual([
      'That took too long. Please try again.',
      'That took too long. Please choose the shortcut again.',
    ]);
    expect(await slack.messages(slack.directPlace(ana))).toMatchObject([
      { text: 'That took too long. Please choose the shortcut again.' },
    ]);
    expect(slack.troubles(ana)).toEqual([]);
  });

  test('a stop gives answers under way, and does not wait for one that never comes', async () => {
    const { slack, inbox, chat } = await openSlack('http');
    const given = Promise.withResolvers<Answer>();
    inbox.receive = async () => ({ answer: given.promise });
    await slack.command(slack.people.ana, slack.channel, 'one');
    inbox.receive = async () => ({ answer: Promise.withResolvers<Answer>().promise });
    await slack.command(slack.people.ana, slack.channel, 'two');
    const stopped = chat.stop();
    given.resolve(answer('Just in time.'));
    await stopped;
    expect(await privateTexts(slack)).toEqual(['Just in time.']);
  });

  test.each([
    [200, '{"ok":false,"error":"invalid_blocks"}'],
    [404, '{"ok":false,"error":"used_url"}'],
    [500, ''],
    [302, ''],
  ])('an address that answers %i %s did not show it: it is said otherwise', async (status, body) => {
    const asked: string[] = [];
    const serving = await serve((_, response) => {
      response.writeHead(status, { location: '/' }).end(body);
    });
    const answers = createAnswers({
      calls: answering((method) => {
        asked.push(method);
        return { kind: 'refused', code: 'user_not_in_channel', refusal: 'no', message: 'No.' };
      }),
      apiUrl: serving,
      log: createKeptLog(),
    });
    const url = new URL('/response/R1', serving).href;
    const contact = { trigger: '1.2', responseUrl: url };
    await answers.tell(
      { user: 'U0ANA', channel: 'C0GENERAL', contact },
      { prose: [md('Hi')], buttons: [], notify: [] },
    );
    expect(asked).toEqual(['chat.postEphemeral', 'chat.postMessage']);
  });

  test('an address that is not of Slack is never called', async () => {
    const h = await openSlack('http');
    let called = 0;
    const { port } = new URL(
      await serve((_, response) => {
        called += 1;
        response.end();
      }),
    );
    const forged = [
      `http://127.0.0.1:${port}/response/R1`,
      `http://hooks.slack.com@127.0.0.1:${port}/`,
      `http://hooks.slack.com.localhost:${port}/`,
      'file:///etc/passwd',
      'no address',
    ];
    for (const [index, url] of forged.entries()) {
      h.inbox.answerNext(answer(`Answer ${index}`));
      await h.slack.sendSigned({
        body: new URLSearchParams({
          command: '/flow',
          text: 'help',
          user_id: h.slack.people.ana.id,
          channel_id: 'C0GENERAL',
          trigger_id: `1.${index}`,
          response_url: url,
        }).toString(),
        contentType: 'application/x-www-form-urlencoded',
      });
      await h.slack.quiet();
    }
    expect(called).toBe(0);
    expect(await privateTexts(h.slack)).toEqual(forged.map((_, index) => `Answer ${index}`));
  });
});

describe('a picture that only one person sees', () => {
  const unshown = 'The picture “chart.png” could not be shown. What it shows: A chart of the run';

  test('comes at the address of the command, and is shared nowhere', async () => {
    const { slack, inbox } = await openSlack('http');
    const { ana } = slack.people;
    inbox.answerNext(withChart);
    await slack.command(ana, slack.channel, 'status');
    await slack.until(async () => (await slack.privates(ana)).length === 2);
    expect(await slack.privates(ana)).toMatchObject([
      { text: 'Done.', files: [] },
      { files: [{ name: 'chart.png', alt: 'A chart of the run' }] },
    ]);
    expect(methodsOf(slack).filter((method) => method.startsWith('chat.'))).toEqual([]);
    const completed = slack.calls().find(({ method }) => method === 'files.completeUploadExternal');
    expect(completed?.args).not.toHaveProperty('channel_id');
  });

  test('comes in the direct conversation where the bot is in no other', async () => {
    const { slack, inbox } = await openSlack('http');
    const { ana } = slack.people;
    const place = slack.createChannel({ name: 'launch', botIsMember: false });
    inbox.answerNext({ kind: 'form', form });
    await slack.command(ana, place, 'run');
    inbox.answerNext(withChart);
    await slack.submit(ana, place, form.id, { a: 'x' });
    const direct = slack.directPlace(ana);
    await slack.until(async () => (await slack.messages(direct)).length === 2);
    expect(await slack.messages(direct)).toMatchObject([
      { text: 'Done.', files: [] },
      { files: [{ name: 'chart.png', alt: 'A chart of the run' }] },
    ]);
  });

  test('is not waited for: the words are there while Slack still works on it', async () => {
    const { slack, inbox } = await openSlack('http');
    const { ana } = slack.people;
    slack.fileDelays = { processingMs: 12_000, sharingMs: 0 };
    inbox.answerNext(withChart);
    await slack.command(ana, slack.channel, 'status');
    await slack.until(() => methodsOf(slack).includes('files.info'));
    expect(await privateTexts(slack)).toEqual(['Done.']);
    await slack.until(async () => (await slack.privates(ana)).length === 2);
    expect((await slack.privates(ana))[1]).toMatchObject({ files: [{ name: 'chart.png' }] });
  });

  test.each([
    ['the app may not bring files', 'files.getUploadURLExternal', 'missing_scope'],
    ['Slack does not take it', 'files.completeUploadExternal, unseen', 'file_upload_incomplete'],
    ['Slack can’t be asked about it', 'files.info', 'file_not_found'],
    ['there are too many calls', 'files.getUploadURLExternal', 'ratelimited'],
  ])('is told of in words when %s', async (_, method, code) => {
    const { slack, inbox, log } = await openSlack('http');
    const { ana } = slack.people;
    slack.failMethod(method, { kind: 'error', code });
    inbox.answerNext(withChart);
    await slack.command(ana, slack.channel, 'status');
    await slack.until(async () => (await slack.privates(ana)).length === 2);
    expect(await privateTexts(slack)).toEqual(['Done.', unshown]);
    expect(log.lines.map(({ message }) => message)).toContain('A picture did not reach its person.');
  });

  test('is its description where Slack does not take a picture in such a message', async () => {
    const { slack, inbox } = await openSlack('http');
    const { ana } = slack.people;
    slack.fileDelays = { processingMs: 12_000, sharingMs: 0 };
    inbox.answerNext({ kind: 'form', form });
    await slack.command(ana, slack.channel, 'run');
    inbox.answerNext(withChart);
    await slack.submit(ana, slack.channel, form.id, { a: 'x' });
    await slack.until(() => methodsOf(slack).includes('files.info'));
    slack.failMethod('chat.postEphemeral', { kind: 'error', code: 'invalid_blocks' });
    await slack.until(async () => (await slack.privates(ana)).length === 2);
    expect(await privateTexts(slack)).toEqual(['Done.', 'A chart of the run']);
  });

  test('is told of in words when Slack never makes a picture of it', async () => {
    const { slack, inbox } = await openSlack('http');
    const { ana } = slack.people;
    slack.fileDelays = { processingMs: Number.POSITIVE_INFINITY, sharingMs: 0 };
    inbox.answerNext(withChart);
    await slack.command(ana, slack.channel, 'status');
    await slack.until(async () => (await slack.privates(ana)).length === 2);
    expect(await privateTexts(slack)).toEqual(['Done.', unshown]);
  });
});
