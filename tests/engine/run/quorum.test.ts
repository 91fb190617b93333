import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import type { Named } from '../../../src/engine/named.ts';
import {
  addressesOf,
  decided,
  isBySame,
  isStale,
  stillMissing,
  withAnswer,
} from '../../../src/engine/run/quorum.ts';
import type { QuestionAction, QuestionAnswer, Quorum } from '../../../src/engine/run/state.ts';

const [approve, hold, reject] = ['approve', 'hold', 'reject'].map(
  (id): QuestionAction => ({ id, label: id, outcome: id, style: 'plain', comment: 'none' }),
);
const actions = [approve, hold, reject].filter((action) => action !== undefined);

function given(
  action: string,
  id: string,
  as: Named = [`slack:${id}`],
  also: readonly string[] = [],
): QuestionAnswer {
  return { action, feedback: '', by: { platform: 'slack', id, name: id }, atMs: 0, as, also };
}

function outcome(quorum: Quorum, answers: readonly QuestionAnswer[], approvers?: Named): string | undefined {
  return decided({ actions, quorum, answers, ...(approvers && { approvers }) });
}

/** Every state of a question while these answers come in, until it is decided. */
function outcomes(quorum: Quorum, answers: readonly QuestionAnswer[], approvers?: Named): readonly string[] {
  let kept: readonly QuestionAnswer[] = [];
  for (const answer of answers) {
    kept = withAnswer(kept, answer);
    const action = outcome(quorum, kept, approvers);
    if (action !== undefined) return [action];
  }
  return [];
}

const people: Named = ['slack:U1', 'slack:U2'];
const withRole: Named = ['slack:U1', '@leads'];

describe('when enough people have answered', () => {
  test.each<[string, Quorum, Named | undefined, readonly QuestionAnswer[], string | undefined]>([
    ['nobody has', 1, undefined, [], undefined],
    ['one of one', 1, undefined, [given('approve', 'U1')], 'approve'],
    ['one of two', 2, undefined, [given('approve', 'U1')], undefined],
    ['two of two', 2, undefined, [given('approve', 'U1'), given('approve', 'U2')], 'approve'],
    ['two who do not agree', 2, undefined, [given('approve', 'U1'), given('hold', 'U2')], undefined],
    [
      'two of three who agree',
      2,
      undefined,
      [given('hold', 'U1'), given('approve', 'U2'), given('hold', 'U3')],
      'hold',
    ],
    ['one who rejects', 3, undefined, [given('reject', 'U1')], 'reject'],
    [
      'one who rejects after others agreed',
      3,
      undefined,
      [given('approve', 'U1'), given('approve', 'U2'), given('reject', 'U3')],
      'reject',
    ],
    ['one of each two', 'each', people, [given('approve', 'U1')], undefined],
    ['each of two', 'each', people, [given('approve', 'U1'), given('approve', 'U2')], 'approve'],
    ['each of two, differently', 'each', people, [given('approve', 'U1'), given('hold', 'U2')], undefined],
    ['one of each who rejects', 'each', people, [given('reject', 'U2')], 'reject'],
    [
      'two of a role, and not the other one',
      'each',
      withRole,
      [given('approve', 'U8', ['@leads']), given('approve', 'U9', ['@leads'])],
      undefined,
    ],
    [
      'somebody of the role and the other one',
      'each',
      withRole,
      [given('approve', 'U8', ['@leads']), given('approve', 'U1')],
      'approve',
    ],
    ['one who is both', 'each', withRole, [given('approve', 'U1', withRole)], 'approve'],
    [
      'one of two, and somebody whom it has gone to',
      'each',
      people,
      [given('approve', 'U1'), given('approve', 'U9')],
      'approve',
    ],
    ['only one whom it has gone to', 'each', people, [given('approve', 'U9')], undefined],
    ['two whom it has gone to', 'each', people, [given('approve', 'U8'), given('approve', 'U9')], 'approve'],
  ])('%s', (_, quorum, approvers, answers, expected) => {
    expect(outcome(quorum, answers, approvers)).toBe(expected);
  });

  it('says whom the answer with most support still needs', () => {
    const question = { actions, quorum: 'each', approvers: ['slack:U1', 'slack:U2', '@leads'] } as const;
    expect(stillMissing({ ...question, answers: [] })).toEqual(question.approvers);
    const answers = [given('hold', 'U1'), given('approve', 'U2'), given('approve', 'U3', ['@leads'])];
    expect(stillMissing({ ...question, answers })).toEqual(['slack:U1']);
  });
});

