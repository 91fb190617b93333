import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Plan } from '../../../src/engine/flow/plan.ts';
import { readRequestInput } from '../../../src/engine/flow/webhook-trigger.ts';
import type { Json, JsonObject } from '../../../src/engine/json.ts';
import { ask, faultsOf, get, planOf, post } from './faults.ts';

const input: JsonObject = {
  type: 'object',
  properties: {
    version: { type: 'string', title: 'Version' },
    stage: { type: 'string', default: 'beta' },
    count: { type: 'integer', title: 'Count' },
    draft: { type: 'boolean' },
  },
  required: ['version'],
};
const hook = (more: JsonObject = {}): JsonObject => ({ type: 'webhook', secret: 'HOOK', ...more });
const kept = { keep: { version: 'release.tag_name' } };
const flow = (triggers: readonly Json[], more: JsonObject = {}): JsonObject => ({
  triggers,
  steps: { a: get },
  ...more,
});

describe('the plan', () => {
  const webhookOf = ({ triggers }: Plan) => triggers.find(({ type }) => type === 'webhook');

  test('has what was written, with the address as the way to prove', () => {
    expect(webhookOf(planOf(flow([hook()])))).toEqual({
      type: 'webhook',
      secret: 'HOOK',
      verify: 'path',
      input: {},
      keep: {},
    });
  });

  test.each(['path', 'hmac', 'github', 'gitlab', 'stripe', 'alertmanager'])('verify: %s', (verify) => {
    expect(webhookOf(planOf(flow([hook({ verify })])))).toMatchObject({ verify });
  });

  test('is sound where a request gives what is required', () => {
    expect(faultsOf(flow([hook(kept)], { input }))).toEqual([]);
    expect(faultsOf(flow([hook({ input: { version: '1' } })], { input }))).toEqual([]);
    // Which of several fields is there is only seen when the request comes.
    const either = { ...input, required: [], anyOf: [{ required: ['version'] }, { required: ['count'] }] };
    expect(faultsOf(flow([hook(kept)], { input: either }))).toEqual([]);
    const open = { type: 'object', properties: {}, additionalProperties: true };
    expect(faultsOf(flow([hook({ keep: { more: 'x' } })], { input: open }))).toEqual([]);
  });
});

describe('faults', () => {
  test.each<[string, JsonObject, readonly string[]]>([
    [
      'no secret',
      flow([{ type: 'webhook' }]),
      ['missing at triggers.0.secret: triggers[0].secret is missing. Give it text.'],
    ],
    [
      'a placeholder as the secret',
      flow([hook({ secret: '{{secrets.HOOK}}' })]),
      [
        'value at triggers.0.secret: triggers[0].secret: This is no name of a secret. Write the name alone, such as HOOK_SECRET, and set FLOWBOT_SECRET_HOOK_SECRET.',
      ],
    ],
    [
      'an unknown way to prove',
      flow([hook({ verify: 'githb' })]),
      ['value at triggers.0.verify: triggers[0].verify can\'t be "githb". Did you mean "github"?'],
    ],
    [
      'an unknown key',
      flow([hook({ path: 'x' })]),
      [
        'unknown-key at triggers.0.path: triggers[0] has no key "path". Use one of: type, secret, verify, input, keep.',
      ],
    ],
    [
      'a second one',
      flow([hook(), { type: 'manual' }, hook({ verify: 'github' })]),
      [
        'webhook at triggers.2: A flow has one webhook at most: its address is the id of the flow. Remove it, or write a flow of its own for the other system.',
      ],
    ],
    [
      'no conversation where one is needed',
      flow([hook()], { steps: { ask } }),
      [
        'conversation at triggers.0: A run that a webhook starts has no conversation, and ask needs one. Write conversation: at the top of the flow, such as slack:#releases.',
      ],
    ],
    [
      'required input from nowhere',
      flow([hook()], { input }),
      [
        "webhook-input at triggers.0: The runs of this webhook can't start: Version is missing. Take it from the request under keep:, write it under input: of the webhook, or give it a default.",
      ],
    ],
    [
      'input that does not fit',
      flow([hook({ keep: { ...kept.keep, count: 'n' }, input: { count: 'x', sage: 'x' } })], { input }),
      [
        'unknown-input at triggers.0.input.sage: The input of this flow has no "sage". Did you mean "stage"?',
        "webhook-input at triggers.0: The runs of this webhook can't start: Count must be a whole number. Take it from the request under keep:, write it under input: of the webhook, or give it a default.",
      ],
    ],
    [
      'an unknown field',
      flow([hook({ keep: { ...kept.keep, sage: 'x' } })], { input }),
      ['unknown-input at triggers.0.keep.sage: The input of this flow has no "sage". Did you mean "stage"?'],
    ],
    [
      'a field of no input',
      flow([hook(kept)]),
      [
        'unknown-input at triggers.0.keep.version: The flow has no input, so "version" can\'t be kept. Declare it under input: of the flow, or read it as {{start.json.body}}.',
      ],
    ],
    [
      'a path that is none',
      flow([hook({ keep: { version: 'a..b' } })], { input }),
      [
        'value at triggers.0.keep.version: triggers[0].keep.version: "" is no plain name. Use letters, digits and _ only, or a list position such as 0; when a key has other characters, read its parent.',
      ],
    ],
    [
      'a header that is none',
      flow([hook({ keep: { version: 'header:a b' } })], { input }),
      [
        'value at triggers.0.keep.version: triggers[0].keep.version: This is no name of a header. Write it like header:Location.',
      ],
    ],
  ])('%s', (_, written, faults) => expect(faultsOf(written)).toEqual(faults));

  test('of an input that can’t be read are told once', () => {
    const broken = { ...input, properties: { version: { type: 'strng' } } };
    const faults = faultsOf(flow([hook(kept), hook()], { input: broken }));
    expect(faults.filter((fault) => /webhook-input|unknown-input/.test(fault))).toEqual([]);
  });

  test('a flow that posts where it says needs no conversation', () => {
    expect(faultsOf(flow([hook()], { steps: { post } }))).toEqual([]);
  });
});

