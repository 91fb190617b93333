import { describe, expect, test } from 'vitest';
import { type BodySchema, checkBody } from './check.ts';
import { button, many, message, quiet, row, text, v2 } from './check-samples.ts';

const ephemeral = 1 << 6;
const loud = message({ allowed_mentions: undefined });

describe('bodies', () => {
  test.each<[string, BodySchema, unknown]>([
    ['a message', 'message', message()],
    ['an edit', 'message edit', message()],
    ['a private answer', 'interaction callback', { type: 4, data: message({ flags: v2 | ephemeral }) }],
    ['a deferred private answer', 'interaction callback', { type: 5, data: { flags: ephemeral } }],
    ['a deferred answer', 'interaction callback', { type: 5 }],
    ['a silent acknowledgement', 'interaction callback', { type: 6 }],
    ['a change of the message', 'interaction callback', { type: 7, data: message() }],
    [
      'choices',
      'interaction callback',
      { type: 8, data: { choices: [{ name: 'Release', value: 'release' }] } },
    ],
    ['no choices', 'interaction callback', { type: 8, data: { choices: [] } }],
    ['a private follow-up', 'follow-up', message({ flags: v2 | ephemeral })],
    ['the end of a deferral', 'follow-up edit', message()],
    ['a thread of a message', 'thread from message', { name: 'x'.repeat(100), auto_archive_duration: 1440 }],
    ['a thread', 'thread', { name: 'Release', type: 11 }],
    [
      'a forum post',
      'forum post',
      { name: 'Release', message: message(), applied_tags: ['900000000000000001'] },
    ],
    ['a thread taken up again', 'channel edit', { archived: false }],
    ['a direct conversation', 'direct channel', { recipient_id: '400000000000000002' }],
  ])('%s: accepted', (_, schema, body) => {
    expect(checkBody(schema, body)).toEqual([]);
  });

  test.each<[string, BodySchema, unknown, string]>([
    ['nothing at all', 'message', undefined, ''],
    ['trap 4: a message that says nothing about mentions', 'message', loud, 'allowed_mentions'],
    ['trap 5: an edit that says nothing about mentions', 'message edit', loud, 'allowed_mentions'],
    ['such an answer', 'interaction callback', { type: 4, data: loud }, 'data.allowed_mentions'],
    ['such a change', 'interaction callback', { type: 7, data: loud }, 'data.allowed_mentions'],
    ['such a follow-up', 'follow-up', loud, 'allowed_mentions'],
    ['such an end of a deferral', 'follow-up edit', loud, 'allowed_mentions'],
    ['such a forum post', 'forum post', { name: 'x', message: loud }, 'message.allowed_mentions'],
    ['a private message', 'message', message({ flags: v2 | ephemeral }), 'flags'],
    ['an edit that makes it private', 'follow-up edit', message({ flags: v2 | ephemeral }), 'flags'],
    ['components v2 on a deferral', 'interaction callback', { type: 5, data: { flags: v2 } }, 'data.flags'],
    [
      'content on a deferral',
      'interaction callback',
      { type: 5, data: { components: [] } },
      'data.components',
    ],
    ['data on a silent acknowledgement', 'interaction callback', { type: 6, data: message() }, 'data'],
    ['an answer of nothing', 'interaction callback', { type: 4 }, 'data'],
    ['an answer of no kind', 'interaction callback', { type: 3 }, 'type'],
    ['26 choices', 'interaction callback', choices(26), 'data.choices'],
    ['a choice of 101', 'interaction callback', choices(1, 'x'.repeat(101)), 'data.choices.0.value'],
    ['a choice twice', 'interaction callback', choices(2, 'x', 'One'), 'data.choices.1.name'],
    ['a nonce in an edit', 'message edit', message({ nonce: 'x' }), 'nonce'],
    [
      'a nonce in a forum post',
      'forum post',
      { name: 'x', message: message({ nonce: 'x' }) },
      'message.nonce',
    ],
    ['a thread name of 101', 'thread from message', { name: 'x'.repeat(101) }, 'name'],
    ['a thread without a name', 'thread', { name: '' }, 'name'],
    ['a forum post without a message', 'forum post', { name: 'x' }, 'message'],
    ['a name in place of a recipient', 'direct channel', { recipient_id: 'ana' }, 'recipient_id'],
    ['a property that Discord does not know', 'message', message({ ephemeral: true }), 'ephemeral'],
    ['half a character', 'message', message({ components: [text('x\ud83d')] }), 'components.0.content'],
    ['half a character in a name', 'thread', { name: 'x\ude80' }, 'name'],
  ])('%s: refused', (_, schema, body, path) => {
    expect(checkBody(schema, body)).toContainEqual({ path, message: expect.stringMatching(/\S.*\.$/) });
  });

  test('only what is wrong is told, in one sentence a place', () => {
    const components = [row(button('b', { label: 'x'.repeat(81), size: 2 }))];
    expect(checkBody('message', message({ components, nonce: 'x'.repeat(26) }))).toEqual([
      { path: 'components.0.components.0.size', message: 'Discord does not know this property.' },
      { path: 'components.0.components.0.label', message: 'This must NOT have more than 80 characters.' },
      { path: 'nonce', message: 'This must NOT have more than 25 characters.' },
    ]);
    expect(checkBody('message', { allowed_mentions: quiet })).toEqual([
      { path: '', message: 'Cannot send an empty message.' },
    ]);
  });
});

function choices(count: number, value?: string, name?: string) {
  return {
    type: 8,
    data: { choices: many(count, (n) => ({ name: name ?? `${n}`, value: value ?? `${n}` })) },
  };
}
