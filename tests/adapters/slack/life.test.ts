import { describe, expect, test } from 'vitest';
import { createAnswers } from '../../../src/adapters/slack/answers.ts';
import { createDelivery } from '../../../src/adapters/slack/delivery.ts';
import { createDirectory } from '../../../src/adapters/slack/directory.ts';
import { md } from '../../../src/engine/prose.ts';
import type { Inbound } from '../../../src/ports/chat.ts';
import { createInbox } from '../../contracts/chat.ts';
import { createHandClock } from '../../fakes/clock.ts';
import { createKeptLog } from '../../fakes/log.ts';
import { answering } from './answering.ts';
import { asking, decisions, release } from './asking.ts';
import { onceShown, openLive } from './live.ts';

const ECHO = `
name: Echo
triggers: [{ type: command, command: echo }]
steps: { say: { type: message, to: "#releases", text: "{{start.json.prompt}}" } }
`;

describe('a conversation that gets another id', () => {
  test.each([
    ['in the same process', false],
    ['and the bot is started again', true],
  ])('while people are asked: they answer there, %s', async (_, again) => {
    const { slack, live, message, approve } = await asking('http');
    const moved = await slack.changeId(slack.channel);
    if (again) {
      await live.restart();
      await slack.retry();
    }
    await slack.click(slack.people.bo, { ...message, ...moved }, approve);
    await onceShown(slack, { ...moved, thread: message.thread ?? '' }, 'has succeeded');
    expect(await decisions(live)).toBe(1);
  });
});

test('a user group whose handle looks like an id is found', async () => {
  const { slack, thread, message, approve } = await asking(
    'http',
    ', approvers: { roles: [SRE] }',
    (workspace) => workspace.createGroup({ id: 'S0OPSGROUP', handle: 'sre', users: ['U0BO'] }),
  );
  expect(await slack.notified(message)).toEqual(['S0OPSGROUP']);
  await slack.click(slack.people.bo, message, approve);
  await onceShown(slack, thread, 'has succeeded');
});

test('what people tell each other asks Slack for nothing', async () => {
  const { slack } = await openLive('http', { release: release() });
  await slack.quiet();
  const before = slack.calls().length;
  await slack.say(slack.people.ana, slack.channel, `lunch, ${slack.mention(slack.people.bo)}?`);
  await slack.quiet();
  expect(slack.calls().slice(before)).toEqual([]);
});

test('names of private conversations are not told in others', async () => {
  const { slack, live } = await openLive('http', { echo: ECHO });
  const secret = slack.createChannel({ name: 'layoffs', isPrivate: true, botIsMember: true });
  await live.flowbot.bot.chats.get('slack')?.conversation(secret.conversation);
  const id = secret.conversation.split('/')[1];
  await slack.say(slack.people.ana, slack.channel, '!echo x');
  await slack.sayRaw(slack.people.ana, slack.channel, { text: `!echo look <#${id}>` });
  const texts = await onceShown(slack, slack.otherChannel, 'look');
  expect(texts.join(' ')).not.toContain('layoffs');
});

test('sixty mentions in one message take nobody’s name away', async () => {
  const { slack, live } = await openLive('http', { echo: ECHO });
  const crowd = Array.from({ length: 60 }, (_, n) => `<@U0NOBODY${n}>`).join(' ');
  await slack.sayRaw(slack.people.guest, slack.channel, { text: `!echo ${crowd}` });
  await slack.say(slack.people.bo, slack.channel, '!echo hello');
  await slack.quiet();
  const runs = await live.flowbot.bot.store.runs({ limit: 5 });
  expect(runs.map(({ startedBy }) => startedBy?.name)).toEqual(['Bo', slack.people.guest.name]);
});

test('a run from the Home tab that Slack opens no direct conversation for is not started', async () => {
  const { slack, live } = await openLive('http', { release: release() });
  await slack.openHome(slack.people.ana);
  await live.restart();
  slack.failMethod('conversations.open', { kind: 'error', code: 'internal_error' }, 20);
  await slack.clickHome(slack.people.ana, 'start:release').catch(() => {});
  expect(await live.flowbot.bot.store.runs({ limit: 5 })).toEqual([]);
});

describe('what is told to one person', () => {
  /** A delivery to a bot that a test plays. */
  function deliver(inbound: Inbound) {
    const asked: { readonly method: string }[] = [];
    const calls = answering((method) => {
      asked.push({ method });
      return method === 'users.info' ? { ok: { user: { id: 'U0ANA' } } } : { ok: {} };
    });
    const clock = createHandClock();
    const identity = { team: 'T0TEAM', user: 'U0BOT', botId: 'B0BOT', url: 'https://x.slack.com/' };
    const log = createKeptLog();
    const directory = createDirectory({ calls, clock, whoAmI: async () => identity });
    const answers = createAnswers({ calls, apiUrl: undefined, log });
    return { asked, delivery: createDelivery({ inbound, identity, directory, calls, answers, clock, log }) };
  }

  const command = {
    command: '/flow',
    text: 'help',
    user_id: 'U0ANA',
    channel_id: 'C0GENERAL',
    trigger_id: '1.2',
  };

  test('is told although the acknowledgement fails', async () => {
    const inbox = createInbox();
    inbox.answerNext({ kind: 'private', content: { prose: [md('Hello')], buttons: [], notify: [] } });
    const { asked, delivery } = deliver(inbox);
    const ack = async () => Promise.reject(new Error('the connection is gone'));
    await expect(delivery.take({ body: command, ack })).rejects.toThrow('gone');
    await delivery.stop();
    expect(asked.map(({ method }) => method)).toContain('chat.postEphemeral');
  });

  test.each([
    ['commands', { ...command, team_id: 'T0OTHER' }],
    [
      'forms',
      {
        type: 'view_submission',
        user: { id: 'U0ANA' },
        view: { id: 'V1', callback_id: 'x', app_installed_team_id: 'T0OTHER' },
      },
    ],
    [
      'messages',
      {
        type: 'event_callback',
        team_id: 'T0TEAM',
        authorizations: [{ team_id: 'T0OTHER' }],
        event: { type: 'message', user: 'U0ANA', channel: 'C1', ts: '1.000001', text: '!hello' },
      },
    ],
  ])('%s of another workspace are acknowledged and left alone', async (_, body) => {
    const inbox = createInbox();
    let acknowledged = 0;
    await deliver(inbox).delivery.take({
      body,
      ack: async () => {
        acknowledged += 1;
      },
    });
    expect(acknowledged).toBe(1);
    expect(inbox.taken).toEqual([]);
  });

  test('trap 8: a form that is sent twice at once shows its errors both times', async () => {
    const inbox = createInbox();
    inbox.answerNext({ kind: 'errors', errors: { name: 'Too short.' } });
    const { delivery } = deliver(inbox);
    const body = {
      type: 'view_submission',
      user: { id: 'U0ANA' },
      view: {
        id: 'V1',
        callback_id: 'fill:x:y',
        private_metadata: JSON.stringify({ c: 'T0TEAM/C0GENERAL' }),
        blocks: [],
        state: { values: {} },
      },
    };
    const acks: unknown[] = [];
    const ack = async (response?: unknown) => void acks.push(response);
    await Promise.all([delivery.take({ body, ack }), delivery.take({ body, ack })]);
    const shown = { response_action: 'errors', errors: { name: 'Too short.' } };
    expect(acks).toEqual([shown, shown]);
    expect(inbox.taken).toHaveLength(1);
  });
});
