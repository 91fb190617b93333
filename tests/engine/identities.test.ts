import { describe, expect, test } from 'vitest';
import { identitiesOf } from '../../src/engine/identities.ts';

describe('accounts of one person', () => {
  const links = [
    ['slack:U0ANA', 'discord:400000000000000002', 'slack:W0ANA'],
    ['slack:U0BO', 'cli:bo'],
  ];

  test.each([
    ['slack:U0ANA', ['slack:U0ANA', 'discord:400000000000000002', 'slack:W0ANA']],
    ['slack:W0ANA', ['slack:W0ANA', 'slack:U0ANA', 'discord:400000000000000002']],
    ['cli:bo', ['cli:bo', 'slack:U0BO']],
    ['slack:U0CY', ['slack:U0CY']],
    ['discord:U0ANA', ['discord:U0ANA']],
    ['slack:u0ana', ['slack:u0ana']],
    ['', ['']],
  ])('of %j are %j', (address, all) => {
    expect(identitiesOf(links, address)).toEqual(all);
  });

  test('nobody is linked unless the configuration says so', () => {
    expect(identitiesOf([], 'slack:U0ANA')).toEqual(['slack:U0ANA']);
  });
});
