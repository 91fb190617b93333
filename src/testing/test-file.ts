import { z } from 'zod';
import { usageSchema } from '../engine/agents/scripted-schema.ts';
import { durationSchema } from '../engine/data/duration.ts';
import { withFix } from '../engine/data/issue.ts';
import type { Fault } from '../engine/fault.ts';
import { roleSchema } from '../engine/flow/address.ts';
import { readAt } from '../engine/flow/issues.ts';
import { isJsonObject } from '../engine/json.ts';
import { byPosition, formatFault } from '../loader/located-fault.ts';
import { parseText } from '../loader/parse.ts';

const text = z.string().max(1_000_000);
const data = z.record(z.string(), z.json());

/** What a call comes to in a test, instead of leaving. Which keys fit depends on the type of the step. */
export const fakeSchema = z.strictObject({
  failure: z.string().min(1).max(4000).optional().describe('It fails with this sentence; `attempts` counts.'),
  timeout: z.literal(true).optional().describe('It takes longer than its time limit.'),
  unknown: z
    .string()
    .min(1)
    .max(4000)
    .optional()
    .describe('Nobody knows whether it happened: a sentence that says why.'),
  delay: durationSchema.optional().describe('How long it takes; no time when left out.'),
  status: z.int().min(100).max(599).optional().describe('http: the status of the answer; 200 when left out.'),
  headers: z.record(z.string(), z.string()).optional().describe('http: headers of the answer.'),
  body: z.json().optional().describe('http: the body of the answer: a text, or data, which is sent as JSON.'),
  reply: z
    .union([text, data])
    .optional()
    .describe('agent, llm, decision: what is replied; data stands for a reply in JSON.'),
  confidence: z.number().min(0).max(1).optional().describe('decision: how sure the model is, from 0 to 1.'),
  probabilities: z
    .record(z.string(), z.number().min(0).max(1))
    .optional()
    .describe('decision: how likely each option is, from 0 to 1.'),
  usage: usageSchema.optional().describe('agent, llm, decision: what that has used up.'),
  stdout: text.optional().describe('script: what it prints.'),
  stderr: text.optional().describe('script: what it prints as errors.'),
  exitCode: z.int().min(0).max(255).optional().describe('script: its exit code; 0 when left out.'),
  text: text.optional().describe('tool, history, flow, map, plugins: the text of the output.'),
  json: data.optional().describe('tool, history, flow, map, plugins: the data of the output.'),
  exit: z.string().optional().describe('plugins: the exit by which the step leaves, where it has several.'),
  output: z
    .json()
    .optional()
    .describe('flow, map: what the other flow gives back by its `output`, without running it.'),
});

/** What one call comes to. */
export type Fake = z.output<typeof fakeSchema>;

export const actSchema = z
  .strictObject({
    step: z
      .string()
      .optional()
      .describe(
        'With answer: the step that asks, in another flow that is run `deploy/review`; else the first that asks.',
      ),
    answer: z
      .string()
      .min(1)
      .optional()
      .describe('Answers what is asked by one of its actions, such as approve.'),
    by: z
      .string()
      .min(1)
      .default('bo')
      .describe(
        'Who does it: a name, or an account such as slack:U0BO. A name alone has every role that is asked.',
      ),
    roles: z.array(roleSchema).optional().describe('With answer: the roles that this person has.'),
    comment: z.string().default('').describe('With answer: the comment.'),
    values: data.optional().describe('With answer: what is filled in.'),
    refused: z
      .union([z.literal(true), z.string().min(1)])
      .optional()
      .describe(
        'With answer: it does not count; a text: and the person is told why in these words, or more.',
      ),
    pass: durationSchema.optional().describe('Lets so much time go by.'),
    cancel: z.literal(true).optional().describe('Cancels the run.'),
  })
  .superRefine((act, context) => {
    const kinds = [act.answer, act.pass, act.cancel].filter((one) => one !== undefined);
    const details = (['step', 'roles', 'values', 'refused'] as const).filter((key) => act[key] !== undefined);
    const [detail] = act.comment === '' ? details : [...details, 'comment'];
    if (kinds.length !== 1) {
      const message = withFix(
        'does not say one thing that happens.',
        'Write one of answer:, pass: and cancel:.',
      );
      context.addIssue({ code: 'custom', message });
    } else if (act.answer === undefined && detail !== undefined) {
      const message = withFix(`${detail}: goes with answer: only.`, 'Leave it out.');
      context.addIssue({ code: 'custom', message });
    }
  });

/** Something that happens from outside. */
export type Act = z.output<typeof actSchema>;

const postSchema = z
  .union([
    text,
    z.strictObject({
      to: z.string().optional().describe('Where it goes, as the flow names it.'),
      text: text.optional().describe('All of its text.'),
      contains: z.string().min(1).optional().describe('A part of its text.'),
    }),
  ])
  .transform((post) => (typeof post === 'string' ? { text: post } : post));

