import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Incoming } from '../../../src/adapters/discord/incoming.ts';
import { parseIncoming } from '../../../src/adapters/discord/parse.ts';

const ana = { id: '900000000000000002', username: 'ana', global_name: 'Ana' };
const interaction = {
  id: '1',
  token: 'a token',
  guild_id: '2',
  channel: { id: '3' },
  channel_id: '4',
  member: { user: ana, nick: 'Ana of the board', roles: ['5'] },
};
const done = {
  id: '1',
  token: 'a token',
  by: { id: ana.id, name: 'Ana of the board', roles: ['5'] },
  channel: '3',
  guild: '2',
};
const message = { id: '6', flags: 0 };

const parse = (d: unknown, t = 'INTERACTION_CREATE'): Incoming =>
  // Whatever comes over the wire is taken: its type is only a promise.
  Reflect.apply(parseIncoming, undefined, [{ t, d }]);

describe('what people do', () => {
  test.each<[string, object, object]>([
    [
      'a command',
      { type: 2, data: { type: 1, name: 'flow' } },
      { kind: 'command', data: { type: 1, name: 'flow' } },
    ],
    ['a command for people', { type: 2, data: { type: 2, name: 'x' } }, { kind: 'command' }],
    ['typing', { type: 4, data: { name: 'flow' } }, { kind: 'autocomplete' }],
    [
      'a press of a button',
      { type: 3, message, data: { custom_id: 'x', component_type: 2 } },
      { kind: 'click', button: 'x', message: '6' },
    ],
    [
      'a choice from a list of buttons',
      { type: 3, message, data: { custom_id: 'choose:0', component_type: 3, values: ['x'] } },
      { kind: 'click', button: 'x' },
    ],
    [
      'no choice',
      { type: 3, message, data: { custom_id: 'choose:0', component_type: 3, values: [] } },
      { kind: 'click', button: 'choose:0' },
    ],
    [
      'a form of a command',
      { type: 5, data: { custom_id: 'f' } },
      { kind: 'submit', form: 'f', from: 'command' },
    ],
    [
      'a form of a message',
      { type: 5, message, data: { custom_id: 'f' } },
      { kind: 'submit', from: 'message' },
    ],
    [
      'a form of a private message',
      { type: 5, message: { id: '6', flags: 64 }, data: { custom_id: 'f' } },
      { kind: 'submit', from: 'own' },
    ],
    [
      'a message that is used',
      {
        type: 2,
        data: {
          type: 3,
          name: 'Use this message',
          target_id: '6',
          resolved: { messages: { 6: { id: '6', channel_id: '3', author: ana, type: 0, content: 'Hello' } } },
        },
      },
      { kind: 'used', message: { id: '6', channel: '3', guild: '2', text: 'Hello' } },
    ],
  ])('%s', (_, given, parsed) =>
    expect(parse({ ...interaction, ...given })).toMatchObject({ ...done, ...parsed }),
  );

  test('in direct messages comes without a server and roles', () => {
    const { member: _, guild_id: __, ...direct } = interaction;
    expect(parse({ ...direct, user: ana, type: 2, data: { type: 1, name: 'flow' } })).toMatchObject({
      by: { id: ana.id, name: 'Ana' },
      guild: undefined,
    });
  });

  test.each([1, 6])('of a kind %i is none of ours', (type) =>
    expect(parse({ ...interaction, type })).toEqual({ kind: 'ignored' }),
  );
});

test('a server that can’t be reached for a while is not left', () => {
  expect(parse({ id: '2' }, 'GUILD_DELETE')).toEqual({ kind: 'left', id: '2' });
  expect(parse({ id: '2', unavailable: true }, 'GUILD_DELETE')).toEqual({ kind: 'ignored' });
});

test('whatever Discord tells, nothing throws', () => {
  const kinds = fc.constantFrom(
    'INTERACTION_CREATE',
    'MESSAGE_CREATE',
    'GUILD_CREATE',
    'GUILD_DELETE',
    'MESSAGE_DELETE',
    'MESSAGE_DELETE_BULK',
    'READY',
    'X',
  );
  const twisted = fc.record({
    ...Object.fromEntries(Object.keys(interaction).map((key) => [key, fc.anything()])),
    type: fc.oneof(fc.constantFrom(2, 3, 4, 5), fc.anything()),
    data: fc.anything(),
    message: fc.anything(),
  });
  fc.assert(
    fc.property(kinds, fc.oneof(fc.anything(), twisted), twisted, (t, d, more) => {
      parse(d, t);
      parse({ ...interaction, data: more.data, message: more.message, type: more.type }, t);
    }),
  );
});
