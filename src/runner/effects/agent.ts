import { ASKED_AGAIN_MAX, agentResult } from '../../engine/agents/result.ts';
import { addUsage, NO_USAGE, usageOfWork } from '../../engine/agents/usage.ts';
import { wordsFor } from '../../engine/agents/words.ts';
import { roomFor, TEXT_MAX_CHARS, takeRoomForData } from '../../engine/data/room.ts';
import type { CallEffect } from '../../engine/run/effect.ts';
import type { AgentOutcome, AgentRequest, AgentRuntime, AgentRuntimes } from '../../ports/agents.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Ids } from '../../ports/ids.ts';
import type { Secrets } from '../../ports/secrets.ts';
import type { Store } from '../../ports/store.ts';
import { createAgentPlaces } from '../agent-places.ts';
import type { CallHandler, CallResult } from '../call-handler.ts';
import type { Plans } from '../plans.ts';
import type { SharedWorkspaces } from '../workspaces.ts';

type AgentEffect = Extract<CallEffect, { kind: 'agent' }>;

/** How long an agent has to end when its time is over, in milliseconds. */
const graceMs = 10_000;

/**
 * Has an agent do the work of an `agent`, `llm` or `decision` step. It waits until the workspace of the run, which is for
 * tasks only, and a place among all agents are free; its time begins then.
 */
export function agentHandler(deps: {
  readonly store: Pick<Store, 'run'>;
  readonly plans: Pick<Plans, 'get'>;
  readonly agents: AgentRuntimes;
  readonly workspaces: Pick<SharedWorkspaces, 'use'>;
  readonly secrets: Secrets;
  readonly clock: Clock;
  readonly ids: Ids;
  /** Most agents at work at once, over all runs. */
  readonly agentsAtOnce: number;
  /** Longest time for one attempt, in milliseconds. */
  readonly agentTimeLimitMs: number;
}): CallHandler<AgentEffect> {
  const { store, plans, agents, workspaces, secrets, clock, ids } = deps;
  const places = createAgentPlaces(deps.agentsAtOnce);

  /** One attempt: asked again while its pick is no good. What all of it has used up counts. */
  async function attempt(
    runtime: AgentRuntime,
    work: Omit<AgentRequest, 'key'>,
    { call, key }: AgentEffect,
    signal: AbortSignal,
  ): Promise<CallResult> {
    const endsAtMs = clock.now() + work.timeoutMs;
    let { prompt } = work;
    let usage = NO_USAGE;
    for (let askedAgain = 0; ; askedAgain += 1) {
      const request: AgentRequest = {
        ...work,
        prompt,
        timeoutMs: endsAtMs - clock.now(),
        key: `${work.at.run}/${key}/${askedAgain}`,
        at: { ...work.at, askedAgain },
      };
      const outcome = withoutSecrets(await ask(runtime, request, signal));
      usage = addUsage(usage, usageOfWork(work.agent, outcome.usage));
      const result = agentResult(call, outcome);
      if (result.kind !== 'again') return { ...result, usage };
      if (askedAgain === ASKED_AGAIN_MAX) return { kind: 'failed', failure: result.failure, usage };
      prompt = `${work.prompt}\n${result.explanation}\n`;
    }
  }

  /** Asks once, and sees to it that the time is kept. */
  async function ask(
    runtime: AgentRuntime,
    request: AgentRequest,
    signal: AbortSignal,
  ): Promise<AgentOutcome> {
    if (request.timeoutMs <= 0) return { kind: 'timeout' };
    const timeOver = new AbortController();
    let cancelAlarm: () => void = () => undefined;
    const lost = new Promise<AgentOutcome>((resolve) => {
      cancelAlarm = clock.alarm(clock.now() + request.timeoutMs, () => {
        cancelAlarm = clock.alarm(clock.now() + graceMs, () =>
          resolve({ kind: 'unknown', message: 'The agent went on when its time was over.' }),
        );
        timeOver.abort();
      });
    });
    try {
      const work = runtime.run(request, AbortSignal.any([signal, timeOver.signal]));
      const outcome = await Promise.race([work, lost]);
      const isLate = timeOver.signal.aborted && outcome.kind === 'failed';
      return isLate ? { kind: 'timeout', ...(outcome.usage && { usage: outcome.usage }) } : outcome;
    } finally {
      cancelAlarm();
    }
  }

  /** Before a part of it is quoted: of a secret that is cut in two, nothing would be found. */
  function withoutSecrets(outcome: AgentOutcome): AgentOutcome {
    if (outcome.kind !== 'replied') return outcome;
    const { text, structured, usage } = outcome;
    if (structured !== undefined && takeRoomForData(roomFor(TEXT_MAX_CHARS), structured)) {
      const message = 'the data of its reply is too large, or nested too deeply.';
      return { kind: 'failed', code: 'reply-too-large', message, retry: 'allowed', ...(usage && { usage }) };
    }
    return {
      ...outcome,
      text: secrets.redact(text),
      ...(structured !== undefined && { structured: secrets.redact(structured) }),
    };
  }

  return async (run, effect, signal, leaving) => {
    const { call, step, round, attempt: number } = effect;
    const row = (await store.run(run))?.row;
    const plan = row && (await plans.get(row.version));
    const agent = plan?.agents.get(call.agent);
    if (!row || !agent) return failed('agent-gone', `there is no agent ${quoted(call.agent)} any more.`);
    const runtime = agents.get(agent.runtime);
    if (!runtime) {
      const message = `the runtime ${quoted(agent.runtime)} of the agent ${quoted(agent.name)} is not there.`;
      return failed('runtime-missing', message);
    }
    const work = async (workspace?: string): Promise<CallResult> => {
      const leave = await places.take(agent, signal);
      try {
        await leaving();
        const request: Omit<AgentRequest, 'key'> = {
          agent,
          kind: call.kind,
          ...wordsFor(agent, call, () => ids.next() + ids.next()),
          timeoutMs: Math.min(
            effect.timeoutMs ?? Number.POSITIVE_INFINITY,
            agent.timeLimitMs ?? Number.POSITIVE_INFINITY,
            deps.agentTimeLimitMs,
          ),
          at: { flow: row.flow, run, step, round, attempt: number, askedAgain: 0 },
          ...(workspace !== undefined && { workspace }),
        };
        return await attempt(runtime, request, effect, signal);
      } finally {
        leave();
      }
    };
    if (call.kind !== 'task') return work();
    const used = await workspaces.use(run, signal, work);
    if (used.kind === 'used') return used.result;
    return { kind: 'failed', failure: { code: 'workspace', message: used.message, retry: 'allowed' } };
  };
}

function quoted(name: string): string {
  return JSON.stringify(name);
}

function failed(code: string, message: string): CallResult {
  return { kind: 'failed', failure: { code, message, retry: 'never' } };
}
