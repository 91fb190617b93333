import { z } from 'zod';
import { celMaxChars, type Expression, parseExpression } from '../data/cel.ts';
import { type ParsedRules, type Rules, rulesSchema, withStep } from '../data/condition.ts';
import { withFix } from '../data/issue.ts';
import { errorAt, type Fault } from '../fault.ts';
import { stepIdSchema, stepNameFault } from './ids.ts';
import { type Path, place, readAt } from './issues.ts';

/** Most edges of a flow, chains counted edge by edge. */
export const edgesMax = 2000;

/** One edge of a flow as written, chains and lists taken apart. */
export interface EdgeDefinition {
  /** Id of the step it leaves; `start` marks a root. */
  readonly from: string;
  /** Absent = the step's only exit. */
  readonly exit?: string;
  readonly to: string;
  readonly when?: Rules | Expression;
  /** It is taken only when the agent it leaves has picked its target. */
  readonly choice?: ChoiceDefinition;
  readonly sendBack: boolean;
  /** The source's output goes along as feedback. */
  readonly feedback: boolean;
  readonly maxRounds: number;
  /** Where it is written. */
  readonly path: Path;
}

/** What an agent may pick among, as written on one edge. */
export interface ChoiceDefinition {
  readonly among: readonly string[];
  /** Fewest steps that must be picked; absent = 1. */
  readonly min?: number;
  /** Where the picked branches meet; absent = exactly one step is picked. */
  readonly join?: string;
}

const endSchema = z.string().transform((text, context) => {
  const end = readEnd(text);
  if (typeof end !== 'string') return end;
  context.addIssue({ code: 'custom', message: end });
  return z.NEVER;
});

const expressionSchema = z
  .string()
  .max(celMaxChars)
  .transform((source, context): Expression => {
    const read = parseExpression(source);
    if (read.ok) return read.expression;
    context.addIssue({ code: 'custom', message: read.message });
    return z.NEVER;
  });

const edgeShape = z.strictObject({
  from: z
    .union([endSchema, z.array(endSchema).min(1).max(100)])
    .describe('The step it leaves, with its exit: "review.rejected". A list for several steps.'),
  to: stepIdSchema.optional().describe('The step it leads to.'),
  when: z
    .union([rulesSchema, expressionSchema])
    .optional()
    .describe('What must hold for the edge to be taken: rules, or a CEL expression.'),
  sendBack: z.boolean().optional().describe('Sends work back to an earlier step, which runs again: false.'),
  feedback: z
    .boolean()
    .optional()
    .describe('With sendBack: the output of the source goes along as feedback.'),
  newRound: z.boolean().optional().describe('Another word for sendBack.'),
  maxRounds: z
    .int()
    .min(1)
    .max(10)
    .optional()
    .describe('With sendBack: how often per run it may be taken: 10.'),
  choose: z.array(stepIdSchema).min(1).max(100).optional().describe('The steps an agent may pick among.'),
  min: z.int().min(1).max(100).optional().describe('With choose and join: how many steps must be picked.'),
  join: stepIdSchema.optional().describe('With choose: the step where the picked branches meet.'),
});

/** An edge written as an object. */
export const edgeSchema = edgeShape.superRefine((edge, context) => {
  const refuse = (path: readonly string[], message: string, fix: string) =>
    context.addIssue({ code: 'custom', path: [...path], message: withFix(message, fix) });
  if (edge.to === undefined && edge.choose === undefined)
    refuse([], 'The edge leads nowhere.', 'Add to: and the id of a step.');
  if (edge.to !== undefined && edge.choose !== undefined)
    refuse(['to'], 'an edge with choose leads to the steps named there.', 'Keep one of the two.');
  roundsFaults(edge, refuse);
  choiceFaults(edge, refuse);
});

type WrittenEdge = z.output<typeof edgeShape>;
type Refuse = (path: readonly string[], message: string, fix: string) => void;

function roundsFaults(edge: WrittenEdge, refuse: Refuse): void {
  const { sendBack, newRound } = edge;
  if (sendBack === true && newRound === false)
    refuse(['newRound'], 'a send-back always starts a new round.', 'Remove newRound: false.');
  if (sendBack === false && newRound === true)
    refuse(['sendBack'], 'an edge that starts a new round sends work back.', 'Remove sendBack: false.');
  if (sendsBack(edge)) return;
  for (const key of ['feedback', 'maxRounds'] as const) {
    if (edge[key] !== undefined) refuse([key], 'only a send-back edge has it.', 'Add sendBack: true.');
  }
}

/** `newRound: true` is another spelling of `sendBack: true`. */
function sendsBack({ sendBack = false, newRound = false }: WrittenEdge): boolean {
  return sendBack || newRound;
}

function choiceFaults(edge: WrittenEdge, refuse: Refuse): void {
  const { choose, min, join } = edge;
  if (!choose) {
    for (const key of ['min', 'join'] as const) {
      if (edge[key] !== undefined) refuse([key], 'only an edge with choose has it.', 'Remove it.');
    }
    return;
  }
  if (sendsBack(edge))
    refuse(['choose'], 'a choice leads forwards.', 'Write the send-back as an edge of its own, with when.');
  const twice = choose.find((step, index) => choose.indexOf(step) !== index);
  if (twice !== undefined) refuse(['choose'], `${twice} stands in it twice.`, 'Keep one of them.');
  if (join === undefined && min !== undefined)
    refuse(['min'], 'without join exactly one step is picked.', 'Remove min, or add join.');
  if (join !== undefined && min !== undefined && min > choose.length)
    refuse(
      ['min'],
      `there are only ${choose.length} steps to pick among.`,
      `Write at most ${choose.length}.`,
    );
  if (join !== undefined && choose.includes(join))
    refuse(['join'], `${join} can't be picked and join the others.`, 'Name a step behind those of choose.');
}

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
  return errorAt('limit', path, message, 'Move a part of it into a flow of its own.');
}

type Read =
  | { readonly ok: true; readonly value: readonly EdgeDefinition[] }
  | { readonly ok: false; readonly faults: readonly Fault[] };

/** What an edge is unless it says more. */
export const plainEdge = { sendBack: false, feedback: false, maxRounds: 10 } as const;

/** `a -> b.exit -> c`: each step but the last may name the exit it is left by. */
function readChain(text: string, path: Path): Read {
  const refuse = (message: string): Read => {
    const [what = '', fix = chainForm] = message.split('\n');
    return { ok: false, faults: [errorAt('edge', path, `${place(path)}: ${what}`, fix)] };
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
    if (previous) value.push({ ...fromEnd(previous), to: end.step, ...plainEdge, path });
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
  const { from, to, when, choose, min, join } = read.value;
  const { feedback = plainEdge.feedback, maxRounds = plainEdge.maxRounds } = read.value;
  const choice: ChoiceDefinition | undefined = choose && {
    among: choose,
    ...(min !== undefined && { min }),
    ...(join !== undefined && { join }),
  };
  const value = [from].flat().flatMap((end) =>
    (choose ?? [to ?? '']).map((target) => ({
      ...fromEnd(end),
      to: target,
      ...(when && { when: conditionOf(when, end.step) }),
      ...(choice && { choice }),
      sendBack: sendsBack(read.value),
      feedback,
      maxRounds,
      path,
    })),
  );
  return { ok: true, value };
}

/** A rule that names no step reads the one that the edge leaves; an expression names all it reads. */
function conditionOf(when: ParsedRules | Expression, from: string): Rules | Expression {
  return 'tree' in when ? when : withStep(when, from);
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
  const fault = stepNameFault(step);
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
