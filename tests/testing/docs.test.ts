import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { z } from 'zod';
import { fileLines } from '../../src/cli/test.ts';
import { runCase } from '../../src/testing/run-case.ts';
import { actSchema, fakeSchema, testFileSchema } from '../../src/testing/test-file.ts';
import { casesOf, plansOf } from './tested.ts';

const page = readFileSync(join(resolve(import.meta.dirname, '../..'), 'docs/testing.md'), 'utf8');

/** The first block of a kind that holds a text. */
function block(kind: string, holding: string): string {
  const blocks = [...page.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)];
  const found = blocks.find(([, of, text]) => of === kind && text?.includes(holding));
  return found?.[2] ?? '';
}

/** What is printed for the test of the page, of its flow or a changed one. */
function printed(flow: string): string {
  const plans = plansOf({ expenses: flow });
  const plan = plans.get('expenses');
  if (!plan) throw new Error('There is no flow.');
  const cases = casesOf(block('yml', 'cases:')).map((one, index) => runCase(one, index + 1, plan, plans));
  return fileLines({ file: 'flows/expenses.test.yaml', faults: [], cases }).join('\n');
}

describe('the page about tests', () => {
  const flow = block('yaml', 'name: Expenses');

  it('has an example whose tests pass', () => {
    expect(`$ flowbot test\n${printed(flow)}\n4 cases passed.\n`).toBe(block('', '4 cases passed.'));
  });

  it('shows what is printed when they do not', () => {
    const changed = flow
      .replace('Paid: {{input.amount}} €', 'Paid: € {{input.amount}}')
      .replace('decide.approved -> pay', 'decide.approved -> note -> pay')
      .replace('  pay:\n', '  note: { type: template, text: "{{input.amount}}" }\n  pay:\n');
    expect(printed(changed)).toContain(block('', '✗').trimEnd());
  });

  it('names every key', () => {
    const one = testFileSchema.shape.cases.element;
    const keys = [
      ...Object.keys(one.shape),
      ...Object.keys(one.shape.expect.unwrap().shape),
      ...Object.keys(fakeSchema.shape),
      ...Object.keys(actSchema.shape),
    ];
    expect(keys.filter((key) => !new RegExp(`\\b${key}\\b`).test(page))).toEqual([]);
  });

  it('describes every key for editors', () => {
    const schemas = [testFileSchema, testFileSchema.shape.cases.element, fakeSchema, actSchema];
    const keys = schemas.flatMap(({ shape }) => Object.entries<z.ZodType>(shape));
    expect(keys.filter(([, { description }]) => description === undefined).map(([key]) => key)).toEqual([]);
  });
});
