import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createSlackStandIn, type SlackStandIn } from './index.ts';
import { callApi } from './little-bot.ts';
import type { Wire } from './wire.ts';

let slack: SlackStandIn;
beforeEach(async () => {
  slack = await createSlackStandIn();
});
afterEach(() => slack.close());

const api = (method: string, args: Wire = {}, token?: string) => callApi(slack, method, args, token);
const post = (args: Wire) => api('chat.postMessage', { channel: 'C0GENERAL', ...args });
const postBlocks = (...blocks: readonly Wire[]) => post({ text: 'x', blocks });

const plain = (text: string) => ({ type: 'plain_text', text });
const rich = (...elements: readonly Wire[]) => ({
  type: 'rich_text',
  elements: [{ type: 'rich_text_section', elements }],
});
const word = (text: string) => ({ type: 'text', text });
const button = (more: Wire = {}) => ({ type: 'button', action_id: 'a', text: plain('Go'), ...more });
const actions = (...elements: readonly Wire[]) => ({ type: 'actions', elements });
const input = (element: Wire, more: Wire = {}) => ({ type: 'input', label: plain('L'), element, ...more });
const option = (value: string) => ({ text: plain(value), value });
const many = <T>(count: number, make: (index: number) => T) =>
  Array.from({ length: count }, (_, n) => make(n));
const table = (rows: number, cells: number) => ({
  type: 'table',
  rows: many(rows, () => many(cells, () => ({ type: 'raw_text', text: 'x' }))),
});

