import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import {
  addressSchema,
  mentionSchema,
  parseAddress,
  parseRole,
  personSchema,
  roleSchema,
} from '../../../src/engine/flow/address.ts';

describe('the address of a conversation', () => {
  test.each([
    ['slack:#releases', { platform: 'slack', rest: '#releases' }],
    ['discord:Our Server/#general', { platform: 'discord', rest: 'Our Server/#general' }],
    ['playground:#demo', { platform: 'playground', rest: '#demo' }],
    ['#releases', { rest: '#releases' }],
    ['#über-uns', { rest: '#über-uns' }],
    ['@ana', { rest: '@ana' }],
    ['slack:C0ABC', { platform: 'slack', rest: 'C0ABC' }],
    ['900000000000000001', { rest: '900000000000000001' }],
    ['discord:#releases', { platform: 'discord', rest: '#releases' }],
    ['discord:300000000000000001', { platform: 'discord', rest: '300000000000000001' }],
  ])('%s', (text, address) => {
    expect(parseAddress(text)).toEqual(address);
  });

  test.each([
    '',
    '#',
    'slack:',
    ':#a',
    'Slack:#a',
    'slack:#a b',
    'slack:#{{input.c}}',
    '{{input.c}}',
    'slack:<#C1>',
    'a/b/#c',
    'slack:#a\n',
    'https://example.com',
  ])('is not %j', (text) => {
    expect(parseAddress(text)).toBeUndefined();
    expect(addressSchema.safeParse(text).success).toBe(false);
  });

  it('is read quickly, whatever it is', () => {
    fc.assert(
      fc.property(
        fc.string({ maxLength: 5000 }),
        (text) => parseAddress(text) === undefined || text.length < 300,
      ),
    );
  });
});

describe('a person', () => {
  test.each([
    ['slack:U0ANA', true],
    ['discord:900000000000000002', true],
    ['ana', false],
    ['@ana', false],
    ['slack:@ana', false],
    ['slack:{{input.who}}', false],
    ['slack:U0ANA slack:U0BO', false],
  ])('%s: %s', (text, isPerson) => {
    expect(personSchema.safeParse(text).success).toBe(isPerson);
  });
});

describe('a role', () => {
  test.each([
    ['maintainers', '@maintainers', { role: 'maintainers' }],
    ['slack:maintainers', 'slack:@maintainers', { platform: 'slack', role: 'maintainers' }],
    ['slack:S0OPS', 'slack:@S0OPS', { platform: 'slack', role: 'S0OPS' }],
    [
      'discord:Release Managers',
      'discord:@Release Managers',
      { platform: 'discord', role: 'Release Managers' },
    ],
    [
      'discord:900000000000000003',
      'discord:@900000000000000003',
      { platform: 'discord', role: '900000000000000003' },
    ],
    ['über-uns', '@über-uns', { role: 'über-uns' }],
    ['@maintainers', '@maintainers', { role: 'maintainers' }],
    ['slack:@maintainers', 'slack:@maintainers', { platform: 'slack', role: 'maintainers' }],
    [
      'discord:@800000000000000001',
      'discord:@800000000000000001',
      { platform: 'discord', role: '800000000000000001' },
    ],
  ])('%s is read as %s', (written, address, role) => {
    expect(roleSchema.parse(written)).toBe(address);
    expect(parseRole(address)).toEqual(role);
    expect(mentionSchema.safeParse(address).success).toBe(true);
  });

  test.each([
    '',
    '@@maintainers',
    '@slack:maintainers',
    'Slack:ops',
    ':ops',
    'slack:',
    'a:b:c',
    '{{input.r}}',
    'here',
    'slack:channel',
    'Everyone',
    'ops\n',
    ' ops',
    '<!here>',
  ])('is not %j', (written) => {
    expect(roleSchema.safeParse(written).success).toBe(false);
  });

  test.each(['everyone', '@everyone', 'discord:@everyone', '@here', 'slack:here', 'Slack:@Channel'])(
    '%s is nobody in particular',
    (written) => {
      const [issue] = roleSchema.safeParse(written).error?.issues ?? [];
      expect(issue?.message).toBe(
        `"${written}" is nobody in particular.\nRemove allow: or approvers: instead; then anyone in the conversation may.`,
      );
    },
  );

  test.each([
    'slack:U0ANA',
    'maintainers',
    'slack:maintainers',
    '@',
    'slack@ops',
    '@here',
    'slack:@everyone',
    '@<x>',
    '@a@b',
  ])('as an address is not %j', (address) => {
    expect(parseRole(address)).toBeUndefined();
  });

  it('is read quickly, whatever it is', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 5000 }), (text) => {
        const read = roleSchema.safeParse(text);
        return !read.success || (parseRole(read.data) !== undefined && text.length < 200);
      }),
    );
  });
});

describe('whom a message may notify', () => {
  test.each([
    ['slack:U0ANA', true],
    ['@oncall', true],
    ['slack:@oncall', true],
    ['oncall', false],
    ['slack:#general', false],
    ['@here', false],
    ['slack:@{{input.who}}', false],
  ])('%s: %s', (text, isMention) => {
    expect(mentionSchema.safeParse(text).success).toBe(isMention);
  });
});
