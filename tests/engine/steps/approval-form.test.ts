import { describe, expect, it, test } from 'vitest';
import { compile } from '../../../src/engine/flow/compile.ts';
import type { JsonObject } from '../../../src/engine/json.ts';
import { bareLibrary, type Library } from '../../../src/engine/library.ts';
import { ask, post, read } from '../flow/faults.ts';
import { bo, type Driven, drive } from '../run/drive.ts';

const ticket = {
  type: 'object',
  properties: { title: { type: 'string', title: 'Title', maxLength: 10 }, size: { type: 'integer' } },
  required: ['title'],
};
const library: Library = {
  ...bareLibrary,
  schemas: new Map<string, JsonObject>([
    ['ticket', ticket],
    ['word', { type: 'string' }],
    ['empty', { type: 'object' }],
    ['hidden', { type: 'object', properties: { a: {} }, required: ['a', 'b'] }],
    ['closed', { type: 'object', properties: { a: {} }, additionalProperties: false }],
    ['dashed', { type: 'object', properties: { 'a-b': {} } }],
  ]),
};

function asking(step: JsonObject): Driven {
  return drive({ steps: { review: { ...ask, ...step }, end: post } }, {}, library);
}

function faults(step: JsonObject): readonly string[] {
  return compile({ steps: { review: { ...ask, ...step }, end: post } }, 'flow', library).faults.map(read);
}

function fill(run: Driven, values: JsonObject) {
  return run.judge(run.question('review'), 'approve', { by: bo, more: { values } });
}

describe('what people fill in that must match a schema', () => {
  it('is asked for by a form made of the schema, when there is no other', () => {
    const run = asking({ writes: 'ticket' });
    expect(run.questionOf(run.question('review')).form).toEqual(ticket);
    expect(fill(run, {})).toEqual({
      kind: 'unfit',
      problems: [{ field: 'title', message: 'Title is missing' }],
    });
    run.answer('review', 'approve', '', bo, { more: { values: { title: 'Tea' } } });
    expect(run.state.outputs.review?.json).toMatchObject({ values: { title: 'Tea' } });
  });

  const form = { type: 'object', properties: { title: { type: 'string' }, why: { type: 'string' } } };

  test.each<[JsonObject, readonly JsonObject[]]>([
    [{ title: 'far too long' }, [{ field: 'title', message: 'title must have at most 10 characters' }]],
    [{ why: 'No title.' }, [{ field: 'title', message: 'title is missing' }]],
    [{ title: 7 }, [{ field: 'title', message: 'title must be text' }]],
  ])('is refused to the person like a wrong field: %j', (values, problems) => {
    const run = asking({ form, writes: 'ticket' });
    expect(fill(run, values)).toEqual({ kind: 'unfit', problems });
    expect(run.steps.review).toBe('asking');
  });

  it('is taken with the other values of the form when it matches', () => {
    const run = asking({ form, writes: 'ticket' });
    run.answer('review', 'approve', '', bo, { more: { values: { title: 'Tea', why: 'Thirst' } } });
    expect(run.state.outputs.review?.json).toMatchObject({ values: { title: 'Tea', why: 'Thirst' } });
  });

  it('is not asked of those who reject', () => {
    const run = asking({ writes: 'ticket' });
    run.answer('review', 'reject');
    expect(run.state.status).toBe('rejected');
  });
});

describe('a schema that people can not fill in', () => {
  const fix = 'Write form: with fields, or name another schema.';
  const change = 'Change the form, or name another schema.';
  const onlyWhy = { type: 'object', properties: { why: { type: 'string' } } };

  test.each<[string, JsonObject, readonly string[]]>([
    [
      'a text',
      { writes: 'word' },
      [`approval at steps.review.writes: The schema word can't be a form: it has no object on top. ${fix}`],
    ],
    [
      'without fields',
      { writes: 'empty' },
      [`approval at steps.review.writes: The schema empty can't be a form: it has no fields. ${fix}`],
    ],
    [
      'with a field that nobody sees',
      { writes: 'hidden' },
      [`approval at steps.review.writes: The schema hidden can't be a form: nobody could fill in b. ${fix}`],
    ],
    [
      'with a field that no step could read',
      { writes: 'dashed' },
      [
        `approval at steps.review.writes: The schema dashed can't be a form: "a-b" can't be the name of an input: placeholders could not read it. ${fix}`,
      ],
    ],
    [
      'a text beside a form',
      { writes: 'word', form: onlyWhy },
      [`approval at steps.review.writes: The schema word is not about an object, as a form is. ${change}`],
    ],
    [
      'that needs what the form lacks',
      { writes: 'ticket', form: onlyWhy },
      [
        `approval at steps.review.writes: The schema ticket needs title, which the form does not ask for. ${change}`,
      ],
    ],
    [
      'that forbids what the form asks for',
      { writes: 'closed', form: onlyWhy },
      [`approval at steps.review.writes: The schema closed has no why, which the form asks for. ${change}`],
    ],
    [
      'with no answer that takes it',
      { writes: 'ticket', actions: [{ id: 'approve', form: false }, { id: 'reject' }] },
      [
        'approval at steps.review.writes: No action takes the form. Write form: true at an action, or remove writes:.',
      ],
    ],
    [
      'that what counts at expiry does not match',
      {
        writes: 'ticket',
        form: { type: 'object', properties: { title: { type: 'string' } } },
        expiresAfter: '1h',
        onExpire: { exit: 'approved', values: { title: 'far too long' } },
      },
      [
        'approval at steps.review.onExpire.values: What counts as filled in does not fit the form: title must have at most 10 characters. Give every value that the form needs.',
      ],
    ],
  ])('is refused: %s', (_, step, expected) => {
    expect(faults(step)).toEqual(expected);
  });
});
