import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { OPERATIONS } from '../../../src/server/api/operations.ts';
import { exampleOf, fieldsOf, typeWords } from '../../../src/server/pages/reference-schema.ts';
import { as, get, open } from '../api/serving.ts';
import { visit, wordsOf } from './browsing.ts';

describe('the reference of the API', () => {
  test('shows every operation and everything they answer with, and its links lead somewhere', async () => {
    await open({});
    const page = await visit('/api', as('looker'));
    const words = wordsOf(page);
    for (const { id, method, path, summary } of OPERATIONS) {
      expect(page.text).toContain(`<section id="${id}">`);
      expect(words).toContain(`${method} ${path} ${summary}.`);
    }
    const { body } = await get('/v1/openapi.json', as('looker'));
    const { components, paths } = JSON.parse(JSON.stringify(body));
    for (const name of Object.keys(components.schemas)) {
      expect(page.text).toContain(`<h3 id="schema-${name}">`);
    }
    // What the document has beside the operations: the events of a run.
    for (const id of JSON.stringify(paths).matchAll(/"operationId":"(\w+)"/g)) {
      expect(page.text).toContain(`<section id="${id[1]}">`);
    }
    const ids = [...page.text.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
    expect(ids).toHaveLength(new Set(ids).size);
    const anchors = [...page.text.matchAll(/href="#([^"]+)"/g)].map(([, anchor]) => anchor);
    expect(anchors.length).toBeGreaterThan(30);
    expect(ids).toEqual(expect.arrayContaining([...new Set(anchors)]));
  });

  test('says what is needed, what it is by default and what comes back', async () => {
    await open({});
    const words = wordsOf(await visit('/api', as('looker')));
    expect(words).toContain(
      'action text, at most 100 characters yes Id of one of its actions: approve, reject and so on.',
    );
    expect(words).toContain(
      'wait number, 0 to 300; in the query no How long to wait, in seconds, at most 300. Default: 0.',
    );
    expect(words).toMatch(/POST \/v1\/flows\/\{flow\}\/runs .* 201 The run\. .* Run/);
    expect(words).toContain('409 This can’t be done now. Problem');
    // What can go wrong with each of them is said once.
    expect(words.split('401 Nobody is signed in. Problem')).toHaveLength(2);
    expect(words).toMatch(/What can go wrong everywhere .*401 .*503 .*GET \/v1\/flows Lists the flows\./);
    // Fields of answers without a name of their own, and those inside of others.
    expect(words).toContain('head object or null yes head.count number yes head.hash text yes');
    expect(words).toContain('actions[].id text yes actions[].label text yes');
    expect(words).toContain('paused.by Person or null yes');
    expect(words).toContain('* anything no Further fields.');
    expect(words).toContain('For an approver or more.');
  });

  test('has an example of every operation that a shell takes as it is, for who looks', async () => {
    await open({});
    const words = wordsOf(await visit('/api', as('looker')));
    expect(words).toContain('Each request carries a token of FLOWBOT_TOKENS');
    expect(words).toContain(
      String.raw`curl "$FLOWBOT/v1/questions/$QUESTION/answers" \ -X POST \ -H "authorization: Bearer $TOKEN" \ -H "content-type: application/json" -d '{"action":"…"}'`,
    );
    expect(words).toContain(
      String.raw`curl "$FLOWBOT/v1/runs/$RUN/events" \ -H "authorization: Bearer $TOKEN" \ -N -H "accept: text/event-stream"`,
    );
    await open({}, {});
    const own = wordsOf(await visit('/api'));
    expect(own).toContain('From this machine nobody needs a token now');
    expect(own).toContain(String.raw`curl "$FLOWBOT/v1/runs/$RUN/cancel" \ -X POST \ -H "x-flowbot: 1"`);
  });

  test('its headings are in order, and it is light', async () => {
    await open({});
    const { text } = await visit('/api', as('looker'));
    const levels = [...text.matchAll(/<h(\d)/g)].map(([, level]) => Number(level));
    expect(levels.filter((level) => level === 1)).toHaveLength(1);
    for (const [index, level] of levels.entries()) {
      expect(level).toBeLessThanOrEqual((levels[index - 1] ?? 0) + 1);
    }
    expect(text.length).toBeLessThan(200_000);
    expect(gzipSync(text).length).toBeLessThan(20_000);
  });
});

describe('schemas in words', () => {
  test.each([
    [{ type: 'array', items: { $ref: '#/components/schemas/Step' } }, ['list of ', { schema: 'Step' }]],
    [{ type: 'object', additionalProperties: { type: 'integer' } }, ['object of ', 'whole number']],
    [{ anyOf: [{ const: 'all' }, { $ref: '#/x/Step' }] }, ['"all"', ' or ', { schema: 'Step' }]],
    [{ allOf: [{ $ref: '#/x/One' }, { $ref: '#/x/Two' }] }, [{ schema: 'One' }, ' and ', { schema: 'Two' }]],
    [{ type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER }, ['whole number, at least 1']],
    [{ type: ['boolean', 'null'] }, ['true or false or null']],
    [{}, ['anything']],
  ])('%j', (schema, words) => {
    expect(typeWords(schema)).toEqual(words);
  });

  test('fields are told wherever they are inside', () => {
    const leaf = { type: 'object', properties: { x: { type: 'string' } }, required: ['x'] };
    const schema = {
      type: 'object',
      properties: {
        grid: { type: 'array', items: { type: 'array', items: leaf } },
        byName: { type: 'object', additionalProperties: leaf },
        maybe: { anyOf: [leaf, { type: 'null' }] },
      },
    };
    const names = fieldsOf(schema).map(({ name, isRequired }) => [name, isRequired]);
    expect(names).toEqual([
      ['grid', false],
      ['grid[][].x', true],
      ['byName', false],
      ['byName.*.x', true],
      ['maybe', false],
      ['maybe.x', true],
    ]);
    expect(fieldsOf({ type: 'array', items: leaf }).map(({ name }) => name)).toEqual(['[].x']);
  });

  test('an example has what must be there', () => {
    const named = new Map([
      ['Step', { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] }],
    ]);
    const schema = {
      type: 'object',
      properties: {
        step: { $ref: '#/components/schemas/Step' },
        how: { enum: ['same', 'current'] },
        many: { type: 'array', items: {} },
        sure: { type: 'boolean' },
        other: { type: 'string' },
      },
      required: ['step', 'how', 'many', 'sure'],
    };
    expect(exampleOf(schema, named)).toEqual({ step: { n: 0 }, how: 'same', many: [], sure: true });
  });
});
