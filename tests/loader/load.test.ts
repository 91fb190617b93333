import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import type { Json } from '../../src/engine/json.ts';
import { loadFlowFile } from '../../src/loader/load.ts';
import { formatFault } from '../../src/loader/located-fault.ts';
import { canonicalJson, shortVersion, versionOf } from '../../src/loader/versions.ts';

const file = 'flows/release.flow.yaml';

function lines(text: string, name = file): readonly string[] {
  return loadFlowFile(name, text).faults.map(formatFault);
}

const good = `name: Release notes
triggers:
  - { type: command, command: release, in: ["slack:#releases"] }
steps:
  review: { type: approval, title: Publish? }
  publish:
    type: message
    to: "slack:#announcements"
    text: "{{start.json.prompt}}"
edges:
  - review.approved -> publish
`;

const goodJson = JSON.stringify({
  edges: ['review.approved -> publish'],
  steps: {
    review: { title: 'Publish?', type: 'approval' },
    publish: { type: 'message', to: 'slack:#announcements', text: '{{start.json.prompt}}' },
  },
  triggers: [{ type: 'command', command: 'release', in: ['slack:#releases'] }],
  name: 'Release notes',
});

describe('a flow file', () => {
  it('gives a plan named after the file', () => {
    const { flow, faults } = loadFlowFile(file, good);
    expect(faults).toEqual([]);
    expect(flow?.plan).toMatchObject({ id: 'release', name: 'Release notes' });
    expect(flow?.definition.id).toBe('release');
    expect(flow?.locate(['steps', 'publish', 'to'])).toEqual({ line: 8, column: 5 });
  });

  it('C70: is the same flow in JSON, with any line ends, and with a byte-order mark', () => {
    const yaml = loadFlowFile(file, good).flow;
    const others = [
      loadFlowFile('flows/release.flow.json', goodJson),
      loadFlowFile('flows/release.flow.json', JSON.stringify(JSON.parse(goodJson), null, '\t')),
      loadFlowFile('flows/release.flow.yml', `\uFEFF${good.replaceAll('\n', '\r\n')}`),
    ];
    for (const other of others) {
      expect(other.faults).toEqual([]);
      expect(other.flow?.definition).toEqual(yaml?.definition);
      expect(other.flow?.version).toBe(yaml?.version);
    }
  });

  it('may be wrapped, and its faults still point into the file', () => {
    const wrapped = `apiVersion: flowbot/v1\nkind: Flow\nmetadata: { name: notes }\nspec:\n${good.replace(/^/gm, '  ')}`;
    const { flow } = loadFlowFile(file, wrapped);
    expect(flow?.plan.id).toBe('notes');
    expect(flow?.definition).not.toHaveProperty('spec');
    expect(flow?.locate(['steps', 'publish', 'to'])).toEqual({ line: 12, column: 7 });
    expect(lines(wrapped.replace('name: Release', 'nam: Release'))).toEqual([
      `${file}:5:3 error unknown-key: The flow has no key "nam". Did you mean "name"?`,
    ]);
    expect(lines(wrapped.replace('kind: Flow', 'kind: Flw'))).toEqual([
      `${file}:2:1 error value: kind can't be "Flw". Did you mean "Flow"?`,
    ]);
  });
});

