import { z } from 'zod';
import { durationSchema, formatDuration } from '../data/duration.ts';
import { withFix } from '../data/issue.ts';
import type { Fault } from '../fault.ts';
import { isJsonObject, type Json, type JsonObject } from '../json.ts';
import type { Library } from '../library.ts';
import { RETRY_AFTER_MAX_MS } from '../limits.ts';
import type { StepType } from '../steps/step-type.ts';
import { stepIdFault } from './ids.ts';
import { type Path, place, readAt } from './issues.ts';
import { suggest } from './nearest.ts';

/** Most steps of a flow. */
export const stepsMax = 500;

/** One step of a flow, read. */
export interface StepDefinition {
  readonly id: string;
  readonly name: string;
  /** As written; a known type only when `body` is there. */
  readonly type: string;
  readonly runWhen: 'any' | 'all';
  readonly attempts: number;
  readonly firstRetryAfterMs: number;
  /** Of one attempt. */
  readonly timeoutMs?: number;
  readonly cache: boolean;
  /** The step's type and the keys of that type. Absent when they could not be read: there are faults about it. */
  readonly body?: { readonly type: StepType; readonly config: unknown };
}

/** The keys that steps of all types have. */
export const commonStepSchema = z.object({
  name: z.string().min(1).max(120).optional().describe('What people see; the id when absent.'),
  runWhen: z
    .enum(['any', 'all'])
    .default('any')
    .describe('Whether one incoming edge is enough, or all must be live.'),
  attempts: z.int().min(1).max(5).default(1).describe('How often it is tried before it fails.'),
  firstRetryAfter: durationSchema
    .refine((ms) => ms <= RETRY_AFTER_MAX_MS, {
      error: withFix('The first retry can wait 60s at most.', 'Write 60s or less.'),
    })
    .default(2000)
    .describe('How long to wait before the second attempt; doubles each time, up to a minute.'),
  timeout: durationSchema.optional().describe('Longest time one attempt may take.'),
  cache: z
    .boolean()
    .default(false)
    .describe('Whether a result is kept, and used again for the same call of the same flow.'),
});

const commonKeys = ['type', ...Object.keys(commonStepSchema.shape)];

const ownAttempts = 'The steps of the flow it runs have attempts of their own.';
const askedOnce = 'People are asked once; send work back for another round.';

/** Keys that a type does without, and why. */
export const refusedKeys: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  join: { runWhen: 'A join always waits for every branch.' },
  flow: { attempts: ownAttempts, firstRetryAfter: ownAttempts },
  map: { attempts: ownAttempts, firstRetryAfter: ownAttempts },
  approval: {
    attempts: askedOnce,
    firstRetryAfter: askedOnce,
    timeout: 'How long people have is set by expiresAfter.',
  },
  message: { timeout: 'A post is sent until the platform has taken it.' },
};

/** Times that one attempt of a type may take, shortest and longest, where the type has limits of its own. */
const timeoutLimits: Readonly<Record<string, readonly [minMs: number, maxMs: number]>> = {
  agent: [60_000, 21_600_000],
};

/** The steps of a flow in the order they are written, and everything wrong with them. None when there are too many. */
export function readSteps(
  written: JsonObject,
  types: Library['stepTypes'],
): {
  steps: ReadonlyMap<string, StepDefinition>;
  faults: readonly Fault[];
} {
  const entries = Object.entries(written);
  const limit = countFault(entries.length);
  if (limit) return { steps: new Map(), faults: [limit] };
  const read = entries.map(([id, step]) => readStep(id, step, types));
  return {
    steps: new Map(read.map(({ step }) => [step.id, step])),
    faults: read.flatMap(({ faults }) => faults),
  };
}

function countFault(count: number): Fault | undefined {
  if (count === 0) return limitFault('A flow needs at least one step.', 'Add one under steps.');
  if (count <= stepsMax) return undefined;
  return limitFault(
    `A flow has at most ${stepsMax} steps, not ${count}.`,
    'Move a part of it into a flow of its own.',
  );
}

function limitFault(message: string, fix: string): Fault {
  return { severity: 'error', rule: 'limit', path: ['steps'], message, fix };
}

