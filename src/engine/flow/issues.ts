import type { z } from 'zod';
import { typeInWords } from '../data/type-words.ts';
import type { Fault } from '../fault.ts';
import { suggest } from './nearest.ts';
import { keysAt } from './schema-keys.ts';

/** Keys and list positions from the top of a flow. */
export type Path = Fault['path'];

/** A value read by a schema, or everything that is wrong with it. */
export type Reading<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly faults: readonly Fault[] };

type Issue = z.core.$ZodIssue;

/** Most faults of a flow that are told one by one. */
export const FAULTS_MAX = 50;

/** The first faults of a flow, and how many more there are: nobody reads them all, and what helps takes time. */
export function firstFaults(faults: readonly Fault[]): readonly Fault[] {
  if (faults.length <= FAULTS_MAX) return faults;
  const rest = faults.slice(FAULTS_MAX);
  const severity = rest.some((fault) => fault.severity === 'error') ? 'error' : 'warning';
  const message = `… and ${rest.length} more ${rest.length === 1 ? 'fault' : 'faults'}.`;
  return [...faults.slice(0, FAULTS_MAX), { severity, rule: 'more-faults', path: [], message }];
}

/**
 * Reads a value that stands at `at`, ignoring `ui` keys wherever the schema does not know them. `moreKeys` may
 * also stand at the top of the value, but are read by somebody else.
 */
export function readAt<T>(
  schema: z.ZodType<T>,
  value: unknown,
  at: Path,
  moreKeys: readonly string[] = [],
): Reading<T> {
  const first = parse(schema, value);
  if (first.success) return { ok: true, value: first.data };
  const ui = first.error.issues.filter(
    (issue) => issue.code === 'unrecognized_keys' && issue.keys.includes('ui'),
  );
  const second =
    ui.length === 0
      ? first
      : parse(
          schema,
          withoutUi(
            value,
            ui.map((issue) => issue.path),
          ),
        );
  if (second.success) return { ok: true, value: second.data };
  return {
    ok: false,
    faults: second.error.issues.flatMap((issue) => issueFaults(issue, { at, schema, moreKeys })),
  };
}

/** An empty message marks the sentences that zod would write itself: `sentence` writes better ones. */
function parse<T>(schema: z.ZodType<T>, value: unknown) {
  return schema.safeParse(value, { error: () => '', reportInput: true });
}

function withoutUi(value: unknown, places: readonly (readonly PropertyKey[])[]): unknown {
  const copy: unknown = structuredClone(value);
  for (const place of places) {
    let inner: unknown = copy;
    for (const key of place) inner = isRecord(inner) ? inner[key] : undefined;
    if (isRecord(inner)) delete inner.ui;
  }
  return copy;
}

function isRecord(value: unknown): value is Record<PropertyKey, unknown> {
  return typeof value === 'object' && value !== null;
}

interface Origin {
  readonly at: Path;
  readonly schema: z.ZodType;
  readonly moreKeys: readonly string[];
}

function issueFaults(issue: Issue, origin: Origin): readonly Fault[] {
  const path = [...origin.at, ...issue.path.map((key) => (typeof key === 'symbol' ? String(key) : key))];
  switch (issue.code) {
    case 'unrecognized_keys':
      return issue.keys.map((key, index) => ({
        severity: 'error',
        rule: 'unknown-key',
        path: [...path, key],
        message: `${place(path)} has no key ${JSON.stringify(key)}.`,
        // Those of faults that are but counted are never read.
        ...(index < FAULTS_MAX && {
          fix: suggest(key, [
            ...keysAt(origin.schema, issue.path, issue.input),
            ...(issue.path.length === 0 ? origin.moreKeys : []),
          ]),
        }),
      }));
    case 'invalid_union': {
      const inner = bestAlternative(issue.errors);
      if (inner)
        return inner.flatMap((one) => issueFaults({ ...one, path: [...issue.path, ...one.path] }, origin));
      break;
    }
    case 'invalid_key': {
      const key = issue.issues.find((one) => one.message !== '');
      if (key) return [asFault('key', path, key.message)];
      break;
    }
    default:
  }
  if (issue.message !== '')
    return [
      asFault(issue.code === 'custom' ? 'value' : ruleOf(issue), path, `${place(path)}: ${issue.message}`),
    ];
  return [asFault(ruleOf(issue), path, `${place(path)} ${sentence(issue)}`)];
}

