import { z } from 'zod';
import type { Json, JsonObject } from '../../engine/json.ts';
import { FINAL_STATUSES, OPEN_STATUSES } from '../../engine/run/state.ts';

/** What the API answers with. The OpenAPI document and the types of the client are made from these. */

/** It was parsed as JSON, or comes from the store: nothing else can be in it. */
export const json = z.custom<Json>();
export const object: z.ZodType<JsonObject> = z.record(z.string(), json);
const moment = z.string().describe('A time, as in 2026-11-30T09:00:00.000Z.');

export const runStatuses = [...OPEN_STATUSES, ...FINAL_STATUSES] as const;
const status = z
  .enum(runStatuses)
  .describe('Where a run is; succeeded, failed, rejected and cancelled are final.');

const personResource = z
  .strictObject({
    address: z.string().describe('Who it is: slack:U0ANA.'),
    name: z.string().describe('As people know them.'),
  })
  .meta({ id: 'Person' });

const usageResource = z
  .strictObject({
    tokens: z.number(),
    toolCalls: z.number(),
    turns: z.number(),
    costUsd: z.number().nullable().describe('US dollars; null where not all of it is known.'),
    knownCostUsd: z.number().describe('What is known of it.'),
    unpriced: z.number().describe('Pieces of work of unknown cost.'),
    workedSeconds: z.number(),
  })
  .meta({ id: 'Usage' });

export const flowResource = z
  .strictObject({
    id: z.string(),
    name: z.string(),
    description: z.string().nullable(),
    version: z.string().describe('Hash of its definition.'),
    file: z.string(),
    enabled: z.boolean().describe('Whether it may be started at all.'),
    mayStart: z.boolean().describe('Whether you may start it.'),
    whyNot: z.string().nullable().describe('Why you may not.'),
    input: object.nullable().describe('JSON Schema of its input, an object on top.'),
    triggers: z.array(z.strictObject({ type: z.string(), what: z.string() })).describe('What starts it.'),
    steps: z.array(z.strictObject({ id: z.string(), name: z.string(), type: z.string() })),
  })
  .meta({ id: 'Flow' });

const runRow = {
  id: z.string(),
  flow: z.string(),
  version: z.string().describe('Hash of the definition that it is pinned to.'),
  status,
  ok: z.boolean().nullable().describe('Whether it has succeeded; null = it has not ended.'),
  startedAt: moment,
  updatedAt: moment,
  startedBy: personResource.nullable(),
  partOf: z.string().nullable().describe('The run at the top, for runs that steps have started.'),
};

export const runSummaryResource = z.strictObject(runRow).meta({ id: 'RunSummary' });

export const questionResource = z
  .strictObject({
    id: z.string(),
    run: z.string(),
    flow: z.string(),
    step: z.string(),
    kind: z.enum(['approval', 'unknown', 'budget', 'day', 'tool', 'changes']),
    title: z.string(),
    status: z.enum(['open', 'answered', 'expired', 'void', 'superseded']),
    openedAt: moment,
    expiresAt: moment.nullable(),
    approvers: z.array(z.string()).nullable().describe('Who may answer; null = people of the conversation.'),
    isYours: z.boolean().describe('Whether it names you.'),
    actions: z.array(
      z.strictObject({
        id: z.string(),
        label: z.string(),
        comment: z.enum(['none', 'optional', 'required']),
        withForm: z.boolean().describe('Whether the form goes with this answer.'),
      }),
    ),
    form: object.nullable().describe('JSON Schema of what is filled in with an answer.'),
    covers: z.string().describe('Fingerprint of what it asks about: send it back with the answer.'),
    text: z.string().describe('What people are shown, as Markdown.'),
    answers: z.array(
      z.strictObject({ by: personResource, action: z.string(), comment: z.string(), at: moment }),
    ),
  })
  .meta({ id: 'Question' });

const stepResource = z
  .strictObject({
    name: z.string(),
    type: z.string(),
    status: z.enum([
      'pending',
      'ready',
      'running',
      'nested',
      'retrying',
      'sleeping',
      'asking',
      'done',
      'failed',
      'skipped',
    ]),
    round: z.number(),
    attempt: z.number().nullable(),
    exit: z.string().nullable().describe('By which exit it was left.'),
    failure: z.string().nullable(),
    output: z.strictObject({ text: z.string(), json: object }).nullable(),
    usage: usageResource.nullable(),
  })
  .meta({ id: 'Step' });

export const runResource = z
  .strictObject({
    ...runRow,
    trigger: z.string(),
    conversation: z.string().nullable().describe('Where it lives, as people know it.'),
    input: object,
    output: json.describe('What the flow gives back; null while it has not succeeded, or gives nothing.'),
    reason: z.string().nullable().describe('Why it did not succeed.'),
    queuedBecause: z.string().nullable().describe('Why it waits for its turn.'),
    retryOf: z.string().nullable(),
    steps: z.record(z.string(), stepResource),
    questions: z.array(questionResource).describe('Those that are open.'),
    usage: usageResource,
  })
  .meta({ id: 'Run' });

export const retryPlanResource = z
  .strictObject({
    keeps: z.array(z.string()).describe('Names of steps whose results are kept.'),
    runs: z.array(z.string()).describe('Names of steps that run again, or for the first time.'),
    effects: z.array(z.string()).describe('What these may do again, in sentences.'),
  })
  .meta({ id: 'RetryPlan' });

export const eventResource = z
  .strictObject({
    id: z.string().describe('Place in the run’s events, for `after` and Last-Event-ID.'),
    name: z.string().describe('run:started, node:done, approval:asked and so on.'),
    run: z.string(),
    flow: z.string(),
    atMs: z.number(),
  })
  .loose()
  .meta({ id: 'Event' });

export const scheduleResource = z
  .strictObject({
    id: z.string(),
    flow: z.string(),
    when: z.string().describe('In words.'),
    timezone: z.string(),
    paused: z.strictObject({ by: personResource.nullable(), why: z.string(), at: moment }).nullable(),
    next: z.array(moment).describe('The next five times.'),
  })
  .meta({ id: 'Schedule' });

export const auditResource = z
  .strictObject({
    n: z.number().describe('Place in the chain, from 1.'),
    hash: z.string(),
    entry: object.nullable().describe('Null when somebody has made something else of it.'),
  })
  .meta({ id: 'AuditEntry' });

export const usageDayResource = z
  .strictObject({
    day: z.string().describe('Of UTC: 2026-11-30.'),
    flow: z.string(),
    root: z.string().describe('The flow at the top whose runs started it.'),
    agent: z.string().nullable().describe('The agent whose work it was; null = of none.'),
    usage: usageResource,
  })
  .meta({ id: 'UsageOfDay' });

export const agentResource = z
  .strictObject({
    name: z.string(),
    about: z.string().describe('What it is and what it may do, in words.'),
    flows: z.array(z.string()).describe('Flows whose steps ask it.'),
  })
  .meta({ id: 'Agent' });

export const problemResource = z
  .strictObject({
    type: z.string(),
    title: z.string(),
    status: z.number(),
    detail: z.string().describe('What to do about it.'),
    errors: z
      .array(
        z.strictObject({
          pointer: z.string().describe('Where: a JSON Pointer into the body, or the name of a parameter.'),
          detail: z.string(),
        }),
      )
      .optional(),
  })
  .meta({ id: 'Problem' });
