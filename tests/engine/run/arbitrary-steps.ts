import fc from 'fast-check';
import type { JsonObject } from '../../../src/engine/json.ts';

/** Which flows are made. */
export interface FlowKind {
  /** Edges that send work back. */
  readonly sendBacks: boolean;
  /** Edges from `failed`, and values that may be missing. */
  readonly failures: boolean;
  /** Agents, which pick what comes next. They need `agentLibrary`. Default: none. */
  readonly agents?: boolean;
}

const kinds = [
  'template',
  'get',
  'pay',
  'message',
  'condition',
  'approval',
  'stop',
  'continue',
  'wait',
  'script',
  'flow',
  'map',
  'agent',
  'agent',
  'llm',
] as const;

/** What steps are made from: the choices that `stepOf` goes by. */
export const stepRecipe = {
  kind: fc.constantFrom(...kinds),
  reads: fc.nat(99),
  attempts: fc.integer({ min: 1, max: 3 }),
  needsAll: fc.nat(4),
  asks: fc.nat(999),
};

/** The choices for one step. */
export interface StepRecipe {
  readonly kind: (typeof kinds)[number];
  readonly reads: number;
  readonly attempts: number;
  readonly needsAll: number;
  readonly asks: number;
}

/**
 * A step as a flow file has it.
 * @param incoming how many edges lead to it @param source a step that can have run before @param isLast nothing can follow it
 */
export function stepOf(
  step: StepRecipe,
  incoming: number,
  source: string | undefined,
  { failures, agents = false }: FlowKind,
  isLast: boolean,
): JsonObject {
  const runWhen = step.needsAll === 0 ? { runWhen: 'all' } : {};
  const attempts = { attempts: step.attempts, ...runWhen };
  const read = failures && source !== undefined && step.reads % 3 === 0 ? `{{${source}.text}}` : 'nothing';
  switch (step.kind) {
    case 'get':
      return { type: 'http', url: 'https://api.example.com/', query: { read }, ...attempts };
    case 'pay':
      return { type: 'http', url: 'https://api.example.com/', method: 'POST', ...attempts };
    case 'message':
      return {
        type: 'message',
        to: 'slack:#news',
        text: `Said: ${read}`,
        ...(step.reads % 2 === 0 && { onRound: 'edit' }),
        ...attempts,
      };
    case 'condition':
      return {
        type: 'condition',
        all: [{ step: source ?? 'start', path: 'text', contains: 'o' }],
        ...runWhen,
      };
    case 'approval':
      return {
        type: 'approval',
        show: source === undefined ? [] : [source],
        ...approvalOf(step.asks, isLast).written,
        ...runWhen,
      };
    case 'wait':
      return { type: 'wait', for: '10m', ...runWhen };
    case 'script':
      return { type: 'script', run: 'node', args: [read], ...attempts };
    case 'agent':
      if (!agents) break;
      return {
        type: 'agent',
        agent: 'helper',
        task: 'Do it.',
        inputs: source === undefined ? [] : [source],
        ...(failures && step.asks % 3 === 0 && { writes: 'note', reply: scored }),
        ...attempts,
      };
    case 'llm':
      if (!agents) break;
      return { type: 'llm', preset: 'helper', prompt: `Say: ${read}`, ...attempts };
    case 'flow':
      return { type: 'flow', uses: 'other', with: { read }, ...limitOf(step.asks), ...runWhen };
    case 'map':
      return {
        type: 'map',
        over: ['a', 'b', 'c', 'd'].slice(step.asks % 5),
        uses: 'other',
        with: { read },
        maxParallel: step.attempts,
        onItemFailure: step.asks % 2 === 0 ? 'collect' : 'stop',
        ...limitOf(step.asks),
        ...runWhen,
      };
    case 'stop':
    case 'continue':
      if (incoming >= 2) return { type: 'join', onFailure: step.kind };
      break;
    case 'template':
  }
  return { type: 'template', text: read, ...runWhen };
}

const scored: JsonObject = { format: 'json', fields: { score: { type: 'number' } } };

/** Every second step that runs other flows has a time limit. */
function limitOf(choice: number): JsonObject {
  return choice % 4 < 2 ? { timeout: '5m' } : {};
}

/** People of every kind: Ana has started the run, Bo and Cy answer, nobody is in the role. */
const approverLists: readonly (JsonObject | undefined)[] = [
  undefined,
  undefined,
  { users: ['slack:U0BO'] },
  { users: ['slack:U0BO', 'slack:U0CY'] },
  { users: ['slack:U0BO', 'slack:U0ANA'], roles: ['leads'] },
];

interface Approval {
  readonly written: JsonObject;
  readonly exits: readonly string[];
}

/** An approval as a flow file has it, and its exits. Only when something follows, it has an action that must lead somewhere. */
function approvalOf(choice: number, isLast: boolean): Approval {
  const approvers = approverLists[choice % approverLists.length];
  const mayBeTwo = approvers === undefined || choice % approverLists.length > 2;
  const isCustom = choice % 3 === 0 && !isLast;
  const expires = choice % 4 === 0;
  const onExpire = choice % 8 === 0 ? { onExpire: 'approved' } : {};
  return {
    written: {
      ...(approvers && { approvers, allowRequester: true }),
      ...(choice % 7 > 2 && mayBeTwo && { quorum: approvers && choice % 2 === 0 ? 'each' : 2 }),
      ...(isCustom && { actions: [{ id: 'approve' }, { id: 'hold' }, { id: 'reject' }] }),
      ...(expires && { expiresAfter: '30d', ...onExpire }),
      ...(choice % 5 < 2 && { escalateTo: { users: ['slack:U0EVE'] }, escalateAfter: '1d' }),
      ...(choice % 6 === 0 && { remindAfter: null }),
      ...(choice % 11 === 0 && { to: 'slack:#approvals' }),
    },
    exits: [
      'approved',
      'rejected',
      ...(isCustom ? ['hold'] : []),
      ...(expires && choice % 8 !== 0 ? ['expired'] : []),
    ],
  };
}

/** The exits that edges can leave a step by; some more often. */
export function exitsOf(step: StepRecipe | undefined, failures: boolean, isLast: boolean): readonly string[] {
  switch (step?.kind) {
    case 'condition':
      return ['yes', 'no'];
    case 'approval':
      return approvalOf(step.asks, isLast).exits;
    default:
      return failures ? ['done', 'done', 'done', 'failed'] : ['done'];
  }
}
