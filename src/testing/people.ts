import { parseRole } from '../engine/flow/address.ts';
import type { Named } from '../engine/named.ts';
import type { Person, Place } from '../engine/people.ts';
import { type Answerer, askedOf } from '../engine/run/answer.ts';
import type { Question } from '../engine/run/state.ts';
import type { Act } from './test-file.ts';

/** The platform of people whom a test calls by a name alone. */
export const TEST_PLATFORM = 'test';

/** A person of a test: `slack:U0BO` is that account, a name alone somebody of the test. */
export function personOf(name: string): Person {
  const [, platform, id] = /^([a-z][a-z0-9-]*):(.+)$/.exec(name) ?? [];
  return platform !== undefined && id !== undefined
    ? { platform, id, name: id }
    : { platform: TEST_PLATFORM, id: name, name };
}

/**
 * Who answers, and from where: somebody in the conversation where it is asked. Whoever is called by a name alone has every
 * role that the question names, an account has none, unless the act says which.
 * @param home where the run lives
 */
export function answererOf(
  { by, roles }: Pick<Act, 'by' | 'roles'>,
  question: Question,
  home: Place | undefined,
  atMs: number,
): Answerer {
  const person = personOf(by);
  const asked = askedOf(question).filter((entry) => parseRole(entry) !== undefined);
  const isOfTest = person.platform === TEST_PLATFORM;
  const place = question.to === undefined ? home : question.place;
  return {
    by: person,
    also: [],
    standing: 'member',
    roles: { held: roles ? heldOf(asked, roles) : isOfTest ? asked : [], unsure: [] },
    ...(place && { place }),
    atMs,
  };
}

/** Of the roles that are asked those of a list. */
function heldOf(asked: Named, roles: Named): Named {
  return asked.filter((entry) =>
    roles.some((role) => {
      const [held, wanted] = [parseRole(role), parseRole(entry)];
      if (!held || held.role !== wanted?.role) return false;
      return (
        held.platform === undefined || wanted.platform === undefined || held.platform === wanted.platform
      );
    }),
  );
}