describe('blocks that Slack refuses', () => {
  const refused: readonly (readonly [string, readonly Wire[]])[] = [
    ['51 blocks', many(51, () => ({ type: 'divider' }))],
    ['an unknown type', [{ type: 'invented' }]],
    ['an unknown key', [{ type: 'divider', colour: 'red' }]],
    ['an unknown key of an element', [actions(button({ colour: 'red' }))]],
    ['a header of 151 characters', [{ type: 'header', text: plain('x'.repeat(151)) }]],
    ['a section of 3,001', [{ type: 'section', text: { type: 'mrkdwn', text: 'x'.repeat(3001) } }]],
    ['a section with nothing', [{ type: 'section' }]],
    ['11 fields', [{ type: 'section', fields: many(11, () => plain('x')) }]],
    ['a field of 2,001', [{ type: 'section', fields: [plain('x'.repeat(2001))] }]],
    ['an empty text object', [{ type: 'header', text: plain('') }]],
    ['an empty text element', [rich(word(''))]],
    ['an unknown rich text element', [rich({ type: 'blink', text: 'x' })]],
    ['a style that is none', [rich({ ...word('x'), style: { blink: true } })]],
    [
      'a mention inside code',
      [
        {
          type: 'rich_text',
          elements: [{ type: 'rich_text_preformatted', elements: [{ type: 'user', user_id: 'U0ANA' }] }],
        },
      ],
    ],
    ['a user who is not there', [rich({ type: 'user', user_id: 'U0NOBODY' })]],
    ['a group that is not there', [rich({ type: 'usergroup', usergroup_id: 'S0NONE' })]],
    ['a channel that is not there', [rich({ type: 'channel', channel_id: 'C0NONE' })]],
    ['a link that runs code', [rich({ type: 'link', url: 'javascript:alert(1)' })]],
    ['26 buttons', [actions(...many(26, (n) => button({ action_id: `${n}` })))]],
    ['a button label of 76', [actions(button({ text: plain('x'.repeat(76)) }))]],
    ['a button value of 2,001', [actions(button({ value: 'x'.repeat(2001) }))]],
    ['an action_id of 256', [actions(button({ action_id: 'x'.repeat(256) }))]],
    ['one action_id twice in a block', [actions(button(), button())]],
    [
      'two primary buttons',
      [actions(button({ style: 'primary' }), button({ action_id: 'b', style: 'primary' }))],
    ],
    ['a style that buttons have not', [actions(button({ style: 'plain' }))]],
    [
      'one block_id twice',
      [
        { type: 'divider', block_id: 'b' },
        { type: 'divider', block_id: 'b' },
      ],
    ],
    ['a block_id of 256', [{ type: 'divider', block_id: 'x'.repeat(256) }]],
    ['two tables', [table(1, 1), table(1, 1)]],
    ['101 rows', [table(101, 1)]],
    ['21 cells', [table(1, 21)]],
    ['an empty cell', [{ type: 'table', rows: [[{ type: 'raw_text', text: '' }]] }]],
    [
      'markdown blocks of 12,001 together',
      [
        { type: 'markdown', text: 'x'.repeat(6000) },
        { type: 'markdown', text: 'x'.repeat(6001) },
      ],
    ],
    ['11 context elements', [{ type: 'context', elements: many(11, () => plain('x')) }]],
    ['an image from nowhere', [{ type: 'image', alt_text: 'x' }]],
    ['an image that is not there', [{ type: 'image', alt_text: 'x', slack_file: { id: 'F0NONE' } }]],
    ['101 options', [actions({ type: 'static_select', options: many(101, (n) => option(`${n}`)) })]],
    ['11 boxes', [actions({ type: 'checkboxes', options: many(11, (n) => option(`${n}`)) })]],
    ['an option value of 76', [actions({ type: 'static_select', options: [option('x'.repeat(76))] })]],
    [
      'an initial option that is not offered',
      [actions({ type: 'static_select', options: [option('a')], initial_option: option('b') })],
    ],
    [
      'a confirm title of 101',
      [
        actions(
          button({
            confirm: {
              title: plain('x'.repeat(101)),
              text: plain('x'),
              confirm: plain('y'),
              deny: plain('n'),
            },
          }),
        ),
      ],
    ],
  ];
  test.each(refused)('%s', async (_, blocks) => {
    const answer = await postBlocks(...blocks);
    expect(answer).toMatchObject({ ok: false, error: 'invalid_blocks' });
    expect(answer).toHaveProperty(
      'response_metadata.messages.0',
      expect.stringMatching(/^\[ERROR\] .+ \[json-pointer:\/blocks/),
    );
    expect(await slack.messages(slack.channel)).toEqual([]);
  });

  test('more than 13,200 characters of blocks in sum, although each is legal', async () => {
    const half = { type: 'section', text: plain('x'.repeat(2900)) };
    expect(await postBlocks(half, half, half, half)).toMatchObject({ ok: true });
    expect(await postBlocks(half, half, half, half, half)).toMatchObject({ error: 'msg_blocks_too_long' });
  });

  test('blocks that are no list, or no JSON', async () => {
    expect(await post({ text: 'x', blocks: { type: 'divider' } })).toMatchObject({
      error: 'invalid_blocks_format',
    });
    expect(await post({ text: 'x', blocks: '[{' })).toMatchObject({ error: 'invalid_blocks_format' });
  });

  test('what is at its limit is taken', async () => {
    const answer = await postBlocks(
      { type: 'header', text: plain('x'.repeat(150)) },
      {
        type: 'rich_text',
        elements: [
          {
            type: 'rich_text_section',
            elements: [
              word('a'),
              { type: 'user', user_id: 'U0ANA' },
              { type: 'link', url: 'https://example.com', text: 'x' },
            ],
          },
          {
            type: 'rich_text_list',
            style: 'ordered',
            indent: 2,
            elements: [{ type: 'rich_text_section', elements: [word('x')] }],
          },
          { type: 'rich_text_quote', elements: [word('x')] },
          { type: 'rich_text_preformatted', elements: [word('x')] },
        ],
      },
      table(3, 20),
      actions(...many(25, (n) => button({ action_id: `${n}`, value: 'x' }))),
    );
    expect(answer).toMatchObject({ ok: true });
  });
});

describe('modals', () => {
  const modal = (more: Wire = {}) => ({ type: 'modal', title: plain('T'), blocks: [], ...more });
  const field = input({ type: 'plain_text_input', action_id: 'value' }, { block_id: 'f' });
  test.each<readonly [string, Wire]>([
    ['a title of 25', modal({ title: plain('x'.repeat(25)) })],
    ['a submit label of 25', modal({ submit: plain('x'.repeat(25)) })],
    ['private_metadata of 3,001', modal({ private_metadata: 'x'.repeat(3001) })],
    ['a callback_id of 256', modal({ callback_id: 'x'.repeat(256) })],
    ['an input without submit', modal({ blocks: [field] })],
    ['101 blocks', modal({ blocks: many(101, () => ({ type: 'divider' })) })],
    ['a markdown block', modal({ blocks: [{ type: 'markdown', text: 'x' }] })],
    ['a table', modal({ blocks: [table(1, 1)] })],
    ['an unknown key', modal({ colour: 'red' })],
    [
      'a label of 2,001',
      modal({
        submit: plain('S'),
        blocks: [input({ type: 'plain_text_input' }, { label: plain('x'.repeat(2001)) })],
      }),
    ],
    [
      'a placeholder of 151',
      modal({
        submit: plain('S'),
        blocks: [input({ type: 'plain_text_input', placeholder: plain('x'.repeat(151)) })],
      }),
    ],
    [
      'a number input that does not say whether it takes decimals',
      modal({ submit: plain('S'), blocks: [input({ type: 'number_input' })] }),
    ],
    [
      'a date that is none',
      modal({ submit: plain('S'), blocks: [input({ type: 'datepicker', initial_date: '2026-02-30' })] }),
    ],
    ['a Home', { type: 'home', blocks: [] }],
  ])('%s is refused', async (_, view) => {
    expect(await api('views.open', { trigger_id: 'x', view })).toMatchObject({ error: 'invalid_arguments' });
  });
});