describe('what people see when a file is bad', () => {
  const hello = (key: string) => `steps:\n  hello:\n    type: message\n    to: "slack:#a"\n    ${key}\n`;

  it('everything that is wrong, at once', () => {
    const bad = good.replace('name:', 'nam:').replace('title:', 'titel:').replace('-> publish', '-> publsh');
    const seen = lines(bad);
    expect(seen).toContain(`${file}:1:1 error unknown-key: The flow has no key "nam". Did you mean "name"?`);
    expect(seen).toContain(
      `${file}:5:29 error unknown-key: steps.review has no key "titel". Did you mean "title"?`,
    );
    expect(seen).toContain(
      `${file}:11:5 error unknown-step: There is no step "publsh". Did you mean "publish"?`,
    );
  });

  test.each<[string, string, readonly string[]]>([
    ['an empty file', '', [`${file}:1:1 error type: A flow is an object with steps. Begin with "steps:".`]],
    ['a text', 'hello', [`${file}:1:1 error type: A flow is an object with steps. Begin with "steps:".`]],
    [
      'a missing key',
      'steps:\n  hello:\n    type: message\n    to: "slack:#a"\n',
      [`${file}:2:3 error missing: steps.hello.text is missing. Give it text.`],
    ],
    [
      'C70 a number in a text field',
      hello('text: 1.10'),
      [`${file}:5:5 error type: steps.hello.text must be text, not 1.1. Put it in quotes: "1.10".`],
    ],
    [
      'C70 a long id as number',
      hello('text: 1234567890123456789'),
      [
        `${file}:5:5 error number: The number 1234567890123456789 can't be kept exactly. Put it in quotes: "1234567890123456789".`,
      ],
    ],
    [
      'no number',
      hello('text: .inf'),
      [`${file}:5:5 error number: The number .inf can't be kept exactly. Put it in quotes: ".inf".`],
    ],
    [
      'C70 an unquoted cron',
      'triggers:\n  - type: schedule\n    cron: * * * * *\n',
      [
        `${file}:3:11 error syntax: A value that begins with * is read as an alias. Put the whole value in quotes.`,
      ],
    ],
    [
      'C70 a tab',
      'steps:\n\thello: {}\n',
      [`${file}:2:1 error syntax: A tab stands where only spaces can indent. Use spaces.`],
    ],
    [
      'C70 a key twice',
      `${hello('text: a')}name: a\nname: b\n`,
      [`${file}:7:1 error duplicate-key: The key "name" stands twice in the same object. Keep one of them.`],
    ],
    [
      'a step twice',
      `${hello('text: a')}  hello: { type: message }\n`,
      [`${file}:6:3 error duplicate-key: The key "hello" stands twice in the same object. Keep one of them.`],
    ],
    [
      'C70 an alias bomb',
      bomb(),
      [
        expect.stringMatching(
          /^flows\/release\.flow\.yaml:\d+:\d+ error limit: The file holds more than 50,000 values\. Use fewer aliases \(\*name\)\.$/,
        ),
      ],
    ],
    ['an alias inside itself', 'steps: &a { x: *a }\n', [expect.stringContaining('error too-deep')]],
    [
      'an unknown alias',
      'name: *nobody\n',
      [
        `${file}:1:1 error syntax: There is no anchor &nobody before this alias. Put the whole value in quotes.`,
      ],
    ],
    ['a tag', 'name: !secret x\n', [`${file}:1:7 error tag: Tags (!name) are not read. Remove the tag.`]],
    ['a binary', 'name: !!binary aGk=\n', [expect.stringContaining('error tag')]],
    [
      'two documents',
      'name: a\n---\nname: b\n',
      [
        `${file}:2:1 error syntax: The file holds more than one document. Keep one flow in a file, without "---" between.`,
      ],
    ],
    [
      'a merge key',
      'a: &a { x: 1 }\nb: { <<: *a }\n',
      [`${file}:2:6 error syntax: Merge keys (<<) are not read. Write the keys out.`],
    ],
    [
      'an unquoted placeholder',
      hello('text: {{start.text}}'),
      [
        `${file}:5:12 error syntax: A value that begins with {{ is read as an object. Put the whole value in quotes.`,
      ],
    ],
    [
      'an unquoted mention',
      'conversation: @ana\n',
      [`${file}:1:15 error syntax: A value can't begin with @. Put the whole value in quotes.`],
    ],
    [
      'a colon in a text',
      'name: a: b\n',
      [`${file}:1:7 error syntax: A second ": " stands in one line. Put the whole value in quotes.`],
    ],
    [
      'a channel in a list that became a comment',
      'in: [#releases]\nname: x\n',
      [
        `${file}:1:6 error syntax: This # begins a comment, which lasts to the end of the line. Put the whole value in quotes.`,
        `${file}:2:1 error syntax: What a [ opened before this is not closed. Write ] where it ends.`,
      ],
    ],
    [
      'quotes that do not end',
      'name: "a\n',
      [`${file}:2:1 error syntax: A text that begins with " does not end. Write " behind it, too.`],
    ],
    [
      'an object that does not end',
      'a:\n  b: { c: d\n  e: f\n',
      [`${file}:3:3 error syntax: What a { opened before this is not closed. Write } where it ends.`],
    ],
    [
      'a bracket too many',
      'a: [b]]\n',
      [`${file}:1:7 error syntax: Nothing is open that this ] could close. Remove it.`],
    ],
    [
      'a colon in a text in an object',
      'a: { text: Total: 3 }\n',
      [`${file}:1:12 error syntax: A second ": " stands in one value. Put the whole value in quotes.`],
    ],
    [
      'text behind quotes',
      'text: "Hello" you\n',
      [
        `${file}:1:15 error syntax: Something follows where the value before it has ended. Put the whole value in quotes.`,
      ],
    ],
    [
      'a pattern in double quotes',
      'pattern: "\\d+"\n',
      [
        `${file}:1:11 error syntax: In double quotes a backslash begins an escape, and there is none like this. Write \\\\ for a backslash, or use '…' around the value.`,
      ],
    ],
    [
      'a key without a value',
      'name: a\nsteps\n',
      [
        `${file}:2:1 error syntax: A key stands here without a value. Write ": " behind the key, and its value.`,
      ],
    ],
    [
      'a line that is indented in another way',
      'a:\n  b: c\n d: e\n',
      [
        `${file}:3:1 error syntax: This line begins in another column than those it belongs to. Indent all keys of one object alike.`,
      ],
    ],
    [
      'a channel that became a comment',
      `${hello('text: a')}conversation: #releases\n`,
      [
        `${file}:6:1 error type: conversation must be text, not null. What follows # is a comment; put the value in quotes.`,
      ],
    ],
    [
      'a deep file',
      '['.repeat(3000),
      [expect.stringContaining('error too-deep: The file is nested too deep to be read. Use fewer levels.')],
    ],
    [
      'a huge file',
      `name: ${'x'.repeat(1_000_000)}`,
      [
        `${file}:1:1 error limit: The file has 1,000,006 bytes; at most 1,000,000 are read. Move parts of it into flows of their own.`,
      ],
    ],
    [
      '__proto__',
      `${hello('text: a')}__proto__: { x: 1 }\n`,
      [`${file}:6:1 error unknown-key: "__proto__" can't be a key. Give it another name.`],
    ],
    [
      'a number as edge',
      `${hello('text: a')}edges: [1]\n`,
      [`${file}:6:9 error type: edges[0] must be an object, not 1.`],
    ],
  ])('%s', (_, text, expected) => {
    expect(lines(text)).toEqual(expected);
  });

  test.each([
    [
      '{"steps":{},}',
      'flows/a.flow.json:1:13 error syntax: The file is not JSON: Expected double-quoted property name.',
    ],
    [
      '{\n  "steps": {} // none\n}',
      "flows/a.flow.json:2:15 error syntax: The file is not JSON: Expected ',' or '}' after property value.",
    ],
    [
      '{"name":"a","name":"b"}',
      'flows/a.flow.json:1:13 error duplicate-key: The key "name" stands twice in the same object. Keep one of them.',
    ],
  ])('JSON is JSON: %s', (text, line) => {
    expect(lines(text, 'flows/a.flow.json')).toEqual([line]);
  });

  function bomb(): string {
    const level = (name: string, inner: string) => `${name}: &${name} [${Array(9).fill(inner).join(', ')}]\n`;
    return [...'abcdefghi']
      .map((name, index, all) => level(name, index === 0 ? 'x' : `*${all[index - 1]}`))
      .join('');
  }
});

