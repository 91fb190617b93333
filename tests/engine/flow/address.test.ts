import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { addressSchema, parseAddress, personSchema } from '../../../src/engine/flow/address.ts';

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
