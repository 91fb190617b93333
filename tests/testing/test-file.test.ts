import { describe, expect, it } from 'vitest';
import { readTestFile } from '../../src/testing/test-file.ts';

const faultsOf = (text: string): readonly string[] => {
  const read = readTestFile('flows/release.test.yaml', text);
  return read.ok ? [] : read.faults;
};

describe('a test file', () => {
  it('is of the flow whose name it has, unless it says another', () => {
    const named = readTestFile('flows/release.test.yaml', 'cases: [{}]');
    const other = readTestFile('flows/release.test.yml', 'flow: access\ncases: [{}]');
    expect([named.ok && named.flow, other.ok && other.flow]).toEqual(['release', 'access']);
  });

  it('leaves out what is as usual: Ana starts it on a Monday morning, Bo answers', () => {
    const read = readTestFile('a.test.yaml', 'cases: [{ acts: [{ answer: approve }] }]');
    expect(read.ok && read.cases).toEqual([
      {
        by: 'ana',
        at: '2030-01-07T09:00:00Z',
        fakes: {},
        acts: [{ answer: 'approve', by: 'bo', comment: '' }],
        expect: {},
      },
    ]);
    expect(new Date('2030-01-07T09:00:00Z').getUTCDay()).toBe(1);
  });

  it('reads roles and posts in their short forms', () => {
    const read = readTestFile(
      'a.test.yaml',
      'cases: [{ acts: [{ answer: approve, roles: [legal, "slack:ops"] }], expect: { posts: [Hello] } }]',
    );
    const [one] = read.ok ? read.cases : [];
    expect([one?.acts[0]?.roles, one?.expect.posts]).toEqual([['@legal', 'slack:@ops'], [{ text: 'Hello' }]]);
  });

  it.each([
    ['nothing', '', '1:1 error missing: cases is missing. Give it a list.'],
    ['a list', '- expect: {}', '1:1 error type: A test file is an object with cases. Begin with "cases:".'],
    ['no cases', 'cases: []', '1:1 error limit: cases must not be empty.'],
    ['no data', 'cases: [', '1:9 error syntax:'],
    [
      'an unknown key',
      'cases: [{ fake: {} }]',
      '1:11 error unknown-key: cases[0] has no key "fake". Did you mean "fakes"?',
    ],
    [
      'an act that does two things',
      'cases: [{ acts: [{ answer: approve, pass: 1h }] }]',
      'cases[0].acts[0]: does not say one thing that happens. Write one of answer:, pass: and cancel:.',
    ],
    [
      'an act that does nothing',
      'cases: [{ acts: [{ by: bo }] }]',
      'cases[0].acts[0]: does not say one thing that happens. Write one of answer:, pass: and cancel:.',
    ],
    [
      'a comment without an answer',
      'cases: [{ acts: [{ pass: 1h, comment: Hm }] }]',
      'cases[0].acts[0]: comment: goes with answer: only. Leave it out.',
    ],
    [
      'a time without a unit',
      'cases: [{ acts: [{ pass: 5 }] }]',
      'error type: cases[0].acts[0].pass: 5 has no unit. Write 5s for seconds, or 5m for minutes.',
    ],
    [
      'two inputs',
      'cases: [{ input: {}, prompt: x }]',
      'cases[0]: has several inputs. Write one of input:, prompt: and request:.',
    ],
    [
      'an unknown status',
      'cases: [{ expect: { status: succeded } }]',
      `cases[0].expect.status can't be "succeded". Did you mean "succeeded"?`,
    ],
    [
      'a role that everybody has',
      'cases: [{ acts: [{ answer: approve, roles: [everyone] }] }]',
      '"everyone" is nobody in particular.',
    ],
  ])('says what is wrong with %s', (_, text, fault) => {
    expect(faultsOf(text)).toEqual([expect.stringContaining(fault)]);
    expect(faultsOf(text)[0]).toMatch(/^flows\/release\.test\.yaml:\d+:\d+ error /);
  });

  it('tells all its faults at once, in the order of the file', () => {
    const text = 'flow: 1\ncases:\n  - acts: [{ pass: soon }]\n  - expect: { paths: [] }\n';
    expect(faultsOf(text).map((fault) => fault.split(' ')[0])).toEqual([
      'flows/release.test.yaml:1:1',
      'flows/release.test.yaml:3:14',
      'flows/release.test.yaml:4:15',
    ]);
  });
});
