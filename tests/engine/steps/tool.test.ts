import { expect, test } from 'vitest';
import { tool } from '../../../src/engine/steps/tool.ts';
import { begin, faults, missing } from './turn.ts';

const data = { input: { n: 4, list: [1, 2] }, a: { text: '{{input.n}}', json: { none: null } } };

test('placeholders in the arguments keep their types, and are filled once (C46)', () => {
  const written = {
    server: 'files',
    tool: 'write',
    arguments: {
      n: '{{input.n}}',
      all: { list: '{{input.list}}' },
      text: 'n={{input.n}}',
      raw: '{{a.text}}',
    },
  };
  expect(begin(tool, written, data)).toEqual({
    kind: 'tool',
    call: {
      server: 'files',
      tool: 'write',
      arguments: { n: 4, all: { list: [1, 2] }, text: 'n=4', raw: '{{input.n}}' },
    },
  });
});

test('without arguments there are none', () => {
  expect(begin(tool, { server: 'files', tool: 'list' })).toMatchObject({ call: { arguments: {} } });
});

test.each(['{{b.text}}', '{{secrets.KEY}}'])('C44: fails without a value for %s', (source) => {
  const written = { server: 'files', tool: 'write', arguments: { x: source } };
  expect(begin(tool, written, data)).toEqual(missing(source));
});

test('says where it reads', () => {
  const config = tool.schema.parse({ server: 's', tool: 't', arguments: { x: ['{{a.text}}'] } });
  expect(tool.references(config)).toMatchObject([{ lookup: ['a', 'text'], at: ['arguments', 'x', 0] }]);
});

test.each([
  [{ tool: 't' }, 'server: '],
  [{ server: 's' }, 'tool: '],
  [
    { server: 's', tool: '{{a.text}}' },
    'tool: The tool is fixed, without placeholders. Write placeholders under arguments.',
  ],
  [{ server: '{{a.text}}', tool: 't' }, 'server: The server is fixed'],
  [{ server: 's', tool: 't', args: {} }, ': Unrecognized key: "args"'],
])('refuses %j', (written, fault) => {
  expect(faults(tool, written).join('\n')).toContain(fault);
});