describe('a flow with a bit of everything', () => {
  it('is found no fault with', () => {
    const text = `name: Release notes
humanReminder: 12h
triggers:
  - { type: command, command: release, in: ["slack:#releases"] }
  - { type: schedule, cron: "0 9 * * 1-5", timezone: Europe/Berlin, input: { version: nightly } }
input: { type: object, properties: { version: { type: string } }, required: [version] }
conversation: "slack:#releases"
steps:
  changes: { type: http, url: "https://api.example.com/changes/{{input.version}}", keep: { title: items.0.title } }
  draft:
    type: agent
    agent: writer
    task: Write the notes.
    inputs: [changes]
    attempts: 3
    reply: { format: json, fields: { verdict: { type: string }, notes: { type: string } } }
  review: { type: approval, title: Publish these notes?, show: [draft] }
  publish: { type: message, to: "slack:#announcements", text: "**{{input.version}}**\\n\\n{{draft.json.notes}}" }
edges:
  - changes -> draft -> review
  - review.approved -> publish
  - { from: review.rejected, to: draft, sendBack: true, maxRounds: 5 }
output: "{{publish.json.messageId}}"
`;
    expect(lines(text)).toEqual([]);
  });
});

describe('C70: plain words', () => {
  test.each<[string, Json]>([
    ['no', 'no'],
    ['[yes, no]', ['yes', 'no']],
    ['{ on: 1 }', { on: 1 }],
    ['08:30', '08:30'],
    ['12:00:00', '12:00:00'],
    ['2026-03-28', '2026-03-28'],
    ['010', 10],
    ['true', true],
    ['~', null],
    ['"1.10"', '1.10'],
    ['&a [1, 2]', [1, 2]],
  ])('%s keeps its YAML 1.2 meaning', (written, data) => {
    const { flow, faults } = loadFlowFile(file, `steps:\n  t: { type: template, data: ${written} }\n`);
    expect(faults.map(formatFault)).toEqual([]);
    expect(flow?.definition.steps).toEqual({ t: { type: 'template', data } });
  });

  it('any JSON data reads the same as YAML and as JSON', () => {
    const text = fc.string({ unit: 'grapheme' });
    const { json } = fc.letrec<{ json: Json }>((tie) => ({
      json: fc.oneof(
        { maxDepth: 4 },
        text,
        fc.constant(null),
        fc.integer(),
        fc.boolean(),
        fc.array(tie('json'), { maxLength: 3 }),
        fc.dictionary(
          text.filter((key) => key !== '__proto__' && key !== '<<' && !key.includes('{{')),
          tie('json'),
          { maxKeys: 3, noNullPrototype: true },
        ),
      ),
    }));
    fc.assert(
      fc.property(
        json.filter((data) => !JSON.stringify(data).includes('{{')),
        (data) => {
          const flow = JSON.stringify({ steps: { t: { type: 'template', data } } });
          const read = [loadFlowFile('t.flow.yaml', flow), loadFlowFile('t.flow.json', flow)].map((one) => ({
            faults: one.faults,
            steps: one.flow?.definition.steps,
          }));
          expect(read[0]?.faults).toEqual([]);
          expect(read[0]?.steps).toEqual({ t: { type: 'template', data: JSON.parse(JSON.stringify(data)) } });
          expect(read[1]?.steps).toEqual(read[0]?.steps);
        },
      ),
    );
  });

  it('no text makes it throw', () => {
    const piece = fc.constantFrom(
      'steps:',
      '\n',
      '  ',
      '\t',
      '- ',
      'a',
      ': ',
      '&a ',
      '*a',
      '{',
      '}',
      '[',
      ']',
      '"',
      "'",
      '|',
      '>',
      '!x ',
      '#',
      '? ',
      '---',
      '%YAML 1.1',
      '\u0000',
      '{{',
      '1.10',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
        loadFlowFile(file, pieces.join('')).faults.map(formatFault);
      }),
      { numRuns: 300 },
    );
  });
});

describe('versions', () => {
  it('depend on content, not on the order of keys', () => {
    expect(versionOf({ a: 1, b: [{ d: null, c: 'x' }] })).toBe(versionOf({ b: [{ c: 'x', d: null }], a: 1 }));
    expect(versionOf({ a: [1, 2] })).not.toBe(versionOf({ a: [2, 1] }));
    expect(versionOf({ a: 1 })).toMatch(/^[0-9a-f]{64}$/);
    expect(shortVersion(versionOf({ a: 1 }))).toHaveLength(16);
  });

  it('are made from JSON that says the same', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (data) => {
        expect(JSON.parse(canonicalJson(data as Json))).toEqual(JSON.parse(JSON.stringify(data)));
      }),
    );
  });
});