function readStep(
  id: string,
  written: Json,
  types: Library['stepTypes'],
): { step: StepDefinition; faults: readonly Fault[] } {
  const path = ['steps', id];
  const keys = isJsonObject(written) ? written : {};
  const common = readAt(commonStepSchema, keys, path);
  const body = isJsonObject(written) ? readBody(keys, path, types) : notAnObject(path);
  const {
    name = id,
    runWhen,
    attempts,
    firstRetryAfter,
    timeout,
    cache,
  } = common.ok ? common.value : commonStepSchema.parse({});
  const step: StepDefinition = {
    id,
    name,
    type: typeof keys.type === 'string' ? keys.type : '',
    runWhen,
    attempts,
    firstRetryAfterMs: firstRetryAfter,
    cache,
    ...(timeout === undefined ? {} : { timeoutMs: timeout }),
    ...(body.ok ? { body: body.value } : {}),
  };
  return {
    step,
    faults: [
      ...idFaults(id, path),
      ...(common.ok ? [] : common.faults),
      ...refusedFaults(keys, path),
      ...cacheFaults(step, path),
      ...timeoutFaults(step, path),
      ...(body.ok ? [] : body.faults),
    ],
  };
}

type Body = NonNullable<StepDefinition['body']>;
type ReadBody =
  | { readonly ok: true; readonly value: Body }
  | { readonly ok: false; readonly faults: readonly Fault[] };

function readBody(written: JsonObject, path: Path, types: Library['stepTypes']): ReadBody {
  const type = typeof written.type === 'string' ? types.get(written.type) : undefined;
  if (!type) return { ok: false, faults: [typeFault(written.type, path, types)] };
  const own = Object.fromEntries(Object.entries(written).filter(([key]) => !commonKeys.includes(key)));
  const config = readAt(type.schema, own, path, commonKeys);
  return config.ok ? { ok: true, value: { type, config: config.value } } : config;
}

function notAnObject(path: Path): ReadBody {
  const message = `${place(path)} must be an object with a type.`;
  return {
    ok: false,
    faults: [{ severity: 'error', rule: 'type', path, message, fix: 'For example { type: message, … }.' }],
  };
}

function typeFault(type: Json | undefined, path: Path, types: Library['stepTypes']): Fault {
  const known = [...types.keys()];
  if (typeof type !== 'string') {
    const message =
      type === undefined ? `${place(path)} has no type.` : `${place(path)}: its type must be text.`;
    return {
      severity: 'error',
      rule: 'missing',
      path,
      message,
      fix: `Add type: and one of ${known.join(', ')}.`,
    };
  }
  const message = `${place(path)}: there is no step type ${JSON.stringify(type.slice(0, 60))}.`;
  return {
    severity: 'error',
    rule: 'unknown-type',
    path: [...path, 'type'],
    message,
    fix: suggest(type, known),
  };
}

function idFaults(id: string, path: Path): readonly Fault[] {
  const text = stepIdFault(id);
  if (text === undefined) return [];
  const [message = '', fix = ''] = text.split('\n');
  return [{ severity: 'error', rule: 'step-id', path, message, fix }];
}

function refusedFaults(written: JsonObject, path: Path): readonly Fault[] {
  const refused =
    typeof written.type === 'string' && Object.hasOwn(refusedKeys, written.type)
      ? refusedKeys[written.type]
      : undefined;
  return Object.entries(refused ?? {})
    .filter(([key]) => Object.hasOwn(written, key))
    .map(([key, why]) => refusedFault(String(written.type), key, why, path));
}

function refusedFault(type: string, key: string, why: string, path: Path): Fault {
  return {
    severity: 'error',
    rule: 'refused-key',
    path: [...path, key],
    message: `${place(path)}: ${type} steps have no ${key}. ${why}`,
    fix: 'Remove it.',
  };
}

function cacheFaults({ type, cache, body }: StepDefinition, path: Path): readonly Fault[] {
  if (!cache || !body || body.type.cacheable) return [];
  return [refusedFault(type, 'cache', 'What it does must happen each time.', path)];
}

function timeoutFaults({ type, timeoutMs }: StepDefinition, path: Path): readonly Fault[] {
  const [min, max] = (Object.hasOwn(timeoutLimits, type) ? timeoutLimits[type] : undefined) ?? [
    0,
    Number.POSITIVE_INFINITY,
  ];
  if (timeoutMs === undefined || (timeoutMs >= min && timeoutMs <= max)) return [];
  const range = `between ${formatDuration(min)} and ${formatDuration(max)}`;
  const message = `${place(path)}.timeout must be ${range}, not ${formatDuration(timeoutMs)}.`;
  return [{ severity: 'error', rule: 'limit', path: [...path, 'timeout'], message, fix: 'For example 15m.' }];
}
