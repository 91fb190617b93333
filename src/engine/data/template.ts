import Handlebars from 'handlebars';
import { z } from 'zod';
import type { Reference } from '../steps/step-type.ts';
import { withFix } from './issue.ts';
import { checkLookup } from './path.ts';

/** A text with placeholders, parsed once. */
export interface Template {
  readonly source: string;
  readonly parts: readonly TemplatePart[];
}

/** A piece of a template. */
export type TemplatePart = TextPart | Placeholder;

/** Text as it is written, escapes undone. */
export interface TextPart {
  readonly kind: 'text';
  readonly text: string;
}

/** A value to look up. */
export interface Placeholder {
  readonly kind: 'placeholder';
  readonly path: readonly string[];
  /** The placeholder without spaces, `{{a.b}}`. */
  readonly source: string;
}

/** A template, or what is wrong with it and what to write. */
export type ParsedTemplate =
  | { readonly ok: true; readonly template: Template }
  | { readonly ok: false; readonly message: string };

type ReadPlaceholder =
  | { readonly ok: true; readonly placeholder: Placeholder }
  | { readonly ok: false; readonly message: string };

/**
 * Reads a text with placeholders: `{{step.text}}`, `{{step.json.items.0.title}}`, `{{input.version}}`. They are
 * plain look-ups; everything else that Handlebars knows is refused. As in Handlebars, `\{{` shows the braces
 * themselves, and `\\{{` is a backslash in front of a placeholder. Backslashes elsewhere mean nothing. Never throws.
 */
export function parseTemplate(source: string): ParsedTemplate {
  const parts: TemplatePart[] = [];
  let text = '';
  let at = 0;
  for (let open = source.indexOf('{{'); open !== -1; open = source.indexOf('{{', at)) {
    const before = source.slice(at, open);
    if (before.endsWith('\\') && !before.endsWith('\\\\')) {
      text += `${before.slice(0, -1)}{{`;
      at = open + 2;
      continue;
    }
    const close = source.indexOf('}}', open);
    if (close === -1) return { ok: false, message: unclosed(source.slice(open)) };
    const read = readPlaceholder(source.slice(open, close + 2));
    if (!read.ok) return read;
    text += before.endsWith('\\') ? before.slice(0, -1) : before;
    if (text !== '') parts.push({ kind: 'text', text });
    parts.push(read.placeholder);
    text = '';
    at = close + 2;
  }
  text += source.slice(at);
  if (text !== '') parts.push({ kind: 'text', text });
  return { ok: true, template: { source, parts } };
}

/** Where a template reads data. `at` is its place, from the top of the step. */
export function templateReferences(
  template: Template,
  at: readonly (string | number)[],
  optional = false,
): readonly Reference[] {
  return template.parts
    .filter((part) => part.kind === 'placeholder')
    .map(({ path, source }) => ({ lookup: path, at, source, optional }));
}

/** Text with placeholders of a flow file, parsed. */
export function templateSchema(maxLength: number) {
  return z
    .string()
    .max(maxLength)
    .transform((source, context): Template => {
      const parsed = parseTemplate(source);
      if (parsed.ok) return parsed.template;
      context.addIssue({ code: 'custom', message: parsed.message });
      return z.NEVER;
    });
}

function readPlaceholder(raw: string): ReadPlaceholder {
  const shown = clip(raw, 80);
  const names = raw.length > 1_000 ? undefined : simplePath(raw);
  if (!names) return { ok: false, message: withFix(`${shown} ${whyRefused(raw)}`, example) };
  const checked = checkLookup(names);
  if (!checked.ok) return { ok: false, message: `${shown}: ${checked.message}` };
  return {
    ok: true,
    placeholder: { kind: 'placeholder', path: names, source: `{{${names.join('.')}}}` },
  };
}

/** The names of a mustache that is a simple path and nothing more, in the eyes of Handlebars' parser. */
function simplePath(raw: string): readonly string[] | undefined {
  const inner = raw.slice(2, -2).trim();
  // Handlebars takes a last `0`, `true` or `null` for a literal unless it stands in brackets; our own brackets
  // can't be mistaken for the author's, because the result is compared with what was written.
  const bracketed = inner.replace(/\.(\d+|true|false|null|undefined)$/, '.[$1]');
  const statement = onlyStatement(`{{${bracketed}}}`);
  if (!isPlainMustache(statement) || !isPathExpression(statement.path)) return undefined;
  const { data, depth, parts } = statement.path;
  return !data && depth === 0 && parts.join('.') === inner ? parts : undefined;
}

function onlyStatement(mustache: string): hbs.AST.Statement | undefined {
  try {
    const { body } = Handlebars.parseWithoutProcessing(mustache);
    return body.length === 1 ? body[0] : undefined;
  } catch {
    return undefined;
  }
}

function isPlainMustache(statement: hbs.AST.Statement | undefined): statement is hbs.AST.MustacheStatement {
  if (statement?.type !== 'MustacheStatement') return false;
  const { escaped, params, hash, strip } = statement as hbs.AST.MustacheStatement;
  return escaped && params.length === 0 && !hash && !strip.open && !strip.close;
}

function isPathExpression(expression: hbs.AST.Expression): expression is hbs.AST.PathExpression {
  return expression.type === 'PathExpression';
}

const example =
  'Write a plain look-up such as {{step.text}} or {{step.json.items.0.title}}; \\{{ shows the braces.';

const refusals: readonly (readonly [RegExp, string])[] = [
  [/^\{\{(?:\{|\s*&)/, 'has no place here: values always go in by the rules of their place.'],
  [/^\{\{\s*[#/^]|^\{\{\s*else\b/, 'is a block, and blocks are not read.'],
  [/^\{\{\s*!/, 'is a comment, and comments are not read.'],
  [/^\{\{\s*[>*]/, 'is a partial or decorator, and those are not read.'],
  [/^\{\{~|~\}\}$/, 'trims white space, which is not supported.'],
  [/^\{\{\s*\}\}$/, 'is empty.'],
  [/@/, 'is a data variable, and those are not read.'],
  [/\[/, 'has brackets, and those are not read.'],
  [/\.\.|\.\/|\/|^\{\{\s*(?:this\b|\.)/, 'moves to another context, and there is only one.'],
  [/[\s(=|"']/, 'is an expression, and only plain look-ups are read.'],
];

function whyRefused(raw: string): string {
  return refusals.find(([pattern]) => pattern.test(raw))?.[1] ?? 'is no plain look-up.';
}

function unclosed(rest: string): string {
  return withFix(`${clip(rest, 40)} opens a placeholder that is never closed.`, example);
}

function clip(text: string, maxLength: number): string {
  const line = text.slice(0, maxLength).replaceAll(/\s+/g, ' ');
  return text.length > maxLength ? `${line.toWellFormed()}…` : line;
}
