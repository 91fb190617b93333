import { describe, expect, it } from 'vitest';
import { script } from '../../../src/engine/steps/script.ts';
import { begin, faults, missing } from './turn.ts';

const data = {
  input: { version: '1.2' },
  run: { id: 'r1', flow: 'Release' },
  a: { text: '$(rm -rf ~) "x"\n', json: { n: 1, none: null } },
};
const stdin = { input: { version: '1.2' }, run: { id: 'r1', flow: 'Release' }, steps: {} };

describe('script', () => {
  it('runs a program with what the run is about', () => {
    expect(begin(script, { run: 'make' }, data)).toEqual({
      kind: 'script',
      call: { run: 'make', args: [], stdin },
    });
  });

  it('keeps each argument in one piece, whatever its values hold', () => {
    const args = ['--title', 'v{{input.version}}: {{a.text}}', '{{a.json.n}}', '{{a.json}}', ''];
    expect(begin(script, { run: 'make', args }, data)).toMatchObject({
      call: { args: ['--title', 'v1.2: $(rm -rf ~) "x"\n', '1', '{"n":1,"none":null}', ''] },
    });
  });

  it('C46: does not expand what a value holds', () => {
    const scope = { ...data, a: { text: '{{input.version}}', json: {} } };
    expect(begin(script, { run: 'make', args: ['{{a.text}}'] }, scope)).toMatchObject({
      call: { args: ['{{input.version}}'] },
    });
  });

  it.each(['{{a.json.none}}', '{{b.text}}', '{{secrets.KEY}}'])(
    'C44: fails without a value for %s',
    (source) => {
      expect(begin(script, { run: 'make', args: ['x', source] }, data)).toEqual(missing(source));
    },
  );

  it('gives whole outputs on standard input, and null for a step that did not run', () => {
    const outputs = new Map([['a', { name: 'A', output: { text: 'hi', json: { n: 1 } } }]]);
    const stepOutput = (id: string) => outputs.get(id) ?? { name: id, output: undefined };
    expect(begin(script, { run: 'make', inputs: ['a', 'b'] }, data, { stepOutput })).toMatchObject({
      call: { stdin: { ...stdin, steps: { a: { text: 'hi', json: { n: 1 } }, b: null } } },
    });
  });

  it('fails rather than give more than can be held', () => {
    const output = { text: 'x'.repeat(12_000_001), json: {} };
    const stepOutput = () => ({ name: 'A', output });
    expect(begin(script, { run: 'make', inputs: ['a'] }, data, { stepOutput })).toMatchObject({
      kind: 'failed',
      failure: { code: 'output-too-large', retry: 'never' },
    });
  });

  it('fails where a value would end an argument', () => {
    const scope = { ...data, a: { text: 'x\0y', json: {} } };
    expect(begin(script, { run: 'make', args: ['{{a.text}} {{input.version}}'] }, scope)).toEqual({
      kind: 'failed',
      failure: {
        code: 'bad-argument',
        message:
          "An argument can't hold a NUL character, which {{a.text}} or {{input.version}} has: give it under inputs instead.",
        retry: 'never',
      },
    });
  });

  it('says where it reads and what it writes', () => {
    const config = script.schema.parse({
      run: 'make',
      args: ['x', '{{a.text}}'],
      inputs: ['b'],
      writes: 'report',
    });
    expect(script.references(config)).toMatchObject([
      { lookup: ['a', 'text'], at: ['args', 1], optional: false },
      { lookup: ['b'], at: ['inputs', 0], optional: true },
    ]);
    expect(script.writes?.(config)).toBe('report');
    expect(script.exits(config)).toEqual(['done']);
  });

  it.each([
    [{ run: '' }, 'run: '],
    [
      { run: '{{a.text}}' },
      'run: What is run is fixed, without placeholders. Write placeholders under args.',
    ],
    [{ run: 'make\n' }, 'run: The name of a program has no control characters.'],
    [{ run: 'make', args: 'all' }, 'args: '],
    [{ run: 'make', args: Array(101).fill('x') }, 'args: '],
    [{ run: 'make', inputs: ['a', 'a'] }, 'inputs: A step is listed twice.'],
    [{ run: 'make', env: { A: 'b' } }, ': Unrecognized key: "env"'],
  ])('refuses %j', (written, fault) => {
    expect(faults(script, written).join('\n')).toContain(fault);
  });
});
