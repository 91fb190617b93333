import { z } from 'zod';
import type { Json } from '../json.ts';
import { asDecimal, compare } from './compare.ts';
import { withFix } from './issue.ts';
import { parsePath } from './path.ts';
import type { Lookup } from './scope.ts';

/** Rules joined by all or any. */
export interface Rules {
  readonly join: 'all' | 'any';
  readonly rules: readonly Rule[];
}

/** One rule: reads a step's output and compares. */
export interface Rule {
  readonly step: string;
  /** `['text']` or `['json', …]`; for `input` and `run`, the names inside it. */
  readonly path: readonly string[];
  readonly operator: Operator;
  /** What it is compared with; true or false for `exists`, `isEmpty`, `isTrue`, `isFalse`. */
  readonly value: Json;
}

/** How a rule compares. What each means stands in `operatorShape` and `compare`. */
export type Operator =
  | 'is'
  | 'isNot'
  | 'contains'
  | 'greaterThan'
  | 'atLeast'
  | 'lessThan'
  | 'atMost'
  | 'exists'
  | 'isEmpty'
  | 'isTrue'
  | 'isFalse';

/** A rule as written: on an edge it may leave out the step it reads. */
export type ParsedRule = Omit<Rule, 'step'> & { readonly step?: string };

/** Rules as written. */
export interface ParsedRules {
  readonly join: 'all' | 'any';
  readonly rules: readonly ParsedRule[];
}

/** Most rules in one condition. */
const maxRules = 16;

const comparedWith = z.union([z.string().max(4_000), z.number(), z.boolean()], {
  error: withFix('A rule compares with text, a number, true or false.', 'Write one of these.'),
});
const flag = z.boolean();

const operatorShape = {
  is: comparedWith.optional().describe('Equal to this, as trimmed text.'),
  isNot: comparedWith
    .optional()
    .describe('Not equal to this, as trimmed text; a missing value is not anything.'),
  contains: comparedWith
    .optional()
    .describe('A text with this in it (upper and lower case differ), or a list with an item equal to it.'),
  greaterThan: comparedWith.optional().describe('More than this; both sides are numbers.'),
  atLeast: comparedWith.optional().describe('This or more; both sides are numbers.'),
  lessThan: comparedWith.optional().describe('Less than this; both sides are numbers.'),
  atMost: comparedWith.optional().describe('This or less; both sides are numbers.'),
  exists: flag.optional().describe('The value is there and is not null; `false`: it is not.'),
  isEmpty: flag
    .optional()
    .describe('Missing, blank text, an empty list or an empty object; `false`: something is in it.'),
  isTrue: flag.optional().describe('True, or the text `true`; `false`: another value.'),
  isFalse: flag.optional().describe('False, or the text `false`; `false`: another value.'),
} satisfies Record<Operator, z.ZodType>;

const ruleShape = {
  step: z
    .string()
    .max(100)
    .optional()
    .describe('The step to read. On an edge: the step it leaves, when left out.'),
  path: z
    .string()
    .max(1_000)
    .optional()
    .describe('`text`, `json`, or a field such as `verdict` or `items.0.score` (up to 8 levels).'),
  ...operatorShape,
  op: z
    .enum(['eq', 'neq', 'gt', 'gte', 'lt', 'lte'])
    .optional()
    .describe('The same comparisons by short names, together with `value`.'),
  value: comparedWith.optional().describe('What `op` compares with.'),
};

const shortNames = {
  eq: 'is',
  neq: 'isNot',
  gt: 'greaterThan',
  gte: 'atLeast',
  lt: 'lessThan',
  lte: 'atMost',
} as const satisfies Record<string, Operator>;

const operators = Object.keys(operatorShape) as readonly Operator[];
const orders: ReadonlySet<Operator> = new Set(['greaterThan', 'atLeast', 'lessThan', 'atMost']);

type WrittenRule = z.infer<z.ZodObject<typeof ruleShape>>;

/** One rule: `{ step?, path, <operator>: value }`, or `{ step?, path, op, value }`. */
const ruleSchema = z.strictObject(ruleShape).transform(readRule);

/** A list of 1 to 16 rules. */
export const ruleListSchema = z.array(ruleSchema).min(1).max(maxRules);

/** Rules of an edge: a list under `all:` or `any:`, or a single rule. */
export const rulesSchema = z
  .strictObject({
    all: ruleListSchema.optional().describe('Every rule holds.'),
    any: ruleListSchema.optional().describe('At least one rule holds.'),
    ...ruleShape,
  })
  .transform((written, context): ParsedRules => {
    const { all, any, ...rule } = written;
    if (!all && !any) return { join: 'all', rules: [readRule(rule, context)] };
    if (Object.values(rule).some((part) => part !== undefined)) {
      refuse(context, 'A rule stands beside a list of rules.', 'Put it into the list.');
    }
    return readJoined(all, any, context) ?? z.NEVER;
  });

/** Rules from `all:` and `any:`, of which exactly one must be written; else undefined, with an issue. */
export function readJoined(
  all: readonly ParsedRule[] | undefined,
  any: readonly ParsedRule[] | undefined,
  context: z.RefinementCtx,
): ParsedRules | undefined {
  if (all && any) return refuse(context, 'Both all: and any: are written.', 'Keep one of them.');
  if (all) return { join: 'all', rules: all };
  if (any) return { join: 'any', rules: any };
  return refuse(context, 'There are no rules.', 'Write a list of rules under all: or any:.');
}

/** Rules in which every rule names its step; those that don't read `defaultStep`. */
export function withStep(parsed: ParsedRules, defaultStep: string): Rules {
  return {
    join: parsed.join,
    rules: parsed.rules.map((rule) => ({ ...rule, step: rule.step ?? defaultStep })),
  };
}

