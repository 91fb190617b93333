import { z } from 'zod';
import { type Rules, rulesSchema, withStep } from '../data/condition.ts';
import { withFix } from '../data/issue.ts';
import type { Fault } from '../fault.ts';
import { stepIdFault, stepIdSchema } from './ids.ts';
import { type Path, place, readAt } from './issues.ts';

/** Most edges of a flow, chains counted edge by edge. */
const edgesMax = 2000;

/** One edge of a flow as written, chains and lists taken apart. */
export interface EdgeDefinition {
  /** Id of the step it leaves; `start` marks a root. */
  readonly from: string;
  /** Absent = the step's only exit. */
  readonly exit?: string;
  readonly to: string;
  readonly when?: Rules;
  readonly sendBack: boolean;
  /** The source's output goes along as feedback. */
  readonly feedback: boolean;
  readonly maxRounds: number;
  /** Where it is written. */
  readonly path: Path;
}

const endSchema = z.string().transform((text, context) => {
  const end = readEnd(text);
  if (typeof end !== 'string') return end;
  context.addIssue({ code: 'custom', message: end });
  return z.NEVER;
});

/** An edge written as an object. */
const edgeSchema = z
  .strictObject({
    from: z
      .union([endSchema, z.array(endSchema).min(1).max(100)])
      .describe('The step it leaves, with its exit: "review.rejected". A list for several steps.'),
    to: stepIdSchema.optional().describe('The step it leads to.'),
    when: z
      .union([rulesSchema, z.string().max(2000)])
      .optional()
      .describe('What must hold for the edge to be taken.'),
    sendBack: z.boolean().default(false).describe('Sends work back to an earlier step, which runs again.'),
    feedback: z
      .boolean()
      .optional()
      .describe('With sendBack: the output of the source goes along as feedback.'),
    newRound: z.boolean().optional().describe('Taking the edge starts a new round.'),
    maxRounds: z
      .int()
      .min(1)
      .max(10)
      .optional()
      .describe('With sendBack: how often per run it may be taken: 10.'),
    choose: z.array(stepIdSchema).min(1).max(100).optional().describe('The steps an agent may pick among.'),
    min: z.int().min(1).max(100).optional().describe('With choose and join: how many steps must be picked.'),
    join: stepIdSchema.optional().describe('With choose: the step where the picked branches meet.'),
  })
  .superRefine((edge, context) => {
    if (edge.to === undefined && edge.choose === undefined)
      context.addIssue({ code: 'custom', message: noTarget });
    if (edge.sendBack) return;
    for (const key of ['feedback', 'maxRounds'] as const) {
      if (edge[key] === undefined) continue;
      context.addIssue({
        code: 'custom',
        path: [key],
        message: withFix('only a send-back edge has it.', 'Add sendBack: true.'),
      });
    }
  });

const noTarget = withFix('The edge leads nowhere.', 'Add to: and the id of a step.');

/** The edges of a flow taken apart, and what is wrong with the others. */
export function readEdges(
  written: readonly unknown[],
  at: Path,
): { edges: readonly EdgeDefinition[]; faults: readonly Fault[] } {
  const edges: EdgeDefinition[] = [];
  const faults: Fault[] = [];
  for (const [index, one] of written.entries()) {
    const read = typeof one === 'string' ? readChain(one, [...at, index]) : readObject(one, [...at, index]);
    if (read.ok) edges.push(...read.value);
    else faults.push(...read.faults);
    if (edges.length + faults.length > edgesMax) return { edges, faults: [...faults, tooMany(at)] };
  }
  return { edges, faults };
}

function tooMany(path: Path): Fault {
  const message = `A flow has at most ${edgesMax.toLocaleString('en')} edges.`;
  return {
    severity: 'error',
    rule: 'limit',
    path,
    message,
    fix: 'Move a part of it into a flow of its own.',
  };
}

type Read =
  | { readonly ok: true; readonly value: readonly EdgeDefinition[] }
  | { readonly ok: false; readonly faults: readonly Fault[] };

const plain = { sendBack: false, feedback: false, maxRounds: 10 };

/** `a -> b.exit -> c`: each step but the last may name the exit it is left by. */
function readChain(text: string, path: Path): Read {
  const refuse = (message: string): Read => {
    const [what = '', fix = chainForm] = message.split('\n');
    return {
      ok: false,
      faults: [{ severity: 'error', rule: 'edge', path, message: `${place(path)}: ${what}`, fix }],
    };
  };
  const written = text
    .slice(0, 20_000)
    .split('->')
    .map((piece) => piece.trim());
  if (written.length < 2) return refuse(`${quote(text)} has no arrow.`);
  const value: EdgeDefinition[] = [];
  let previous: End | undefined;
  for (const piece of written) {
    const end = readEnd(piece);
    if (typeof end === 'string') return refuse(end);
    if (previous && end.step === 'start')
      return refuse(`${quote(text)} leads to start; nothing comes before it.`);
    if (previous) value.push({ ...fromEnd(previous), to: end.step, ...plain, path });
    previous = end;
  }
  if (previous?.exit !== undefined)
    return refuse(`${quote(text)} ends with an exit; an edge leads to a step.`);
  return { ok: true, value };
}

const chainForm = 'Write "a -> b", "a.exit -> b", or a chain "a -> b -> c".';

function readObject(written: unknown, path: Path): Read {
  const read = readAt(edgeSchema, written, path);
  if (!read.ok) return read;
  const { from, to, when, sendBack, feedback = false, maxRounds = 10 } = read.value;
  if (to === undefined) return { ok: true, value: [] };
  const value = [from].flat().map((end) => ({
    ...fromEnd(end),
    to,
    ...(when === undefined || typeof when === 'string' ? {} : { when: withStep(when, end.step) }),
    sendBack,
    feedback,
    maxRounds,
    path,
  }));
  return { ok: true, value };
}

interface End {
  readonly step: string;
  readonly exit?: string;
}

function fromEnd({ step, exit }: End) {
  return { from: step, ...(exit === undefined ? {} : { exit }) };
}

const exitPattern = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/;

/** Reads `step` or `step.exit`; a text is why it is neither. */
function readEnd(text: string): End | string {
  const [step = '', exit, ...more] = text.split('.');
  if (step === 'start')
    return text === 'start' ? { step } : withFix('start has no exits.', 'Write "start -> step".');
  const fault = stepIdFault(step);
  if (fault !== undefined) return fault;
  if (exit === undefined) return { step };
  if (more.length === 0 && exitPattern.test(exit)) return { step, exit };
  return withFix(
    `${quote(text)} is no step with an exit.`,
    'Write the step, a dot and the exit, such as "review.rejected".',
  );
}

function quote(text: string): string {
  return JSON.stringify(text.length > 80 ? `${text.slice(0, 79)}…` : text);
}
