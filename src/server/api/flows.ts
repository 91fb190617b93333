import { z } from 'zod';
import { flowsFor } from '../../commands/may-start.ts';
import type { LoadedFlow } from '../../runner/catalog.ts';
import { done, failed, type Result } from '../problem.ts';
import { startFor } from '../starting.ts';
import { type Operation, operation } from './operation.ts';
import { flowResource, object, runResource } from './resources.ts';
import { readRun } from './runs.ts';
import { flowView } from './views.ts';

/** Longest time that a request waits for its run, in seconds. */
const WAIT_MAX_S = 300;

const flowParams = z.object({ flow: z.string().describe('Id of the flow.') });

const listFlows = operation({
  id: 'listFlows',
  method: 'GET',
  path: '/v1/flows',
  summary: 'Lists the flows',
  access: 'viewer',
  answer: { schema: z.strictObject({ flows: z.array(flowResource) }), what: 'All flows that are loaded.' },
  async run({ bot, sight }) {
    const flows = await flowsFor(bot, await sight.callerAt(undefined));
    return done({ flows: flows.map(({ flow, why }) => flowView(bot, flow, why)) });
  },
});

const getFlow = operation({
  id: 'getFlow',
  method: 'GET',
  path: '/v1/flows/{flow}',
  summary: 'Shows a flow',
  access: 'viewer',
  params: flowParams,
  answer: { schema: flowResource, what: 'The flow.' },
  problems: ['not-found'],
  async run({ bot, sight, params }) {
    const flows = await flowsFor(bot, await sight.callerAt(undefined));
    const found = flows.find(({ flow }) => flow.id === params.flow);
    return found ? done(flowView(bot, found.flow, found.why)) : noFlow(params.flow);
  },
});

const startRun = operation({
  id: 'startRun',
  method: 'POST',
  path: '/v1/flows/{flow}/runs',
  summary: 'Starts a run of a flow',
  description:
    'The flow needs a trigger of type api or manual. With `wait` the answer comes when the run has ended, or when only people or a timer can move it on; else at once.',
  access: 'runner',
  params: flowParams,
  query: z.object({
    wait: z.coerce
      .number()
      .min(0)
      .max(WAIT_MAX_S)
      .default(0)
      .describe(`How long to wait, in seconds, at most ${WAIT_MAX_S}.`),
  }),
  body: z.strictObject({
    input: object.optional().describe('The input, as the flow’s schema wants it.'),
    prompt: z
      .string()
      .max(20_000)
      .optional()
      .describe('Instead of the input: what would follow the command in a chat.'),
  }),
  answer: { status: 201, schema: runResource, what: 'The run. A repeat of the request gets the same one.' },
  problems: ['not-found', 'not-allowed', 'conflict', 'does-not-fit'],
  async run(asked) {
    const { bot, sight, event, params, query, body } = asked;
    const flow = bot.catalog.flow(params.flow);
    if (!flow) return noFlow(params.flow);
    if (!isForPrograms(flow)) {
      const how = 'Add "- type: api" to its triggers.';
      return failed('conflict', `${flow.plan.name} can’t be started by the API. ${how}`);
    }
    const input = body.input ?? (body.prompt === undefined ? {} : undefined);
    const started = await startFor(bot, sight, {
      flow,
      trigger: 'api',
      prompt: body.prompt ?? '',
      startKey: `api:${event}`,
      ...(input && { input }),
    });
    if (!started.ok) return started;
    const { run } = started.value;
    if (query.wait > 0) await asked.waitForRun(run, query.wait * 1_000);
    return readRun(asked, run);
  },
});

/** Whether programs may start a flow. */
function isForPrograms({ plan }: LoadedFlow): boolean {
  return plan.triggers.some(({ type }) => type === 'api' || type === 'manual');
}

function noFlow(id: string): Result<never> {
  return failed('not-found', `There is no flow ${id.slice(0, 60)}: GET /v1/flows lists them.`);
}

export const flowOperations: readonly Operation[] = [listFlows, getFlow, startRun];
