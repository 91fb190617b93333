import { describe, expect, test } from 'vitest';
import type { MethodFault } from '../../fakes/slack/index.ts';
import { onceAsked, onceShown, openLive } from './live.ts';

const echo = `
name: Echo
triggers: [{ type: command, command: echo }, { type: manual }]
steps:
  post: { type: message, to: "#releases", text: "Got: {{start.json.prompt}}" }
`;
const whole = `
name: Whole
triggers: [{ type: command, command: whole }]
steps:
  post: { type: message, to: "#releases", text: "{{start.json.prompt}}" }
`;
/** The next post after the approval is that of the step. */
const guarded = (to: string) => `
name: Guarded
triggers: [{ type: command, command: guarded }]
steps:
  ask: { type: approval, title: Publish? }
  publish: { type: message, name: Announcement, to: "${to}", text: Published, attempts: 3 }
`;

/** Runs a guarded flow up to its question; what happens next is the step. */
async function atTheQuestion(to = '#releases') {
  const { slack, live } = await openLive('http', { guarded: guarded(to) });
  const asked = await slack.say(slack.people.ana, slack.channel, '!guarded');
  const thread = { ...slack.channel, thread: asked.id };
  const question = await onceAsked(slack, thread, 'Approve');
  await slack.quiet();
  const approve = () => slack.click(slack.people.bo, question.message, question.button);
  return { slack, live, asked, thread, approve };
}

describe('what people typed, in a message step', () => {
  const hostile = 'if a < b && b > c then <!channel> and <@U0ANA> &lt;!here&gt; @here @ana <https://x|@here>';

  test.each([
    [
      'a conversation command',
      async (slack: Workspace) => slack.say(slack.people.ana, slack.channel, `!echo ${hostile}`),
    ],
    [
      'the slash command',
      async (slack: Workspace) => slack.command(slack.people.ana, slack.channel, `run echo ${hostile}`),
    ],
  ])('C01, traps 12 and 13: through %s it reads as it was typed and notifies nobody', async (_, type) => {
    const { slack } = await openLive('http', { echo });
    await type(slack);
    expect(await onceShown(slack, slack.otherChannel, 'Got:')).toEqual([`Got: ${hostile}`]);
    const [message] = await slack.messages(slack.otherChannel);
    expect(message && (await slack.notified(message.ref))).toEqual([]);
    // Escaped once: read back as Slack reads it, it is what was typed.
    const sent = slack.calls().find(({ args }) => String(args.text).startsWith('Got:'));
    expect(sent?.args.text).toBe(
      `Got: ${hostile.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')}`,
    );
    expect(sent?.args).toMatchObject({ parse: 'none', link_names: 'false', unfurl_links: 'false' });
  });

  test('C04: handles in addresses, mail addresses and code stay what they are', async () => {
    const { slack } = await openLive('http', { whole });
    const code = '@here and @ana';
    await slack.say(
      slack.people.ana,
      slack.channel,
      `!whole see https://example.com/@ana/post?user=@bo, mail ana@example.com, run \`npm i @acme/db\`, already <@U0ANA>\n\n\`\`\`\n${code}\n\`\`\``,
    );
    const [text = ''] = await onceShown(slack, slack.otherChannel, 'see');
    for (const kept of [
      'https://example.com/@ana/post?user=@bo',
      'ana@example.com',
      'npm i @acme/db',
      code,
    ]) {
      expect(text).toContain(kept);
    }
    expect(text.split('<@U0ANA>')).toHaveLength(2);
    const [message] = await slack.messages(slack.otherChannel);
    expect(message && (await slack.notified(message.ref))).toEqual([]);
  });

  test('C05: an address keeps its ampersands', async () => {
    const { slack } = await openLive('http', { whole });
    const url = 'https://example.com/find?a=1&b=2&amp=3';
    await slack.say(slack.people.ana, slack.channel, `!whole [the list](${url})`);
    await onceShown(slack, slack.otherChannel, 'the list');
    const sent = slack
      .calls()
      .filter(({ method, args }) => method === 'chat.postMessage' && args.channel === 'C0RELEASES');
    expect(JSON.stringify(sent[0]?.args.blocks)).toContain(JSON.stringify(url));
  });

  test('C07: a long code block comes whole and in order', async () => {
    const { slack } = await openLive('http', { whole });
    const lines = Array.from({ length: 300 }, (_, index) => `print(${index + 1})  # ${'x'.repeat(10)}`);
    await slack.say(
      slack.people.ana,
      slack.channel,
      `!whole One.\nTwo.\n\n\`\`\`py\n${lines.join('\n')}\n\`\`\`\n\nThe end.`,
    );
    const texts = await onceShown(slack, slack.otherChannel, 'The end.');
    const shown = texts.join('\n').split('\n');
    expect(shown.filter((line) => line.startsWith('print'))).toEqual(lines);
    expect(shown[0]).toBe('One.');
    expect(texts.join('\n')).not.toContain('```');
  });
});