/**
 * Whether the rules hold. `read` looks up a path in the output of a step. `why` has one sentence a rule, in order,
 * saying what was found. Never fails: what can't be compared doesn't hold.
 */
export function evaluate(
  rules: Rules,
  read: (step: string, path: readonly string[]) => Lookup,
): { readonly holds: boolean; readonly why: readonly string[] } {
  const results = rules.rules.map((rule) => {
    const found = read(rule.step, rule.path);
    const holds = compare(rule.operator, found, rule.value);
    return { holds, why: sentence(rule, found, holds) };
  });
  const holds =
    rules.join === 'all' ? results.every((rule) => rule.holds) : results.some((rule) => rule.holds);
  return { holds, why: results.map((rule) => rule.why) };
}

function readRule(written: WrittenRule, context: z.RefinementCtx): ParsedRule {
  const path = readPath(written, context);
  const comparison = readComparison(written, context);
  if (!path || !comparison) return z.NEVER;
  return { ...(written.step === undefined ? {} : { step: written.step }), path, ...comparison };
}

function readPath(written: WrittenRule, context: z.RefinementCtx): readonly string[] | undefined {
  const { step, path } = written;
  if (path === undefined) {
    return refuse(context, 'This rule reads nothing.', 'Write path: with text or a field such as verdict.');
  }
  const whole = /^(?:text|json)(?:\.|$)/.test(path) ? path : `json.${path}`;
  const parsed = parsePath(whole);
  if (!parsed.ok) {
    context.addIssue({ code: 'custom', message: parsed.message, path: ['path'] });
    return undefined;
  }
  const [head, ...fields] = parsed.path;
  return head === 'json' && (step === 'input' || step === 'run') ? fields : parsed.path;
}

function readComparison(
  written: WrittenRule,
  context: z.RefinementCtx,
): Pick<Rule, 'operator' | 'value'> | undefined {
  const { op, value } = written;
  const asked = operators
    .filter((operator) => written[operator] !== undefined)
    .map((operator) => ({ key: operator as string, operator, value: written[operator] }));
  if (op !== undefined) asked.push({ key: 'op', operator: shortNames[op], value });
  const [first, second] = asked;
  if (!first) {
    return refuse(context, 'This rule compares nothing.', `Write one of ${operators.join(', ')}.`);
  }
  if (second) {
    return refuse(context, `This rule has both ${first.key} and ${second.key}.`, 'Make two rules of it.');
  }
  if (op === undefined && value !== undefined) {
    return refuse(context, 'value: goes only with op:.', `Put the value behind ${first.key}:.`, ['value']);
  }
  if (first.value === undefined) {
    return refuse(context, `op: ${op} has no value.`, 'Write value: with what to compare.');
  }
  const fault = valueFault(first.operator, first.value);
  if (fault) return refuse(context, ...fault, [op === undefined ? first.key : 'value']);
  return { operator: first.operator, value: first.value };
}

function valueFault(operator: Operator, value: Json): readonly [message: string, fix: string] | undefined {
  if (typeof value === 'string' && value.includes('{{')) {
    return ['Placeholders are not read in rules.', 'Write the value itself.'];
  }
  if (orders.has(operator) && asDecimal(value) === undefined) {
    return [`${shown(value)} is not a number.`, 'Write a plain decimal such as 10 or 0.5.'];
  }
  if (operator === 'contains' && value === '') {
    return ['Every text contains an empty text.', 'Write what to look for, or use isEmpty.'];
  }
  return undefined;
}

function refuse(
  context: z.RefinementCtx,
  message: string,
  fix: string,
  path: readonly (string | number)[] = [],
): undefined {
  context.addIssue({ code: 'custom', message: withFix(message, fix), path: [...path] });
  return undefined;
}

function sentence(rule: Rule, found: Lookup, holds: boolean): string {
  const claim = `${[rule.step, ...rule.path].join('.')} ${claimWords(rule)}`;
  return `${claim}: ${holds ? 'yes' : 'no'}, ${finding(rule, found)}.`;
}

function claimWords({ operator, value }: Rule): string {
  switch (operator) {
    case 'is':
      return `is ${shown(value)}`;
    case 'isNot':
      return `is not ${shown(value)}`;
    case 'contains':
      return `contains ${shown(value)}`;
    case 'greaterThan':
      return `is greater than ${shown(value)}`;
    case 'atLeast':
      return `is at least ${shown(value)}`;
    case 'lessThan':
      return `is less than ${shown(value)}`;
    case 'atMost':
      return `is at most ${shown(value)}`;
    case 'exists':
      return value === true ? 'exists' : 'does not exist';
    case 'isEmpty':
      return value === true ? 'is empty' : 'is not empty';
    case 'isTrue':
      return value === true ? 'is true' : 'is not true';
    case 'isFalse':
      return value === true ? 'is false' : 'is not false';
  }
}

const causes: Readonly<Record<Extract<Lookup, { found: false }>['cause'], string>> = {
  unknown: 'there is no such step',
  skipped: 'that step was skipped',
  'not-run': 'that step has not run',
  missing: 'there is no such value',
  null: 'the value is null',
};

function finding(rule: Rule, found: Lookup): string {
  if (!found.found) return causes[found.cause];
  const noNumber = orders.has(rule.operator) && asDecimal(found.value) === undefined;
  return `the value is ${shown(found.value)}${noNumber ? ', which is no number' : ''}`;
}

/** A value for a sentence, as JSON, shortened. */
function shown(data: Json): string {
  const text = JSON.stringify(data);
  return text.length > 100 ? `${text.slice(0, 99).toWellFormed()}…` : text;
}