describe('one person', () => {
  it('has one answer, the latest', () => {
    const first = withAnswer([], given('approve', 'U1'));
    const second = withAnswer(first, given('approve', 'U2'));
    expect(withAnswer(second, given('hold', 'U1'))).toEqual([given('approve', 'U2'), given('hold', 'U1')]);
  });

  it('is one on every platform that the configuration links', () => {
    const linked = given('approve', 'U2', [], ['slack:U1']);
    expect(addressesOf(linked)).toEqual(['slack:U2', 'slack:U1']);
    expect(isBySame(linked, given('approve', 'U1'))).toBe(true);
    expect(isBySame(given('approve', 'U1'), linked)).toBe(true);
    expect(isBySame(linked, given('approve', 'U3'))).toBe(false);
    expect(withAnswer([given('approve', 'U1')], linked)).toEqual([linked]);
  });

  it('can not be outrun by an earlier answer of their own that is handled later', () => {
    const now = { ...given('hold', 'U1'), atMs: 5 };
    expect(isStale([now], { ...given('approve', 'U1'), atMs: 4 })).toBe(true);
    expect(isStale([now], { ...given('approve', 'U1'), atMs: 5 })).toBe(true);
    expect(isStale([now], { ...given('approve', 'U1'), atMs: 6 })).toBe(false);
    expect(isStale([now], { ...given('approve', 'U2'), atMs: 4 })).toBe(false);
  });
});

describe('whoever answers what in whatever order (C19)', () => {
  const person = fc.constantFrom('U1', 'U2', 'U3', 'U4', 'U5');
  const quorum = fc.constantFrom<Quorum>(1, 2, 3, 'each');
  const approvers: Named = ['slack:U1', 'slack:U2', 'slack:U3', '@leads'];
  const as = (id: string): Named => (id === 'U4' ? ['@leads'] : [`slack:${id}`]);
  const answer = (action: fc.Arbitrary<string>) =>
    fc.record({ action, id: person }).map(({ action, id }) => given(action, id, as(id)));
  const anything = fc.constantFrom('approve', 'hold', 'reject');

  test('there is one outcome at most, and a rejection is always it', () => {
    fc.assert(
      fc.property(fc.array(answer(anything), { maxLength: 12 }), quorum, (answers, quorum) => {
        const [action] = outcomes(quorum, answers, approvers);
        const rejected = answers.findIndex((one) => one.action === 'reject');
        if (rejected < 0) expect(action).not.toBe('reject');
        else if (outcomes(quorum, answers.slice(0, rejected), approvers).length === 0) {
          expect(action).toBe('reject');
        }
        // Never are two answers supported enough at once.
        let kept: readonly QuestionAnswer[] = [];
        for (const one of answers) {
          const before = outcome(quorum, kept, approvers);
          if (before !== undefined) break;
          kept = withAnswer(kept, one);
          const met = actions.filter(
            ({ id }) =>
              outcome(
                quorum,
                kept.filter((two) => two.action === id),
                approvers,
              ) !== undefined,
          );
          expect(met.length).toBeLessThanOrEqual(1);
        }
      }),
    );
  });

  test('the order of answers that agree does not matter', () => {
    const agreeing = fc.uniqueArray(answer(fc.constant('approve')), {
      selector: ({ by }) => by.id,
      minLength: 1,
    });
    const shuffled = agreeing.chain((answers) =>
      fc.tuple(
        fc.constant(answers),
        fc.shuffledSubarray(answers, { minLength: answers.length, maxLength: answers.length }),
      ),
    );
    fc.assert(
      fc.property(shuffled, quorum, ([one, other], quorum) => {
        expect(outcomes(quorum, one, approvers)).toEqual(outcomes(quorum, other, approvers));
      }),
    );
  });

  test('answering again and again counts once', () => {
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 9 }), person, quorum, (times, id, quorum) => {
        const once = given('approve', id, as(id));
        expect(outcomes(quorum, Array(times).fill(once), approvers)).toEqual(
          outcomes(quorum, [once], approvers),
        );
      }),
    );
  });
});