const expectSchema = z.strictObject({
  status: z
    .enum(['succeeded', 'failed', 'rejected', 'cancelled', 'waiting', 'attention'])
    .optional()
    .describe('Where the run is in the end.'),
  reason: z.string().optional().describe('Why it did not succeed: the whole sentence.'),
  path: z
    .array(z.string())
    .optional()
    .describe(
      'Steps in the order in which they end, each as often as it runs; those of other flows as `deploy/build`.',
    ),
  skipped: z.array(z.string()).optional().describe('Steps whose turn never comes, in any order.'),
  asked: z.array(z.string()).optional().describe('Steps about which people are asked, in order.'),
  posts: z.array(postSchema).optional().describe('What message steps post, in order.'),
  output: z.json().optional().describe('What the run gives back.'),
  outputs: z
    .record(z.string(), z.json())
    .optional()
    .describe('What steps leave, by step: their text, or, as an object, some fields of their json.'),
});

/** What must come of a case. What is left out is not looked at. */
export type Expectation = z.output<typeof expectSchema>;

const requestSchema = z.strictObject({
  body: z.json().default(null).describe('Its body: JSON, the fields of a form, or a text.'),
  headers: z.record(z.string(), z.string()).default({}).describe('Its headers.'),
  query: z.record(z.string(), z.string()).default({}).describe('What stands behind the ? of its address.'),
});

const caseSchema = z
  .strictObject({
    name: z.string().min(1).max(200).optional().describe('What the case shows; its number when left out.'),
    input: data.optional().describe('The input of the run, as data.'),
    prompt: z.string().optional().describe('What is typed behind the command; the input is read from it.'),
    request: requestSchema.optional().describe('The request of another system that starts it by a webhook.'),
    by: z
      .string()
      .min(1)
      .default('ana')
      .describe('Who starts it: a name, or an account such as slack:U0ANA.'),
    at: z.iso
      .datetime({ offset: true })
      .default('2030-01-07T09:00:00Z')
      .describe('When it starts: a Monday morning when left out.'),
    fakes: z
      .record(z.string(), z.union([fakeSchema, z.array(fakeSchema).min(1)]))
      .default({})
      .describe(
        'What calls come to, by step: one for all calls, or a list, of which the last one stands for all that follow.',
      ),
    acts: z.array(actSchema).default([]).describe('What people do, and the time that goes by, in order.'),
    expect: expectSchema.default({}).describe('What must come of it.'),
  })
  .refine((one) => [one.input, one.prompt, one.request].filter((key) => key !== undefined).length <= 1, {
    error: withFix('has several inputs.', 'Write one of input:, prompt: and request:.'),
  });

/** One case of a test file. */
export type TestCase = z.output<typeof caseSchema>;

/** The schema of a test file. */
export const testFileSchema = z.strictObject({
  flow: z.string().min(1).optional().describe("The id of the flow; the file's name when left out."),
  cases: z.array(caseSchema).min(1).max(1000).describe('The cases, each a run of its own.'),
});

/** A test file, or all its faults, one line each. */
export type ReadTestFile =
  | {
      readonly ok: true;
      /** Id of the flow. */
      readonly flow: string;
      readonly cases: readonly TestCase[];
      /** Faults that are found later, as lines in the order of the file. */
      readonly lines: (faults: readonly Fault[]) => readonly string[];
    }
  | { readonly ok: false; readonly faults: readonly string[] };

/** Reads a test file. @param file its path; the name gives the flow where it says none */
export function readTestFile(file: string, source: string): ReadTestFile {
  const parsed = parseText(source, 'yaml');
  const lines = (faults: readonly Fault[]) =>
    faults
      .map((fault) => ({ ...fault, ...parsed.locate(fault.path), file }))
      .toSorted(byPosition)
      .map(formatFault);
  if (parsed.data === undefined) {
    return { ok: false, faults: parsed.faults.map((fault) => formatFault({ ...fault, file })) };
  }
  if (parsed.data !== null && !isJsonObject(parsed.data)) return { ok: false, faults: lines([NO_TESTS]) };
  const read = readAt(testFileSchema, parsed.data ?? {}, []);
  if (!read.ok) return { ok: false, faults: lines(read.faults) };
  const name = file.replace(/^.*[/\\]/, '').replace(TEST_FILE, '');
  return { ok: true, flow: read.value.flow ?? name, cases: read.value.cases, lines };
}

const NO_TESTS: Fault = {
  severity: 'error',
  rule: 'type',
  path: [],
  message: 'A test file is an object with cases.',
  fix: 'Begin with "cases:".',
};

/** How the name of a test file ends. */
export const TEST_FILE = /\.test\.ya?ml$/;