/** A message and its fix, as `withFix` joined them, as a fault. */
function asFault(rule: string, path: Path, text: string): Fault {
  const cut = text.lastIndexOf('\n');
  if (cut < 0) return { severity: 'error', rule, path, message: text };
  return {
    severity: 'error',
    rule,
    path,
    message: text.slice(0, cut).replaceAll('\n', ' '),
    fix: text.slice(cut + 1),
  };
}

/** Of a union's alternatives the one that was meant: it accepts the kind of value, and complains least. */
function bestAlternative(alternatives: readonly (readonly Issue[])[]): readonly Issue[] | undefined {
  const fitting = alternatives.filter(
    (issues) => !issues.some((issue) => issue.code === 'invalid_type' && issue.path.length === 0),
  );
  return fitting.toSorted((a, b) => a.length - b.length)[0];
}

function ruleOf(issue: Issue): string {
  if (issue.input === undefined) return 'missing';
  switch (issue.code) {
    case 'invalid_type':
      return 'type';
    case 'too_big':
    case 'too_small':
      return 'limit';
    default:
      return 'value';
  }
}

/** What a value must be, with the value that was found; what to write instead on a second line. */
function sentence(issue: Issue): string {
  const found = describe(issue.input);
  switch (issue.code) {
    case 'invalid_type':
      if (issue.input === undefined) return `is missing.\nGive it ${typeInWords(issue.expected)}.`;
      return `must be ${typeInWords(issue.expected)}, not ${found}.${typeFix(issue)}`;
    case 'invalid_union': {
      const kind = discriminator(issue);
      if (kind) return choice(kind.found, kind.options);
      return issue.input === undefined ? 'is missing.' : `can't be ${found}.`;
    }
    case 'too_big':
      return `must be at most ${amount(issue.maximum, issue.origin)}, not ${size(issue.input)}.`;
    case 'too_small':
      if (issue.minimum === 1 && issue.origin !== 'number' && issue.origin !== 'int')
        return 'must not be empty.';
      return `must be at least ${amount(issue.minimum, issue.origin)}, not ${size(issue.input)}.`;
    case 'invalid_value':
      return choice(issue.input, issue.values.map(String));
    default:
      return `can't be ${found}.`;
  }
}

/** What to write instead of a value of another type, on a line of its own. */
function typeFix({ expected, input }: z.core.$ZodIssueInvalidType): string {
  if ((expected === 'array' || expected === 'tuple') && !isRecord(input))
    return '\nWrite a list: [ ] around it, with commas between the items.';
  const plain = typeof input === 'number' || typeof input === 'boolean';
  return expected === 'string' && plain ? '\nPut it in quotes.' : '';
}

function choice(found: unknown, options: readonly string[]): string {
  if (found === undefined) return `is missing.\nUse one of: ${options.join(', ')}.`;
  return `can't be ${describe(found)}.\n${suggest(typeof found === 'string' ? found : '', options)}`;
}

/** For a union that is told apart by a key: what stands there, and what could. */
function discriminator(issue: z.core.$ZodIssueInvalidUnion) {
  if (!('discriminator' in issue) || !('options' in issue) || !isRecord(issue.input)) return undefined;
  return { found: issue.input[String(issue.discriminator)], options: [issue.options].flat().map(String) };
}

function amount(limit: number | bigint, origin: string): string {
  if (origin === 'string') return `${limit.toLocaleString('en')} characters long`;
  if (origin === 'array') return `${limit.toLocaleString('en')} items long`;
  return String(limit);
}

function size(input: unknown): string {
  return typeof input === 'string' || Array.isArray(input)
    ? input.length.toLocaleString('en')
    : describe(input);
}

/** A value as a sentence can hold it. */
function describe(input: unknown): string {
  if (Array.isArray(input)) return 'a list';
  if (typeof input === 'object' && input !== null) return 'an object';
  const text = typeof input === 'string' ? JSON.stringify(input) : String(input);
  return text.length > 60 ? `${text.slice(0, 59)}…` : text;
}

/** A place for people: `steps.draft.inputs[2]`. */
export function place(path: Path): string {
  if (path.length === 0) return 'The flow';
  return path
    .map((key, index) => (typeof key === 'number' ? `[${key}]` : index === 0 ? key : `.${key}`))
    .join('');
}
