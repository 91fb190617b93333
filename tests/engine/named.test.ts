import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import {
  keptOut,
  matches,
  type Named,
  noRoles,
  notifiedOn,
  type Roles,
  rolesOn,
} from '../../src/engine/named.ts';
import { type Person, personAddress } from '../../src/engine/people.ts';
import { textOf } from '../../src/engine/prose.ts';

const ana = { platform: 'slack', id: 'U0ANA' };
/** Whether a list names somebody. */
function isNamed(named: Named, who: Pick<Person, 'platform' | 'id'>, roles: Roles): boolean {
  return named.some((entry) => matches(entry, [personAddress(who)], roles));
}

const leads = ['slack:U0BO', '@leads', 'slack:@S0OPS', 'discord:@leads'];

describe('a list of people and roles', () => {
  test.each<[string, readonly string[], Roles, string | undefined]>([
    ['names them', ['slack:U0ANA'], noRoles, undefined],
    ['names a role they have', leads, { held: ['@leads'], unsure: [] }, undefined],
    [
      'names a role they have, whatever is unsure',
      leads,
      { held: ['@leads'], unsure: ['slack:@S0OPS'] },
      undefined,
    ],
    [
      'keeps out those without',
      leads,
      noRoles,
      'Only slack:U0BO, @leads, slack:@S0OPS, discord:@leads may answer this.',
    ],
    [
      'keeps out, and says so, when nobody can tell',
      ['@leads'],
      { held: [], unsure: ['@leads'] },
      'Only @leads may answer this, and I could not find out whether you are one of them.',
    ],
    [
      'does not care for other roles',
      ['@leads'],
      { held: ['@others'], unsure: ['@more'] },
      'Only @leads may answer this.',
    ],
    [
      'takes no person for a role',
      ['slack:U0BO'],
      { held: ['slack:U0BO'], unsure: [] },
      'Only slack:U0BO may answer this.',
    ],
  ])('%s', (_, named, roles, why) => {
    expect(isNamed(named, ana, roles)).toBe(why === undefined);
    if (why !== undefined) expect(textOf(keptOut(named, roles, 'answer this'))).toBe(why);
  });

  it('has roles that count on one platform only, and others that count on each', () => {
    expect(rolesOn('slack', [...leads, '@leads'])).toEqual([
      { address: '@leads', role: 'leads' },
      { address: 'slack:@S0OPS', role: 'S0OPS' },
    ]);
    expect(rolesOn('discord', leads)).toEqual([
      { address: '@leads', role: 'leads' },
      { address: 'discord:@leads', role: 'leads' },
    ]);
  });

  it('notifies those of the platform it is shown on, each once', () => {
    expect(notifiedOn('slack', [...leads, 'slack:@leads'])).toEqual(['U0BO', '@leads', '@S0OPS']);
    expect(notifiedOn('discord', leads)).toEqual(['@leads']);
    expect(notifiedOn('slack', ['slack2:U0BO', 'U0BO'])).toEqual([]);
  });

  it('takes nobody for a role, whatever their id', () => {
    expect(isNamed(['slack:@leads'], { platform: 'slack', id: '@leads' }, noRoles)).toBe(false);
  });

  it('never lets in somebody whom it does not name and who is not known to have a role of it', () => {
    const address = fc.constantFrom(
      'slack:U0BO',
      'discord:U0ANA',
      '@leads',
      'slack:@leads',
      '@U0ANA',
      'slack:@U0ANA',
    );
    fc.assert(
      fc.property(fc.array(address), fc.array(address), (named, unsure) => {
        expect(isNamed(named, ana, { held: [], unsure })).toBe(false);
      }),
    );
  });
});
