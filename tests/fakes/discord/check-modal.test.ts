import { describe, expect, test } from 'vitest';
import { checkBody } from './check.ts';
import { many, option, row, select, text } from './check-samples.ts';

const field = (component: object, more: object = {}) => ({ type: 18, label: 'Reason', component, ...more });
const input = (more: object = {}) => ({ type: 4, custom_id: 'reason', style: 2, ...more });
const radio = (...options: object[]) => ({ type: 21, custom_id: 'r', options });
const boxes = (...options: object[]) => ({ type: 22, custom_id: 'c', options });
const chosen = { default: true };
const check = (components: readonly object[], title = 'Why?') =>
  checkBody('interaction callback', { type: 9, data: { custom_id: 'f', title, components } });

describe('modals', () => {
  test.each([
    ['an input', [field(input())]],
    [
      'a text and an input',
      [text('Please say'), field(input({ required: false, value: 'x', max_length: 4000 }))],
    ],
    [
      'five fields of several kinds',
      [
        field(select([option('a'), option('b')], { min_values: 0, max_values: 2, required: false })),
        field(radio(option('a', chosen), option('b')), { description: 'In short' }),
        field(boxes(option('a', chosen), option('b', chosen))),
        field({ type: 19, custom_id: 'u', min_values: 0, max_values: 10, required: false }),
        field({ type: 5, custom_id: 'p' }),
      ],
    ],
  ])('%s: accepted', (_, components) => {
    expect(check(components)).toEqual([]);
  });

  test.each([
    ['a long title', 'x'.repeat(46)],
    ['no title', ''],
    ['a blank title', ' '],
  ])('%s: refused', (_, title) => {
    expect(check([field(input())], title).map(({ path }) => path)).toEqual(['data.title']);
  });

  test.each([
    ['nothing', [], ''],
    ['6 fields', many(6, (n) => field(input({ custom_id: `${n}` }))), ''],
    ['a custom_id twice', [field(input()), field(input())], '.1.component.custom_id'],
    ['a custom_id of 101', [field(input({ custom_id: 'x'.repeat(101) }))], '.0.component.custom_id'],
    ['a blank text', [text(' ')], '.0.content'],
    ['an input without a label around it', [row(input())], '.0.type'],
    ['an input with a label in it', [field(input({ label: 'x' }))], '.0.component.label'],
    ['a label of 46', [field(input(), { label: 'x'.repeat(46) })], '.0.label'],
    ['a description of 101', [field(input(), { description: 'x'.repeat(101) })], '.0.description'],
    ['an empty description', [field(input(), { description: '' })], '.0.description'],
    ['a placeholder of 101', [field(input({ placeholder: 'x'.repeat(101) }))], '.0.component.placeholder'],
    ['a value longer than it may be', [field(input({ value: 'xxx', max_length: 2 }))], '.0.component.value'],
    ['a value of 4,001', [field(input({ value: 'x'.repeat(4001) }))], '.0.component.value'],
    ['a max_length of 4,001', [field(input({ max_length: 4001 }))], '.0.component.max_length'],
    [
      'longer at least than at most',
      [field(input({ min_length: 3, max_length: 2 }))],
      '.0.component.min_length',
    ],
    ['none chosen, but required', [field(select([option('a')], { min_values: 0 }))], '.0.component.required'],
    ['something disabled', [field(select([option('a')], { disabled: true }))], '.0.component.disabled'],
    ['a choice of one', [field(radio(option('a')))], '.0.component.options'],
    ['a choice of 11', [field(radio(...many(11, (n) => option(`${n}`))))], '.0.component.options'],
    [
      'two that exclude each other',
      [field(radio(option('a', chosen), option('b', chosen)))],
      '.0.component.options',
    ],
    ['no boxes', [field(boxes())], '.0.component.options'],
    ['11 boxes', [field(boxes(...many(11, (n) => option(`${n}`))))], '.0.component.options'],
    ['11 files', [field({ type: 19, custom_id: 'u', max_values: 11 })], '.0.component.max_values'],
  ])('%s: refused', (_, components, path) => {
    expect(check(components).map((fault) => fault.path)).toContain(`data.components${path}`);
  });
});
