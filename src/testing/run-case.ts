import type { Plan } from '../engine/flow/plan.ts';
import { type Difference, differences } from './compare.ts';
import type { Lanes } from './fits.ts';
import { simulate } from './simulate.ts';
import { startOf } from './start.ts';
import type { TestCase } from './test-file.ts';

/** What came of a case. */
export interface CaseResult {
  readonly name: string;
  /** Nothing is different, and there is no problem. */
  readonly passed: boolean;
  readonly differences: readonly Difference[];
  /** What could not go as the test wants it, in sentences. */
  readonly problems: readonly string[];
}

/** Runs a case of a flow. @param nth which of its file, from 1 @param lanes the flows that steps can run */
export function runCase(test: TestCase, nth: number, plan: Plan, lanes: Lanes): CaseResult {
  const name = test.name ?? `case ${nth}`;
  const start = startOf(test, plan);
  if (typeof start === 'string') return { name, passed: false, differences: [], problems: [start] };
  const { fakes, acts, expect } = test;
  const simulated = simulate({ plan, lanes, start, atMs: Date.parse(test.at), fakes, acts });
  const { problems } = simulated;
  const different = differences(expect, simulated);
  return { name, passed: different.length + problems.length === 0, differences: different, problems };
}

/** A case in lines for people: a mark and its name, then what is wrong. */
export function caseLines({ name, passed, problems, differences: different }: CaseResult): readonly string[] {
  return [
    `${passed ? '✓' : '✗'} ${name}`,
    ...problems.map((problem) => `    ${problem}`),
    ...different.flatMap(({ what, lines }) => [`    ${what}`, ...lines.map((line) => `      ${line}`)]),
  ];
}