describe('a message step whose post goes wrong', () => {
  const lost: readonly [string, MethodFault][] = [
    ['the answer is lost', { kind: 'lost' }],
    ['the answer is cut off', { kind: 'cut' }],
    ['the connection breaks', { kind: 'reset' }],
    ['Slack fails', { kind: 'status', status: 503 }],
    ['Slack fails after it was done', { kind: 'status', status: 503, isDone: true }],
    ['a proxy answers with a page', { kind: 'html' }],
    ['Slack is not sure itself', { kind: 'error', code: 'internal_error' }],
    ['Slack asks to wait', { kind: '429', retryAfterS: 2 }],
  ];

  test.each(lost)('C26, trap 1: %s: there is one copy in the end', async (_, fault) => {
    const { slack, thread, approve } = await atTheQuestion();
    slack.failMethod('chat.postMessage', fault);
    await approve();
    expect(await onceShown(slack, slack.otherChannel, 'Published')).toEqual(['Published']);
    await onceShown(slack, thread, 'has succeeded');
  });

  test('C26: the process ends after the post and before its result is kept: one copy', async () => {
    const { slack, live, thread, approve } = await atTheQuestion();
    slack.failMethod('chat.postMessage', { kind: 'lost' });
    const approved = approve();
    await slack.until(async () => (await slack.messages(slack.otherChannel)).length > 0);
    await live.restart();
    await approved;
    expect(await onceShown(slack, thread, 'has succeeded')).toBeDefined();
    expect(await slack.messages(slack.otherChannel)).toHaveLength(1);
  });

  test('C26: where nobody can look it up, a person is asked', async () => {
    const { slack, thread, approve } = await atTheQuestion();
    slack.failMethod('chat.postMessage', { kind: 'lost' });
    const approved = approve();
    await slack.until(async () => (await slack.messages(slack.otherChannel)).length > 0);
    await slack.removeBot(slack.otherChannel);
    await approved;
    const texts = await onceShown(slack, thread, '/invite');
    expect(texts.some((text) => text.includes('needs a decision'))).toBe(true);
    expect(await slack.messages(slack.otherChannel)).toHaveLength(1);
  });

  test.each([
    ['@U0DEE', 'C29: a deactivated person', 'no conversation @U0DEE'],
    ['#nowhere', 'a channel that is not there', 'no conversation #nowhere'],
  ])('%s is %s: the step fails and says so', async (to, _, words) => {
    const { slack, thread, approve } = await atTheQuestion(to);
    await approve();
    const texts = await onceShown(slack, thread, 'has failed');
    expect(texts.join('\n')).toContain(words);
  });

  test('a channel that is archived in the middle of a run fails the step with a sentence', async () => {
    const { slack, thread, approve } = await atTheQuestion('C0RELEASES');
    await slack.archive(slack.otherChannel);
    await approve();
    const texts = await onceShown(slack, thread, 'has failed');
    expect(texts.join('\n')).toContain('The conversation is archived');
  });

  test('a channel that got another id in the middle of a run gets the post', async () => {
    const { slack, thread, approve } = await atTheQuestion('C0RELEASES');
    const moved = await slack.changeId(slack.otherChannel);
    await approve();
    await onceShown(slack, thread, 'has succeeded');
    expect(await slack.messages(moved)).toMatchObject([{ text: 'Published' }]);
  });

  test('direct messages reach their person by name', async () => {
    const { slack, approve } = await atTheQuestion('@ana');
    await approve();
    expect(await onceShown(slack, slack.directPlace(slack.people.ana), 'Published')).toEqual(['Published']);
  });
});

test('when the message that began the thread is deleted, what follows goes to the channel', async () => {
  const twice = `
name: Twice
triggers: [{ type: command, command: twice }]
steps:
  first: { type: approval, title: First? }
  second: { type: approval, title: Second? }
`;
  const { slack } = await openLive('http', { twice });
  const asked = await slack.say(slack.people.ana, slack.channel, '!twice');
  const first = await onceAsked(slack, { ...slack.channel, thread: asked.id }, 'Approve');
  await slack.quiet();
  await slack.deleteMessage(asked);
  await slack.click(slack.people.bo, first.message, first.button);
  const texts = await onceShown(slack, slack.channel, 'Second?');
  expect(texts.filter((text) => text.includes('Second?'))).toHaveLength(1);
});

type Workspace = Awaited<ReturnType<typeof openLive>>['slack'];
