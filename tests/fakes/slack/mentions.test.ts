import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createSlackStandIn, type SlackStandIn } from './index.ts';
import { callApi } from './little-bot.ts';
import type { Wire } from './wire.ts';

let slack: SlackStandIn;
beforeAll(async () => {
  slack = await createSlackStandIn();
  slack.createGroup({ id: 'S0OPS', handle: 'ops', users: ['U0BO'] });
});
afterAll(() => slack.close());

async function notified(args: Wire): Promise<readonly string[]> {
  const { ok, error, ts } = await callApi(slack, 'chat.postMessage', { channel: 'C0GENERAL', ...args });
  expect(error).toBeUndefined();
  expect(ok).toBe(true);
  return slack.notified({ ...slack.channel, id: String(ts) });
}
const section = (text: Wire) => ({ text: '.', blocks: [{ type: 'section', text }] });
const mrkdwn = (text: string, more: Wire = {}) => section({ type: 'mrkdwn', text, ...more });
const rich = (...elements: readonly Wire[]) => ({
  text: '.',
  blocks: [{ type: 'rich_text', elements: [{ type: 'rich_text_section', elements }] }],
});

describe('who is notified', () => {
  test.each<readonly [string, Wire, readonly string[]]>([
    ['a user element', rich({ type: 'user', user_id: 'U0ANA' }), ['U0ANA']],
    ['a group element', rich({ type: 'usergroup', usergroup_id: 'S0OPS' }), ['S0OPS']],
    ['a broadcast element', rich({ type: 'broadcast', range: 'here' }), ['!here']],
    ['sequences in rich text', rich({ type: 'text', text: '<!here> <@U0ANA> @here' }), []],
    [
      'sequences in the text',
      { text: '<@U0ANA> <!channel> <!subteam^S0OPS|@ops> <!here|here>' },
      ['U0ANA', '!channel', 'S0OPS', '!here'],
    ],
    [
      'sequences in the text behind blocks',
      { ...rich({ type: 'text', text: 'x' }), text: '<@U0BO>' },
      ['U0BO'],
    ],
    ['escaped sequences', { text: '&lt;@U0ANA&gt; &amp;lt;!here&amp;gt;' }, []],
    ['bare words in the text', { text: '@here @ana' }, []],
    ['bare words with link_names', { text: '@here @ana @nobody', link_names: true }, ['!here', 'U0ANA']],
    ['bare words with parse: full', { text: '@channel', parse: 'full' }, ['!channel']],
    ['somebody who is not there', { text: '<@U0NOBODY>' }, []],
    ['sequences in mrkdwn', mrkdwn('<@U0ANA|ana>'), ['U0ANA']],
    ['sequences in verbatim mrkdwn', mrkdwn('<!everyone>', { verbatim: true }), ['!everyone']],
    ['bare words in mrkdwn', mrkdwn('@here'), ['!here']],
    ['bare words in verbatim mrkdwn', mrkdwn('@here and ana@channel.com', { verbatim: true }), []],
    ['plain text', section({ type: 'plain_text', text: '<!here> @here <@U0ANA>' }), []],
    [
      'a markdown block',
      { text: '.', blocks: [{ type: 'markdown', text: '`<!here>` @ana' }] },
      ['!here', 'U0ANA'],
    ],
    [
      'a table',
      {
        text: '.',
        blocks: [
          {
            type: 'table',
            rows: [
              [{ type: 'raw_text', text: '<!here>' }, rich({ type: 'user', user_id: 'U0CY' }).blocks[0]],
            ],
          },
        ],
      },
      ['U0CY'],
    ],
    ['an attachment', { text: '.', attachments: [{ text: 'see <@U0ANA>' }] }, ['U0ANA']],
  ])('%s', async (_, args, expected) => {
    expect(await notified(args)).toEqual(expected);
  });

  test('an edit notifies nobody', async () => {
    const { ts } = await callApi(slack, 'chat.postMessage', { channel: 'C0GENERAL', text: 'x' });
    await callApi(slack, 'chat.update', { channel: 'C0GENERAL', ts, text: '<!here>' });
    expect(await slack.notified({ ...slack.channel, id: String(ts) })).toEqual([]);
  });
});

describe('what people type and read', () => {
  test('text of people is read as they typed it', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ minLength: 1, unit: 'grapheme' }), async (typed) => {
        const { id } = await slack.say(slack.people.ana, slack.otherChannel, typed);
        const seen = (await slack.messages(slack.otherChannel)).find(({ ref }) => ref.id === id);
        expect(seen?.text).toBe(typed);
      }),
      { numRuns: 100 },
    );
  });

  test('the first block, which only mentions, is not read; list items and cells are', async () => {
    await slack.say(slack.people.ana, slack.channel, 'before');
    const item = (text: string) => ({ type: 'rich_text_section', elements: [{ type: 'text', text }] });
    const { ts } = await callApi(slack, 'chat.postMessage', {
      channel: 'C0GENERAL',
      text: '.',
      blocks: [
        ...rich(
          { type: 'user', user_id: 'U0ANA' },
          { type: 'text', text: ' ' },
          { type: 'usergroup', usergroup_id: 'S0OPS' },
        ).blocks,
        { type: 'header', text: { type: 'plain_text', text: 'Head' } },
        ...rich({ type: 'text', text: 'Hello ' }, { type: 'user', user_id: 'U0BO' }).blocks,
        {
          type: 'rich_text',
          elements: [
            { type: 'rich_text_list', style: 'ordered', elements: [item('one'), item('two')] },
            { type: 'rich_text_list', style: 'bullet', elements: [item('dot')] },
          ],
        },
        {
          type: 'table',
          rows: [
            [
              { type: 'raw_text', text: 'a' },
              { type: 'raw_text', text: 'b' },
            ],
          ],
        },
        {
          type: 'actions',
          elements: [{ type: 'button', action_id: 'go', text: { type: 'plain_text', text: 'Go' } }],
        },
      ],
    });
    const seen = (await slack.messages(slack.channel)).find(({ ref }) => ref.id === ts);
    expect(seen).toMatchObject({
      text: 'Head\nHello @Bo\n1. one\n2. two\ndot\na | b',
      buttons: [{ id: 'go', label: 'Go' }],
      author: 'bot',
    });
  });
});
