import { createEmulator, type Emulator } from 'emulate';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { createSlack, type Slack } from '../../../src/adapters/slack/index.ts';
import type { MessageRef } from '../../../src/engine/people.ts';
import { literal, md } from '../../../src/engine/prose.ts';
import type { Part } from '../../../src/ports/chat.ts';
import type { Clock } from '../../../src/ports/clock.ts';
import { createInbox } from '../../contracts/chat.ts';
import { createKeptLog } from '../../fakes/log.ts';

const token = 'xoxb-flowbot';
const general = { platform: 'slack', conversation: 'T000000001/C000000001' };

/** A clock on which waits are over at once. */
function impatientClock(): Clock {
  let passedMs = 0;
  const now = () => Date.now() + passedMs;
  return {
    now,
    alarm(atMs, wake) {
      const timer = setImmediate(() => {
        passedMs += Math.max(0, atMs - now());
        wake();
      });
      return () => clearImmediate(timer);
    },
  };
}

const messagesShape = z.object({
  messages: z.array(z.object({ ts: z.string(), text: z.string(), thread_ts: z.string().optional() }).loose()),
});

/** A double of the Web API that others wrote: it knows neither our code nor our stand-in. */
describe('the Web API as `emulate` knows it', () => {
  let emulator: Emulator;
  let slack: Slack;

  beforeAll(async () => {
    emulator = await createEmulator({
      service: 'slack',
      port: 0,
      seed: {
        slack: {
          team: { name: 'Acme', domain: 'acme' },
          users: [{ name: 'ana', real_name: 'Ana', email: 'ana@example.com' }],
          channels: [{ name: 'releases' }],
          bots: [{ name: 'flowbot' }],
          oauth_apps: [
            {
              app_id: 'A0FLOWBOT',
              name: 'Flowbot',
              client_id: 'id',
              client_secret: 'secret',
              redirect_uris: [],
              bot_id: 'B0FLOWBOT',
              bot_user_id: 'U0FLOWBOT',
            },
          ],
          tokens: [{ token, user_id: 'U0FLOWBOT', bot_id: 'B0FLOWBOT', app_id: 'A0FLOWBOT', scopes: [] }],
        },
      },
    });
  });
  afterAll(() => emulator.close());

  beforeEach(async () => {
    emulator.reset();
    slack = createSlack(
      {
        botToken: token,
        events: { kind: 'http', signingSecret: 'secret' },
        apiUrl: `${emulator.url}/api/`,
      },
      { clock: impatientClock(), log: createKeptLog() },
    );
    await slack.start(createInbox());
    return () => slack.stop();
  });

  async function read(method: string, args: Readonly<Record<string, string>>) {
    const answer = await fetch(`${emulator.url}/api/${method}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}` },
      body: new URLSearchParams(args),
    });
    return messagesShape.parse(await answer.json()).messages;
  }
  const partOf = (text: string): Part =>
    slack.render({ prose: [md(text)], buttons: [], notify: [] })[0] ?? null;

  async function post(text: string, key: string, thread?: string): Promise<MessageRef> {
    const place = thread === undefined ? general : { ...general, thread };
    const outcome = await slack.post(place, partOf(text), key);
    if (outcome.kind !== 'posted') throw new Error(JSON.stringify(outcome));
    return outcome.message;
  }

  test('a post is there with its blocks and its marker, and is found by it', async () => {
    const message = await post('# Hello\n\n- **one**', 'key-1');
    expect(await read('conversations.history', { channel: 'C000000001' })).toMatchObject([
      {
        ts: message.id,
        blocks: [{ type: 'header' }, { type: 'rich_text' }],
        metadata: { event_type: 'flowbot_post', event_payload: { key: 'key-1' } },
      },
    ]);
    expect(await slack.find(general, 'key-1', 0)).toMatchObject({
      kind: 'found',
      message: { id: message.id },
    });
    expect(await slack.find(general, 'key-2', 0)).toEqual({ kind: 'absent' });
  });

  test('trap 12: what could be a mention is text in a block and escaped in the fallback', async () => {
    const [part = null] = slack.render({ prose: [literal('<!channel> & <@U1>')], buttons: [], notify: [] });
    expect(await slack.post(general, part, 'key-1')).toMatchObject({ kind: 'posted' });
    const [message] = await read('conversations.history', { channel: 'C000000001' });
    expect(message?.text).toBe('&lt;!channel&gt; &amp; &lt;@U1&gt;');
    expect(JSON.stringify(message?.blocks)).not.toMatch(/"type":"(user|usergroup|broadcast)"/);
  });

  test('an edit replaces it, and of a message that is gone there is nothing to edit', async () => {
    const message = await post('Before', 'key-1');
    expect(await slack.edit(message, partOf('After'))).toEqual({ kind: 'edited' });
    expect(await read('conversations.history', { channel: 'C000000001' })).toMatchObject([{ text: 'After' }]);
    expect(await slack.edit({ ...message, id: '1.000000' }, partOf('After'))).toEqual({ kind: 'gone' });
  });

  test('a reply stands in its thread, and is found there', async () => {
    const root = await post('A topic', 'key-1');
    const reply = await post('About it', 'key-2', root.id);
    expect(reply).toMatchObject({ thread: root.id });
    expect(await slack.find({ ...general, thread: root.id }, 'key-2', 0)).toMatchObject({ kind: 'found' });
    expect(await read('conversations.replies', { channel: 'C000000001', ts: root.id })).toMatchObject([
      { text: 'A topic' },
      { text: 'About it', thread_ts: root.id },
    ]);
  });

  test.each([
    ['#releases', '#releases'],
    ['releases', '#releases'],
    ['C000000001', '#general'],
    ['T000000001/C000000002', '#random'],
  ])('%s is found, although users.conversations is not there', async (address, name) => {
    expect(await slack.conversation(address)).toMatchObject({ name });
  });

  test('what is not there is not found', async () => {
    expect(await slack.conversation('#nowhere')).toBeUndefined();
    expect(await slack.conversation('C000000009')).toBeUndefined();
  });

  test('people are known by name', async () => {
    expect(await slack.conversation('@ana')).toMatchObject({ name: expect.stringMatching(/^@ana$/i) });
  });
});
