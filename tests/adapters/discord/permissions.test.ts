import { describe, expect, test } from 'vitest';
import {
  allows,
  excessive,
  heldIn,
  inviteLink,
  permissions,
} from '../../../src/adapters/discord/permissions.ts';

/** https://docs.discord.com/developers/topics/permissions#permissions-bitwise-permission-flags */
const bits = { view: 10, send: 11, files: 15, history: 16, publicThreads: 35, inThreads: 38 };

describe('what the bot asks for', () => {
  test('the link asks for exactly what is listed, by the bits that Discord documents, and for commands', () => {
    const link = new URL(inviteLink('100000000000000001'));
    const asked = BigInt(link.searchParams.get('permissions') ?? '');
    expect(asked).toBe(Object.values(bits).reduce((sum, bit) => sum | (1n << BigInt(bit)), 0n));
    expect(asked).toBe(permissions.reduce((sum, { bit }) => sum | bit, 0n));
    expect(link.searchParams.get('scope')?.split(' ')).toEqual(['bot', 'applications.commands']);
    expect(link.searchParams.get('client_id')).toBe('100000000000000001');
    expect(link.origin + link.pathname).toBe('https://discord.com/oauth2/authorize');
  });

  test('trap 4: it asks neither to mention everyone nor to be an administrator', () => {
    expect(excessive.map(({ bit }) => bit)).toEqual([1n << 3n, 1n << 17n]);
    expect(permissions.filter(({ bit }) => excessive.some((one) => one.bit === bit))).toEqual([]);
  });

  test('nothing is asked for twice, and each permission says what is lost without it', () => {
    expect(new Set(permissions.map(({ bit }) => bit)).size).toBe(permissions.length);
    for (const { cost } of permissions) expect(cost).toMatch(/^[A-Z].*\.$/);
  });

  test('an administrator may do everything, others what they hold', () => {
    const [first, second] = permissions;
    if (!first || !second) throw new Error('there are permissions');
    expect(permissions.every((one) => allows(1n << 3n, one))).toBe(true);
    expect([allows(first.bit, first), allows(first.bit, second), allows(0n, first)]).toEqual([
      true,
      false,
      false,
    ]);
  });
});

describe('what a channel changes', () => {
  const levels = [['everybody'], ['one', 'other'], ['bot']];

  test.each([
    ['nothing', 0b11n, [], 0b11n],
    ['what it denies everybody', 0b11n, [{ id: 'everybody', allow: 0n, deny: 1n }], 0b10n],
    [
      'a role counts more than everybody',
      0b11n,
      [
        { id: 'one', allow: 1n, deny: 0n },
        { id: 'everybody', allow: 0n, deny: 1n },
      ],
      0b11n,
    ],
    [
      'what one role allows counts more than what another denies',
      0b11n,
      [
        { id: 'one', allow: 1n, deny: 0n },
        { id: 'other', allow: 0n, deny: 0b11n },
      ],
      0b01n,
    ],
    [
      'the bot itself counts most',
      0b01n,
      [
        { id: 'bot', allow: 0b10n, deny: 0b01n },
        { id: 'one', allow: 0b01n, deny: 0b10n },
      ],
      0b10n,
    ],
    ['what concerns others changes nothing', 0b01n, [{ id: 'stranger', allow: 0b10n, deny: 0b01n }], 0b01n],
  ])('%s', (_, base, overwrites, held) => {
    expect(heldIn(base, overwrites, levels)).toBe(held);
  });
});