describe('what steps can read of the request', () => {
  const reading = (source: string) =>
    faultsOf(flow([hook()], { steps: { a: { type: 'template', text: `{{${source}}}` } } }));

  test.each([
    'start.json.body',
    'start.json.body.release.tag_name',
    'start.json.body.0',
    'start.json.headers.x_github_event',
    'start.json.query.a',
    'start.text',
  ])('%s', (source) => expect(reading(source)).toEqual([]));

  test.each(['start.json.bodies', 'start.json.body_'])('not %s', (source) => {
    expect(reading(source)).toEqual([expect.stringMatching(/^unknown-path at steps\.a\.text: /)]);
  });
});

describe('the input of a request', () => {
  const keep = {
    version: 'release.tag_name',
    stage: 'header:X-Stage',
    count: 'n.0',
    draft: 'release.draft',
  };
  const read = (body: Json, headers: Readonly<Record<string, string>> = {}, fixed: JsonObject = {}) =>
    readRequestInput({ input: fixed, keep }, input, { body, headers });

  test.each<[string, Json, Readonly<Record<string, string>>, JsonObject, JsonObject]>([
    [
      'paths and headers',
      { release: { tag_name: 'v1' }, n: [3] },
      { 'x-stage': 'final' },
      {},
      { version: 'v1', stage: 'final', count: 3 },
    ],
    [
      'what is not there has its default',
      { release: { tag_name: 'v1' } },
      {},
      {},
      { version: 'v1', stage: 'beta' },
    ],
    [
      'or what the trigger says',
      { release: { tag_name: 'v1' } },
      {},
      { stage: 'x' },
      { version: 'v1', stage: 'x' },
    ],
    [
      'which the request goes before',
      { release: { tag_name: 'v1' } },
      { 'x-stage': 'y' },
      { stage: 'x' },
      { version: 'v1', stage: 'y' },
    ],
    [
      'null is nothing',
      { release: { tag_name: 'v1' }, n: [null] },
      {},
      { count: 1 },
      { version: 'v1', stage: 'beta', count: 1 },
    ],
    [
      'text is read where no text can stand',
      { release: { tag_name: '2', draft: 'no' }, n: ['3'] },
      {},
      {},
      { version: '2', stage: 'beta', count: 3, draft: false },
    ],
    ['spaces in text stay', { release: { tag_name: ' v1 ' } }, {}, {}, { version: ' v1 ', stage: 'beta' }],
  ])('%s', (_, body, headers, fixed, expected) => {
    expect(read(body, headers, fixed)).toEqual({ ok: true, input: expected });
  });

  test.each<[string, Json, readonly string[]]>([
    ['no body', null, ['Version is missing: the body has no release.tag_name']],
    ['another kind', { release: { tag_name: ['v1'] } }, ['Version must be text']],
    [
      'a text that is no number',
      { release: { tag_name: 'v', draft: true }, n: ['x'] },
      ['Count must be a whole number'],
    ],
    ['a fraction', { release: { tag_name: 'v' }, n: [1.5] }, ['Count must be a whole number']],
  ])('%s is told', (_, body, messages) => {
    const result = read(body);
    expect(result.ok ? [] : result.problems.map(({ message }) => message)).toEqual(messages);
  });

  test('a header that is missing is named', () => {
    const result = readRequestInput({ input: {}, keep: { version: 'header:X-Version' } }, input, {
      body: null,
      headers: {},
    });
    expect(result).toEqual({
      ok: false,
      problems: [{ field: 'version', message: 'Version is missing: the request has no header X-Version' }],
    });
  });

  test('any JSON gives an input that fits or says why not', () => {
    fc.assert(
      fc.property(fc.json(), fc.jsonValue(), (text, value) => {
        for (const body of [
          JSON.parse(text),
          { release: JSON.parse(text), n: JSON.parse(JSON.stringify(value)) },
        ]) {
          const result = read(body);
          if (!result.ok) expect(result.problems.length).toBeGreaterThan(0);
        }
      }),
    );
  });
});
