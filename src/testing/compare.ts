import { diffArrays } from 'diff';
import { isJsonObject, type Json } from '../engine/json.ts';
import type { Output } from '../engine/steps/step-type.ts';
import { canonicalJson } from '../loader/versions.ts';
import type { Simulated } from './simulate.ts';
import type { Expectation } from './test-file.ts';

/** One thing that came otherwise than expected. */
export interface Difference {
  /** What was looked at: `path`, `posts 2`, `outputs draft`. */
  readonly what: string;
  /** Lines that begin with `-` where something was expected, `+` where something came, two spaces where both agree. */
  readonly lines: readonly string[];
}

/** What is other than expected; none = all is as it should be. */
export function differences(expected: Expectation, actual: Simulated): readonly Difference[] {
  const { state, path, skipped, asked } = actual;
  return [
    ...comparedStatus(expected, actual),
    ...compared('reason', expected.reason, state.reason ?? null),
    ...compared('path', expected.path, path),
    ...compared('skipped', expected.skipped?.toSorted(), skipped.toSorted()),
    ...compared('asked', expected.asked, asked),
    ...comparedPosts(expected.posts, actual.posts),
    ...compared('output', expected.output, state.output ?? null),
    ...Object.entries(expected.outputs ?? {}).flatMap(([step, output]) =>
      comparedOutput(`outputs ${step}`, output, actual.outputOf(step)),
    ),
  ];
}

/** Where the run ended otherwise, the reason says more than the word. */
function comparedStatus({ status, reason }: Expectation, { state }: Simulated): readonly Difference[] {
  const why = reason === undefined && state.reason !== undefined ? [`  because ${state.reason}`] : [];
  return compared('status', status, state.status).map(({ what, lines }) => ({
    what,
    lines: [...lines, ...why],
  }));
}

function compared(what: string, expected: Json | undefined, actual: Json): readonly Difference[] {
  if (expected === undefined || canonicalJson(expected) === canonicalJson(actual)) return [];
  return [{ what, lines: lineDiff(linesOf(expected), linesOf(actual)) }];
}

/** Of data only the fields that are expected are looked at. */
function comparedOutput(what: string, expected: Json, output: Output | undefined): readonly Difference[] {
  if (!output) return [{ what, lines: [...marked('-', expected), '+ (it left nothing)'] }];
  if (typeof expected === 'string') return compared(what, expected.trimEnd(), output.text.trimEnd());
  if (!isJsonObject(expected)) return compared(what, expected, output.json);
  const fields = Object.keys(expected).filter((key) => Object.hasOwn(output.json, key));
  return compared(what, expected, Object.fromEntries(fields.map((key) => [key, output.json[key] ?? null])));
}

function comparedPosts(expected: Expectation['posts'], actual: Simulated['posts']): readonly Difference[] {
  if (!expected) return [];
  if (expected.length !== actual.length) {
    const wanted = expected.map(({ to, text, contains }) =>
      shownPost(to, text ?? (contains && `… ${contains} …`)),
    );
    const came = actual.map(({ to, text }, index) => shownPost(expected[index]?.to ?? to, text));
    const what = `posts: ${expected.length} expected, ${actual.length} came`;
    return [{ what, lines: lineDiff(wanted.flatMap(linesOf), came.flatMap(linesOf)) }];
  }
  return expected.flatMap(({ to, text, contains }, index) => {
    const post = actual[index] ?? { to: '', text: '' };
    const what = `posts ${index + 1}`;
    const isThere = contains === undefined || post.text.includes(contains);
    return [
      ...compared(`${what} to`, to, post.to),
      ...compared(`${what} text`, text?.trim(), post.text.trim()),
      ...(isThere ? [] : [{ what, lines: [`- … ${contains} …`, ...marked('+', post.text)] }]),
    ];
  });
}

function shownPost(to: string | undefined, text: string | undefined): string {
  return [to, text?.trim()].filter((part) => part !== undefined).join(': ');
}

/** The fields of equal data in one order, whatever order they came in. */
function sorted(data: Json): Json {
  if (Array.isArray(data)) return data.map(sorted);
  if (!isJsonObject(data)) return data;
  const entries = Object.entries(data).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(entries.map(([key, value]) => [key, sorted(value)]));
}

function linesOf(data: Json): readonly string[] {
  if (typeof data === 'string') return data.split('\n');
  if (Array.isArray(data) && data.every((item) => typeof item === 'string')) return data;
  return JSON.stringify(sorted(data), null, 2).split('\n');
}

function marked(mark: '-' | '+', data: Json): readonly string[] {
  return linesOf(data).map((line) => `${mark} ${line}`);
}

/** Most lines that are looked for between those that both sides have: the time grows with the square of it. */
const DIFFERING_LINES_MAX = 2_000;

/** Both sides in one list; one after the other when they have too little in common. */
function lineDiff(expected: readonly string[], actual: readonly string[]): readonly string[] {
  const parts = diffArrays([...expected], [...actual], { maxEditLength: DIFFERING_LINES_MAX });
  if (!parts) return [...expected.map((line) => `- ${line}`), ...actual.map((line) => `+ ${line}`)];
  return parts.flatMap(({ value, added, removed }) => {
    const mark = added ? '+' : removed ? '-' : ' ';
    return value.map((line) => `${mark} ${line}`);
  });
}
